"""The secret of a cluster's folder: requests to the cluster's process need access to the folder.

The socket alone accepts every process of its user, including locked-in ones, such as a submission that is graded.
"""

from __future__ import annotations

import hmac
import secrets

from ..operating_system.plain_file import NotPlain, read_plain_file
from .directory import write_private
from .record import Folder

_BYTES = 32
_LONGEST = 4096


def make_secret(folder: Folder) -> None:
    write_private(folder.secret, secrets.token_urlsafe(_BYTES))


def read_secret(folder: Folder) -> str | None:
    """Return the secret; ``None`` if there is none, as after the cluster's end."""
    try:
        content = read_plain_file(folder.secret, _LONGEST, below=folder.path)
    except (FileNotFoundError, NotPlain):
        return None
    return content.decode("ascii", "backslashreplace")  # A damaged one is refused.


def is_secret(given: str, secret: str) -> bool:
    """Compare in a time that reveals nothing about correct parts."""
    return hmac.compare_digest(given.encode(errors="surrogateescape"), secret.encode())

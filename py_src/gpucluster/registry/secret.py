"""The secret of a cluster's folder: who cannot read the folder cannot ask the cluster's process anything.

The socket lets every process of its user connect, also one that was locked in, such as a submission that is graded.
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
    """Write a new secret, for this user only."""
    write_private(folder.secret, secrets.token_urlsafe(_BYTES))


def read_secret(folder: Folder) -> str | None:
    """Return the secret; ``None`` where there is none (any more), as after the cluster's end."""
    try:
        content = read_plain_file(folder.secret, _LONGEST, below=folder.path)
    except (FileNotFoundError, NotPlain):
        return None
    return content.decode("ascii", "backslashreplace")  # Of a damaged one: it is refused.


def is_secret(given: str, secret: str) -> bool:
    """Compare without telling by the time it takes how much of it is right."""
    return hmac.compare_digest(given.encode(errors="surrogateescape"), secret.encode())

"""The secret of a cluster's folder: who cannot read the folder cannot ask the cluster's process anything.

The socket lets every process of its user connect, also one that was locked in, such as a submission that is graded.
"""

from __future__ import annotations

import hmac
import os
import secrets

from .directory import write_private
from .record import Folder

_BYTES = 32


def make_secret(folder: Folder) -> None:
    """Write a new secret, for this user only."""
    write_private(folder.secret, secrets.token_urlsafe(_BYTES))


def read_secret(folder: Folder) -> str | None:
    """Return the secret; ``None`` where there is none (any more), as after the cluster's end."""
    try:
        descriptor = os.open(folder.secret, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return None
    with os.fdopen(descriptor, encoding="ascii", errors="backslashreplace") as file:  # Of a damaged one: it is refused.
        return file.read()


def is_secret(given: str, secret: str) -> bool:
    """Compare without telling by the time it takes how much of it is right."""
    return hmac.compare_digest(given.encode(errors="surrogateescape"), secret.encode())

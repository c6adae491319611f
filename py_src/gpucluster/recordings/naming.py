"""Giving a complete file its name in one step, without replacing what has come there meanwhile."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import TypeAlias

from ..operating_system.descriptors import exchange_names

Identity: TypeAlias = tuple[int, int, int, int]

_NO_LINKS = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}
"""What file systems say that know no second name of a file."""


def identity_of(path: Path) -> Identity | None:
    """Return what tells whether the same file, unchanged, is still there; ``None`` where nothing is."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def give_name(part: Path, path: Path, replaced: Identity | None) -> None:
    """Give a file its name.

    Parameters
    ----------
    part : Path
        The file.
    path : Path
        What it is called from now on, in the same folder.
    replaced : Identity or None
        What may have that name and is replaced; ``None``: nothing.

    Raises
    ------
    FileExistsError
        When something else has the name. The file keeps the one it had.
    """
    if replaced is None:
        _take(part, path)
    elif exchange_names(part, path):
        if identity_of(part) != replaced:
            exchange_names(part, path)
            raise _taken(part, path)
        part.unlink()
    elif identity_of(path) == replaced:
        os.replace(part, path)
    else:
        _take(part, path)


def _take(part: Path, path: Path) -> None:
    try:
        os.link(part, path)
    except FileExistsError:
        raise _taken(part, path) from None
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        except FileExistsError:
            raise _taken(part, path) from None
        os.replace(part, path)
    else:
        part.unlink()


def _taken(part: Path, path: Path) -> FileExistsError:
    return FileExistsError(errno.EEXIST, f"{path} exists; the recording is {part}")

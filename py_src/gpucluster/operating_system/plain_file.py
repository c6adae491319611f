"""Reading a file that another user may have made or may change at any time, in bounded time and memory."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from .descriptors import PLACE

LARGEST_OWN_FILE = 16 * 2**20
_FILE = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC  # A pipe does not block.
_FOLDER = PLACE | os.O_DIRECTORY


class NotPlain(Exception):
    """The file cannot be read as a whole; the text continues "it"."""


def read_plain_file(path: Path, largest: int, *, below: Path | None = None) -> bytes:
    """Return the content of a plain file: no pipe, no device, nothing without end.

    * `path`: the file.
    * `largest`: maximum size in bytes.
    * `below`: a folder above it, below which others may write: no link is followed there, even in place of a folder.
      Default: links are followed.

    Raises `NotPlain` (when it is a link, no plain file, or too large) or `OSError` (when it cannot be opened or read).
    """
    with open(_open_plain_file(path, below), "rb") as file:
        # Checked first: a large file, even a sparse one, is not read at all.
        content = b"" if os.fstat(file.fileno()).st_size > largest else file.read(largest + 1)
        if len(content) > largest or os.fstat(file.fileno()).st_size > largest:
            raise NotPlain(f"is larger than {_size(largest)}")
    return content


def open_own_file(path: Path) -> int:
    """Open a file of a private folder for reading, whatever has replaced it; returns the descriptor."""
    try:
        return _open_plain_file(path, path.parent)
    except NotPlain as error:
        raise OSError(errno.EINVAL, str(error), str(path)) from None


def read_own_file(path: Path, largest: int = LARGEST_OWN_FILE) -> bytes:
    """Return the content of a file of a private folder, whatever has replaced it."""
    try:
        return read_plain_file(path, largest, below=path.parent)
    except NotPlain as error:
        raise OSError(errno.EINVAL, str(error), str(path)) from None


def _open_plain_file(path: Path, below: Path | None) -> int:
    descriptor = os.open(path, _FILE) if below is None else _open_below(below, path.relative_to(below).parts)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise NotPlain("is not a plain file")
    return descriptor


def _open_below(folder: Path, parts: tuple[str, ...]) -> int:
    """Open a file step by step from a folder, so that a link in place of any folder on the way is noticed."""
    place = os.open(folder, _FOLDER)
    try:
        for name in parts[:-1]:
            inner = os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=place)
            os.close(place)
            place = inner
        return os.open(parts[-1], _FILE | os.O_NOFOLLOW, dir_fd=place)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise NotPlain("is a link" if len(parts) == 1 else "is a link, or is behind one") from None
        raise
    finally:
        os.close(place)


def _size(count: int) -> str:
    return f"{count // 2**20} MiB" if count >= 2**20 else f"{count // 2**10} KiB"

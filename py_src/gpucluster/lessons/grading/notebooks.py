"""Reading a notebook that somebody else may change at any time: no link below the class's folder is followed."""

from __future__ import annotations

import errno
import json
import os
import stat
from pathlib import Path
from typing import Any

LARGEST_NOTEBOOK = 30 * 2**20
_FILE = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC  # a pipe does not make us wait
_FOLDER = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC


def read_notebook(path: Path, root: Path | None = None) -> dict[str, Any]:
    """Return a notebook as plain data.

    Parameters
    ----------
    path : pathlib.Path
        Where it lies.
    root : pathlib.Path, optional
        A folder above it, below which others may write: no link is followed there. Left out: links are followed.

    Raises
    ------
    ValueError
        With the reason, in words that follow "it".
    """
    try:
        text = _text_of(path, root)
    except OSError as error:
        is_link = root is not None and error.errno in (errno.ELOOP, errno.ENOTDIR)
        reason = "is a link, or lies behind one" if is_link else f"cannot be read: {error.strerror}"
        raise ValueError(reason) from None
    if len(text) > LARGEST_NOTEBOOK:
        raise ValueError(f"is larger than {LARGEST_NOTEBOOK // 2**20} MiB")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("is not a notebook") from None
    cells = data.get("cells") if isinstance(data, dict) else None
    if not isinstance(cells, list) or not all(isinstance(cell, dict) for cell in cells):
        raise ValueError("is not a notebook")
    return dict(data)


def source_of(cell: dict[str, Any]) -> str:
    """Return the text of a cell."""
    source = cell.get("source", "")
    return "".join(str(line) for line in source) if isinstance(source, list) else str(source)


def _text_of(path: Path, root: Path | None) -> bytes:
    """The bytes of a plain file, and so many at most that it shows when it is too large."""
    descriptor = os.open(path, _FILE) if root is None else _below(root, path.relative_to(root).parts)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ValueError("is not a plain file")
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(LARGEST_NOTEBOOK + 1)
    finally:
        os.close(descriptor)


def _below(root: Path, parts: tuple[str, ...]) -> int:
    """Open a file step by step from its root: a link in the place of any folder on the way is noticed as well."""
    place = os.open(root, _FOLDER)
    try:
        for name in parts[:-1]:
            inner = os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=place)
            os.close(place)
            place = inner
        return os.open(parts[-1], _FILE | os.O_NOFOLLOW, dir_fd=place)
    finally:
        os.close(place)

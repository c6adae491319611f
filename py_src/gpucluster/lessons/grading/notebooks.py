"""Reading a notebook that another user may change at any time: no link below the class's folder is followed."""

import json
from pathlib import Path
from typing import Any

from ...operating_system.files import NotPlain, read_plain_file

LARGEST_NOTEBOOK = 30 * 2**20


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
    return notebook_in(read_file(path, root))


def read_file(path: Path, root: Path | None = None) -> bytes:
    """Return what is in the file; see `read_notebook`."""
    try:
        return read_plain_file(path, LARGEST_NOTEBOOK, below=root)
    except NotPlain as error:
        raise ValueError(str(error)) from None
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror}") from None


def notebook_in(text: bytes) -> dict[str, Any]:
    """Return the notebook that a file has.

    Raises
    ------
    ValueError
        When it has none, in words that follow "it".
    """
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

"""From what stands after ``%gpucluster`` to words."""

from __future__ import annotations

import re
import shlex

from ..protocol.errors import InvalidRequest

_COMMENT = re.compile(r"(^|\s)#.*")


def split_line(line: str, cell: str | None = None) -> list[str]:
    """Split a line, and the lines of the cell below it, into words as a shell does. Nothing is evaluated.

    Raises
    ------
    InvalidRequest
        When a quotation mark is not closed.
    """
    words: list[str] = []
    for part in [line, *(cell or "").splitlines()]:
        try:
            words += shlex.split(_COMMENT.sub("", part))
        except ValueError:
            raise InvalidRequest("A quotation mark is not closed.") from None
    return words

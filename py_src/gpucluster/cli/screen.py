"""A page of a terminal that is drawn again and again."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from types import TracebackType
from typing import Self, TextIO

# What every terminal of the last thirty years knows.
_OPEN = "\x1b[?1049h\x1b[?25l\x1b[?7l"
"""A page of its own, no cursor, and what is too long is cut off and not wrapped."""
_CLOSE = "\x1b[?7h\x1b[?25h\x1b[?1049l"
_PAGE_LINES = 60
_TOP = "\x1b[H"
_REST_OF_LINE = "\x1b[K"
_REST_OF_PAGE = "\x1b[J"


class Screen:
    """Shows lines in place of those shown before. When the block is left, the last ones are printed.

    Nothing is drawn meanwhile where the stream is no terminal, or one that cannot do so.

    Parameters
    ----------
    stream : text stream, optional
        Default: standard output.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream or sys.stdout
        self.live = self.stream.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self._last: Sequence[str] = ()

    @property
    def height(self) -> int:
        """How many lines can be seen; windows change their size. Where nothing is drawn, enough for a page."""
        return shutil.get_terminal_size().lines if self.live else _PAGE_LINES

    def draw(self, lines: Sequence[str]) -> None:
        """Show these lines, as far as they fit."""
        self._last = lines
        if not self.live:
            return
        page = "\r\n".join(f"{line}{_REST_OF_LINE}" for line in lines[: self.height])
        self.stream.write(f"{_TOP}{page}{_REST_OF_PAGE}")
        self.stream.flush()

    def __enter__(self) -> Self:
        if self.live:
            self.stream.write(_OPEN)
            self.stream.flush()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.live:
            self.stream.write(_CLOSE)
        for line in self._last:
            self.stream.write(f"{line}\n")
        self.stream.flush()

"""A terminal page that is redrawn."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from types import FrameType
from typing import Any, Self, TextIO

# Escape sequences of all common terminals.
_OPEN = "\x1b[?1049h\x1b[?25l\x1b[?7l"  # Alternate screen, no cursor, no line wrap.
_CLOSE = "\x1b[?7h\x1b[?25h\x1b[?1049l"
_TOP = "\x1b[H"
_REST_OF_LINE = "\x1b[K"
_REST_OF_PAGE = "\x1b[J"
_PAGE_LINES = 60


class Screen:
    """Shows lines in place of the previous ones. On leaving the block, the last ones are printed.

    Without a suitable terminal, nothing is drawn before. Ctrl-Z restores the terminal until the program continues.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream or sys.stdout
        self.live = self.stream.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self._last: Sequence[str] = ()
        self._before: Any = None

    @property
    def height(self) -> int:
        """Number of visible lines now; without a terminal, enough for a page."""
        if self.live:
            with suppress(OSError):
                return os.get_terminal_size(self.stream.fileno()).lines or _PAGE_LINES
        return _PAGE_LINES

    def draw(self, lines: Sequence[str]) -> None:
        """Show these lines, cut to the page."""
        self._last = lines
        if self.live:
            self.stream.write(self._page())
            self.stream.flush()

    def __enter__(self) -> Self:
        if self.live:
            self.stream.write(_OPEN)
            self.stream.flush()
            if threading.current_thread() is threading.main_thread():
                self._before = signal.signal(signal.SIGTSTP, self._pause)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGTSTP, self._before)
        if self.live:
            self.stream.write(_CLOSE)
        for line in self._last:
            self.stream.write(f"{line}\n")
        self.stream.flush()

    def _page(self) -> str:
        page = "\r\n".join(f"{line}{_REST_OF_LINE}" for line in self._last[: self.height])
        return f"{_TOP}{page}{_REST_OF_PAGE}"

    def _pause(self, number: int, _frame: FrameType | None) -> None:
        self._write_now(_CLOSE)
        signal.signal(number, signal.SIG_DFL)
        # To this thread, so that it stops and continues here. An orphaned process group does not stop.
        signal.pthread_kill(threading.get_ident(), number)
        signal.signal(number, self._pause)
        self._write_now(_OPEN + self._page())

    def _write_now(self, text: str) -> None:
        # The signal may have interrupted a write, and the stream would refuse another one.
        with suppress(OSError):
            os.write(self.stream.fileno(), text.encode(self.stream.encoding, "replace"))

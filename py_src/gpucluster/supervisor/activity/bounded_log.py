"""The log of a cluster keeps its beginning and its end, however much tasks print.

Supervisor and workers append to one file, each by a descriptor of its own, so that the last words of one that crashes
are in it. So the file is not replaced but shortened in its place; what is appended during that moment is left out, too.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from pathlib import Path

from ...protocol.sizes import format_size

MOST_BYTES = 16 * 2**20
FIRST_BYTES = 2**20
LAST_BYTES = 7 * 2**20
SOON_SECONDS = 0.1


class BoundedLog:
    """Shortens one log, whenever it has grown too long.

    `most`, `first`, `last`: bytes that the file may have before it is shortened, and about how many of its beginning
    and of its end it has afterwards.
    """

    def __init__(self, path: Path, *, most: int = MOST_BYTES, first: int = FIRST_BYTES, last: int = LAST_BYTES) -> None:
        self._path = path
        self._most, self._first, self._last = most, first, last
        self._cut: int | None = None  # Where the line is that tells what was left out, once something was.
        self._left_out = 0
        self._told_bytes = 0

    def look(self) -> None:
        """Shorten it if need be, and look again soon then: whoever prints that much may go on. Raises `OSError`."""
        if self.shorten():
            asyncio.get_running_loop().call_later(SOON_SECONDS, self._look_again)

    def _look_again(self) -> None:
        with suppress(OSError):  # The next look tells.
            self.look()

    def shorten(self) -> bool:
        """Leave out the middle, if the file is too long; returns whether it was. Raises `OSError`."""
        if self._path.stat().st_size <= self._most:
            return False
        with self._path.open("r+b", buffering=0) as log:
            descriptor = log.fileno()
            if self._cut is None:
                head = os.pread(descriptor, self._first, 0)
                self._cut = head.rfind(b"\n", len(head) * 7 // 8) + 1 or len(head)
            size = os.fstat(descriptor).st_size
            kept = os.pread(descriptor, self._last, size - self._last)
            kept = kept[kept.find(b"\n", 0, len(kept) // 8) + 1 :]
            self._left_out += size - len(kept) - self._cut - self._told_bytes
            told = (
                f"\n--- {format_size(self._left_out)} are left out here: a log keeps its first "
                f"{format_size(self._first)} and its last {format_size(self._last)} ---\n"
            ).encode()
            # Its length is cut last: whoever reads meanwhile, or after a crash here, finds too much, never too little.
            _write_at(descriptor, told + kept, self._cut)
            os.ftruncate(descriptor, self._cut + len(told) + len(kept))
            self._told_bytes = len(told)
        return True


def _write_at(descriptor: int, data: bytes, offset: int) -> None:
    left = memoryview(data)
    while left:
        written = os.pwrite(descriptor, left, offset)
        left, offset = left[written:], offset + written

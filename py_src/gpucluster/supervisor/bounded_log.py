"""The log of a cluster keeps its beginning and its end, however much tasks print.

Supervisor and workers append to one file, each by its own descriptor, so that the last lines of one that crashes are
in it. So the file is shortened in place instead of being replaced; lines appended at that moment are lost.
"""

import asyncio
import os
from contextlib import suppress
from pathlib import Path

from ..protocol.sizes import format_size

MOST_BYTES = 16 * 2**20
FIRST_BYTES = 2**20
LAST_BYTES = 7 * 2**20
SOON_SECONDS = 0.1


class BoundedLog:
    """Shortens a log of more than `most` bytes to about its `first` and `last` ones."""

    def __init__(self, path: Path, *, most: int = MOST_BYTES, first: int = FIRST_BYTES, last: int = LAST_BYTES) -> None:
        self._path = path
        self._most, self._first, self._last = most, first, last
        self._cut: int | None = None  # Position of the note on what was left out.
        self._left_out = 0
        self._note_bytes = 0

    def look(self) -> None:
        """Shorten it if needed, and then look again soon: the output may continue. Raises `OSError`."""
        if self.shorten():
            asyncio.get_running_loop().call_later(SOON_SECONDS, self._look_again)

    def _look_again(self) -> None:
        with suppress(OSError):  # The next regular look reports it.
            self.look()

    def shorten(self) -> bool:
        """Leave out the middle of a file that is too long; returns whether it was. Raises `OSError`."""
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
            self._left_out += size - len(kept) - self._cut - self._note_bytes
            note = (
                f"\n--- {format_size(self._left_out)} omitted: a log keeps its first {format_size(self._first)} and "
                f"its last {format_size(self._last)} ---\n"
            ).encode()
            # Truncated last: readers, and a crash here, may find too much, but never too little.
            _write_at(descriptor, note + kept, self._cut)
            os.ftruncate(descriptor, self._cut + len(note) + len(kept))
            self._note_bytes = len(note)
        return True


def _write_at(descriptor: int, data: bytes, offset: int) -> None:
    left = memoryview(data)
    while left:
        written = os.pwrite(descriptor, left, offset)
        left, offset = left[written:], offset + written

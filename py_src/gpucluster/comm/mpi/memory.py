"""Memory for large blocks that come: used again, because fresh pages take as long to get as to be filled.

A block belongs to whoever deserialized it. When that is forgotten, its memory comes back here, from whichever thread
has forgotten it, and goes to the next block of about its size, or back to the system after a while.
"""

from __future__ import annotations

import mmap
import threading
import time
import weakref
from contextlib import suppress
from typing import Any

import numpy as np

LEAST_BYTES = 2**20
"""Smaller ones are left to NumPy."""
KEPT_BYTES = 2**27
"""So much is kept at most that nobody uses."""
KEPT_SECONDS = 20.0


class Memory:
    """That of one rank."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._free: list[tuple[float, mmap.mmap]] = []
        """What nobody uses, and since when; the oldest first."""
        self.kept_bytes = 0

    def take(self, size: int) -> Any:
        """Return memory of so many bytes, as an array; what is in it is nobody's."""
        if size < LEAST_BYTES:
            return np.empty(size, "u1")
        wanted = _rounded(size)
        with self._lock:
            place = next((place for place, (_, one) in enumerate(self._free) if len(one) == wanted), None)
            found = self._free.pop(place)[1] if place is not None else None
            self.kept_bytes -= len(found) if found is not None else 0
        block = found if found is not None else _fresh(wanted)
        # Arrays made of this one refer to it, and not to what it is made of, as that is no array.
        lent = np.frombuffer(block, "u1", size)
        weakref.finalize(lent, self._give_back, block).atexit = False
        return lent

    def _give_back(self, block: mmap.mmap) -> None:
        with self._lock:
            self._free.append((time.monotonic(), block))
            self.kept_bytes += len(block)
            while self.kept_bytes > KEPT_BYTES:
                self._drop()

    def forget_old(self) -> None:
        """Give back to the system what nobody has used for some time."""
        if not self._free:
            return
        with self._lock:
            while self._free and self._free[0][0] < time.monotonic() - KEPT_SECONDS:
                self._drop()

    def _drop(self) -> None:
        _, block = self._free.pop(0)
        self.kept_bytes -= len(block)


def _rounded(size: int) -> int:
    """Return the next of eight sizes between a power of two and the next, so that similar blocks use the same."""
    step = 1 << max(12, size.bit_length() - 4)
    return -(-size // step) * step


def _fresh(size: int) -> mmap.mmap:
    block = mmap.mmap(-1, size)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):  # A kernel may have none.
            block.madvise(mmap.MADV_HUGEPAGE)
    return block

"""Memory for large blocks that come: used again, because fresh pages take as long to get as to be filled.

A block belongs to whoever deserialized it. When that is forgotten, its memory comes back here, from whichever thread
has forgotten it, and goes to the next block of about its size, or back to the system after a while.
"""

from __future__ import annotations

import mmap
import time
import weakref
from collections import deque
from contextlib import suppress
from typing import Any

import numpy as np

from .wire import LINE_BYTES

LEAST_BYTES = 2**20  # Smaller ones are left to NumPy.
KEPT_BYTES = 2**27  # So much is kept at most that nobody uses; no block that is larger.
KEPT_SECONDS = 20.0


class Memory:
    """That of one rank; asked by one thread only, that of its event loop."""

    def __init__(self) -> None:
        self._returned: deque[tuple[float, mmap.mmap]] = deque()
        """What was forgotten just now. Forgetting may happen in the middle of anything here: it takes no lock."""
        self._free: list[tuple[float, mmap.mmap]] = []  # What nobody uses, and since when; the oldest first.

    @property
    def kept_bytes(self) -> int:
        """How much is kept that nobody uses."""
        return sum(len(block) for _, block in (*self._free, *self._returned))

    def take(self, size: int, begin: int = 0) -> Any:
        """Return memory of so many bytes, as an empty array beginning at this address modulo ``LINE_BYTES``."""
        if size < LEAST_BYTES:
            own = np.empty(size + LINE_BYTES, "u1")
            first = (begin - own.__array_interface__["data"][0]) % LINE_BYTES
            return own[first : first + size]
        wanted = _rounded(size) + mmap.PAGESIZE
        self._sort_in()
        place = next((place for place, (_, one) in enumerate(self._free) if len(one) == wanted), None)
        block = self._free.pop(place)[1] if place is not None else _fresh(wanted)
        # Arrays made of this one refer to it, and not to what it is made of, as that is no array.
        lent = np.frombuffer(block, "u1", size, begin)
        weakref.finalize(lent, _give_back, self._returned, block).atexit = False
        return lent

    def forget_old(self) -> None:
        """Give back to the system what nobody has used for some time, and what is too much."""
        if self._free or self._returned:
            self._sort_in()

    def _sort_in(self) -> None:
        while self._returned:
            one = self._returned.popleft()
            if len(one[1]) <= KEPT_BYTES:  # A larger one would drive out all others.
                self._free.append(one)
        kept, oldest = sum(len(block) for _, block in self._free), time.monotonic() - KEPT_SECONDS
        while self._free and (kept > KEPT_BYTES or self._free[0][0] < oldest):
            kept -= len(self._free.pop(0)[1])


def _give_back(returned: deque[tuple[float, mmap.mmap]], block: mmap.mmap) -> None:
    returned.append((time.monotonic(), block))


def _rounded(size: int) -> int:
    """Return the next of eight sizes between a power of two and the next, so that similar blocks use the same."""
    step = 1 << max(12, size.bit_length() - 4)
    return -(-size // step) * step


def _fresh(size: int) -> mmap.mmap:
    # Memory that processes share, which is what Python maps unless told otherwise, gets no large pages.
    block = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):  # A kernel may have none.
            block.madvise(mmap.MADV_HUGEPAGE)
    return block

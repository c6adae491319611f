"""Memory for large received blocks: reused, because getting fresh pages takes as long as filling them.

A block belongs to the object that was deserialized from it. When that is deleted, in any thread, its memory comes back
here and is used for the next block of about its size, or freed after a while.
"""

import mmap
import time
import weakref
from collections import deque
from contextlib import suppress
from typing import Any

import numpy as np

from .wire import LINE_BYTES

LEAST_BYTES = 2**20  # Smaller ones are left to NumPy.
KEPT_BYTES = 2**27  # Limit of unused memory; no larger block is kept.
KEPT_SECONDS = 20.0


class Memory:
    """The memory of one rank, for the thread of its event loop only."""

    def __init__(self) -> None:
        self._returned: deque[tuple[float, mmap.mmap]] = deque()
        """Blocks freed just now. That may happen in the middle of anything here, so there is no lock."""
        self._free: list[tuple[float, mmap.mmap]] = []  # Unused blocks, and since when; the oldest first.

    @property
    def kept_bytes(self) -> int:
        return sum(len(block) for _, block in (*self._free, *self._returned))

    def take(self, size: int, begin: int = 0) -> Any:
        """Return an uninitialized array of `size` bytes whose address is `begin` modulo ``LINE_BYTES``."""
        if size < LEAST_BYTES:
            own = np.empty(size + LINE_BYTES, "u1")
            first = (begin - own.__array_interface__["data"][0]) % LINE_BYTES
            return own[first : first + size]
        wanted = _rounded(size) + mmap.PAGESIZE
        self._sort_in()
        place = next((place for place, (_, one) in enumerate(self._free) if len(one) == wanted), None)
        block = self._free.pop(place)[1] if place is not None else _fresh(wanted)
        # Views of this array refer to it, and not to the block, which is not an array.
        lent = np.frombuffer(block, "u1", size, begin)
        weakref.finalize(lent, _give_back, self._returned, block).atexit = False
        return lent

    def forget_old(self) -> None:
        """Free blocks that were unused for some time, or exceed the limit."""
        if self._free or self._returned:
            self._sort_in()

    def _sort_in(self) -> None:
        while self._returned:
            one = self._returned.popleft()
            if len(one[1]) <= KEPT_BYTES:  # A larger one would displace all others.
                self._free.append(one)
        kept, oldest = sum(len(block) for _, block in self._free), time.monotonic() - KEPT_SECONDS
        while self._free and (kept > KEPT_BYTES or self._free[0][0] < oldest):
            kept -= len(self._free.pop(0)[1])


def _give_back(returned: deque[tuple[float, mmap.mmap]], block: mmap.mmap) -> None:
    returned.append((time.monotonic(), block))


def _rounded(size: int) -> int:
    """Round up to one of eight sizes between two powers of two, so that blocks of similar size share memory."""
    step = 1 << max(12, size.bit_length() - 4)
    return -(-size // step) * step


def _fresh(size: int) -> mmap.mmap:
    # Shared memory, Python's default, gets no huge pages.
    block = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):  # A kernel may have none.
            block.madvise(mmap.MADV_HUGEPAGE)
    return block

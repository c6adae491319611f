"""Rows that lie in memory: all of them in this process, or one rank's part of them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from ..arrays import Array
from ..communicators.communicator import Communicator, Message, Operator, combine_all, in_host_memory
from .block import Block, Partial, Rows

_lock = threading.Lock()
_inside = 0
_limit: Any = None


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let BLAS use one thread only, because the caller's own threads keep all cores busy.

    Holds for the whole process, until the last of those who asked for it has left.
    """
    global _inside, _limit
    with _lock:
        _inside += 1
        if _inside == 1:
            _limit = _controller().limit(limits=1, user_api="blas")
            _limit.__enter__()
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                _limit.__exit__(None, None, None)
                _limit = None


def available_threads() -> int:
    """Return how many threads this process may use: cores, or fewer where ``OMP_NUM_THREADS`` says so."""
    from sklearn.utils._openmp_helpers import _openmp_effective_n_threads

    return int(_openmp_effective_n_threads())


@cache
def _controller() -> Any:
    """Return what knows the BLAS libraries; looking for them takes milliseconds, so it is done once."""
    import scipy.linalg.cython_blas  # noqa: F401  (loads SciPy's BLAS, which scikit-learn's kernels use)
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


PIECES_PER_THREAD = 4  # Blocks are cut for threads into so many pieces, so that none waits long for the last.
SMALLEST_PIECE = 4096  # Fewer rows are not worth a thread of their own.
JOINED_BYTES = 32 << 20  # So much of a rank's rows may be joined, which takes their memory and a pass once more.


class Shard(Rows):
    """The blocks of one rank, in the order of the rows; perhaps none.

    ``n_threads`` work on the rows: for totals, blocks are cut further, and BLAS then has one thread per thread.
    ``counted``: all ranks know where their blocks begin, and know this of each other.
    """

    def __init__(
        self, communicator: Communicator, blocks: Sequence[Block], *, n_threads: int = 1, counted: bool = False
    ) -> None:
        self.communicator = communicator
        self.blocks = list(blocks)
        self.n_threads = n_threads
        # Several threads would wait for each other: looking at a few rows is many short operations of Python.
        self.stay = n_threads == 1
        self._counted = counted
        self._pool = ThreadPoolExecutor(n_threads) if n_threads > 1 else None
        self._pieces = [piece for block in self.blocks for piece in _cut(block, self._piece_rows())]

    def total(self, partial: Partial, *arguments: Any, op: Operator = "sum") -> Message:
        """Combine this rank's blocks, then all ranks' results with one allreduce."""
        mine = in_host_memory(combine_all(op, *self._mapped(lambda block: partial(block, *arguments), self._pieces)))
        return self.communicator.allreduce(mine, op)

    def map_blocks(self, partial: Partial, *arguments: Any) -> list[Message]:
        """Collect with one allgather."""
        messages = self._mapped(lambda block: partial(block, *arguments), self.blocks)
        mine = list(zip([block.number for block in self.blocks], messages, strict=True))
        gathered = [item for part in self.communicator.allgather(mine) for item in part]
        return [message for _, message in sorted(gathered, key=lambda item: item[0])]

    def with_starts(self) -> Shard:
        """Count rows with one allgather, if nobody has yet; all ranks know, or none does."""
        if self._counted:
            return self
        lengths = self.communicator.allgather(
            [(block.number, len(block)) for block in self.blocks if block.start is None]
        )
        starts: dict[int, int] = {}
        start = 0
        for number, length in sorted(item for part in lengths for item in part):
            starts[number] = start
            start += length
        if not starts:
            return self
        blocks = [replace(block, start=starts[block.number]) for block in self.blocks]
        return Shard(self.communicator, blocks, n_threads=self.n_threads, counted=True)

    def in_larger_blocks(self, n_rows: int) -> Shard:
        """Join blocks of this rank that have no y and no weights, where that makes a block of so many rows."""
        joined = _joinable(self.blocks, n_rows) if self.stay else []
        if len(joined) < 2 or sum(map(len, joined)) < n_rows:
            return self
        numbers = {block.number for block in joined}
        others = [block for block in self.blocks if block.number not in numbers]
        larger = Block(joined[0].number, None, np.concatenate([block.X for block in joined]))
        return Shard(self.communicator, [larger, *others], counted=self._counted)

    def broadcast(self, value: Message) -> Message:
        """Broadcast rank 0's."""
        return self.communicator.broadcast(value)

    def _mapped(self, function: Callable[[Block], Message], blocks: list[Block]) -> list[Message]:
        if self._pool is None or len(blocks) == 1:
            return [function(block) for block in blocks]
        # In the order of the blocks whoever is done first, so that sums do not depend on chance.
        with one_blas_thread():
            return list(self._pool.map(lambda block: in_host_memory(function(block)), blocks))

    def _piece_rows(self) -> int | None:
        if self.n_threads == 1:
            return None
        return max(SMALLEST_PIECE, -(-sum(map(len, self.blocks)) // (PIECES_PER_THREAD * self.n_threads)))


def block_of_rank(communicator: Communicator, X: Array, y: Array | None = None, weights: Array | None = None) -> Block:
    """Return one rank's own rows as a block; rank by rank, they are all rows."""
    lengths = communicator.allgather(int(X.shape[0]))
    return Block(communicator.rank, sum(lengths[: communicator.rank]), X, y, weights)


def _joinable(blocks: Sequence[Block], n_rows: int) -> list[Block]:
    """Return the first blocks of fewer rows than that, alike, as many as may be joined."""
    found: list[Block] = []
    n_bytes = 0
    for block in blocks:
        alike = not found or (found[0].X.dtype, found[0].X.shape[1:]) == (block.X.dtype, block.X.shape[1:])
        if _is_small(block, n_rows) and alike and n_bytes + block.X.nbytes <= JOINED_BYTES:
            found.append(block)
            n_bytes += block.X.nbytes
    return found


def _is_small(block: Block, n_rows: int) -> bool:
    plain = isinstance(block.X, np.ndarray) and block.y is None and block.weights is None
    return plain and len(block) < n_rows


def _cut(block: Block, n_rows: int | None) -> list[Block]:
    """Return a block in pieces of about so many rows; sparse matrices and others that are slow to cut stay whole."""
    if n_rows is None or len(block) <= n_rows or not hasattr(block.X, "__array__"):
        return [block]
    n_pieces = -(-len(block) // n_rows)
    ends = [len(block) * number // n_pieces for number in range(n_pieces + 1)]
    return [
        Block(
            block.number,
            None if block.start is None else block.start + first,
            block.X[first:last],
            *(None if part is None else part[first:last] for part in (block.y, block.weights)),
        )
        for first, last in pairwise(ends)
    ]

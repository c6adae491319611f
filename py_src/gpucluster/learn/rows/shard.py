"""Rows in memory: all of them in this process, or one rank's part."""

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
    """Limit BLAS to one thread, because the caller's threads keep all cores busy.

    Holds for the whole process, until the last of the nested or concurrent contexts ends.
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
    """Return the number of threads that this process may use: cores, or ``OMP_NUM_THREADS``."""
    from sklearn.utils._openmp_helpers import _openmp_effective_n_threads

    return int(_openmp_effective_n_threads())


@cache
def _controller() -> Any:
    """Return the controller of the BLAS libraries; cached, because finding them takes milliseconds."""
    import scipy.linalg.cython_blas  # noqa: F401  (loads SciPy's BLAS, which scikit-learn's kernels use)
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


PIECES_PER_THREAD = 4  # Pieces of blocks, so that no thread waits long for the last one.
SMALLEST_PIECE = 4096  # Rows; fewer do not pay for a thread.
JOINED_BYTES = 32 << 20  # Most bytes of a rank's rows to join, which takes a copy and a pass.


class Shard(Rows):
    """The blocks of one rank, in the order of the rows; possibly none.

    With several threads, blocks are divided further for totals, and BLAS has one thread in each of them. ``counted``:
    the blocks of all ranks have known starts.
    """

    def __init__(
        self, communicator: Communicator, blocks: Sequence[Block], *, n_threads: int = 1, counted: bool = False
    ) -> None:
        self.communicator = communicator
        self.blocks = list(blocks)
        self.n_threads = n_threads
        # With several threads, the many short Python operations of k-means' bounds would wait for each other.
        self.stay = n_threads == 1
        self._counted = counted
        self._pool = ThreadPoolExecutor(n_threads) if n_threads > 1 else None
        self._pieces = [piece for block in self.blocks for piece in _cut(block, self._piece_rows())]

    def total(self, partial: Partial, *arguments: Any, op: Operator = "sum") -> Message:
        """Combine this rank's blocks, then all ranks' results with one allreduce."""
        mine = in_host_memory(combine_all(op, *self._mapped(lambda block: partial(block, *arguments), self._pieces)))
        return self.communicator.allreduce(mine, op)

    def map_blocks(self, partial: Partial, *arguments: Any) -> list[Message]:
        messages = self._mapped(lambda block: partial(block, *arguments), self.blocks)
        mine = list(zip([block.number for block in self.blocks], messages, strict=True))
        gathered = [item for part in self.communicator.allgather(mine) for item in part]
        return [message for _, message in sorted(gathered, key=lambda item: item[0])]

    def with_starts(self) -> Shard:
        """Count rows with one allgather, if necessary; either all ranks know the starts, or none does."""
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
        """Join blocks of this rank without y and weights, if that makes a block of at least ``n_rows`` rows."""
        joined = _joinable(self.blocks, n_rows) if self.stay else []
        if len(joined) < 2 or sum(map(len, joined)) < n_rows:
            return self
        numbers = {block.number for block in joined}
        others = [block for block in self.blocks if block.number not in numbers]
        larger = Block(joined[0].number, None, np.concatenate([block.X for block in joined]))
        return Shard(self.communicator, [larger, *others], counted=self._counted)

    def broadcast(self, value: Message) -> Message:
        return self.communicator.broadcast(value)

    def _mapped(self, function: Callable[[Block], Message], blocks: list[Block]) -> list[Message]:
        if self._pool is None or len(blocks) == 1:
            return [function(block) for block in blocks]
        # In the order of the blocks, so that sums do not depend on chance.
        with one_blas_thread():
            return list(self._pool.map(lambda block: in_host_memory(function(block)), blocks))

    def _piece_rows(self) -> int | None:
        if self.n_threads == 1:
            return None
        return max(SMALLEST_PIECE, -(-sum(map(len, self.blocks)) // (PIECES_PER_THREAD * self.n_threads)))


def block_of_rank(communicator: Communicator, X: Array, y: Array | None = None, weights: Array | None = None) -> Block:
    """Return the rows of this rank as a block; all ranks together have all rows."""
    lengths = communicator.allgather(int(X.shape[0]))
    return Block(communicator.rank, sum(lengths[: communicator.rank]), X, y, weights)


def _joinable(blocks: Sequence[Block], n_rows: int) -> list[Block]:
    """Return the first blocks with fewer than ``n_rows`` rows of the same type, up to `JOINED_BYTES`."""
    found: list[Block] = []
    n_bytes = 0
    for block in blocks:
        small = isinstance(block.X, np.ndarray) and block.y is None and block.weights is None and len(block) < n_rows
        alike = not found or (found[0].X.dtype, found[0].X.shape[1:]) == (block.X.dtype, block.X.shape[1:])
        if small and alike and n_bytes + block.X.nbytes <= JOINED_BYTES:
            found.append(block)
            n_bytes += block.X.nbytes
    return found


def _cut(block: Block, n_rows: int | None) -> list[Block]:
    """Divide a block into pieces of about ``n_rows`` rows, unless slicing is slow, as for sparse matrices."""
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

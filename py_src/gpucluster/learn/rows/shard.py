"""Rows that lie in memory: all of them in this process, or one rank's part of them."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ..communicators.communicator import Communicator
from ..communicators.operators import Message, Operator, combine
from .block import Block, Partial, Rows


class Shard(Rows):
    """The blocks of one rank.

    Parameters
    ----------
    communicator : Communicator
        Connects the ranks, which all run the same algorithm.
    blocks : sequence of Block
        Those of this rank, in the order of the rows; may be empty.
    n_threads : int
        So many blocks are worked on at the same time.
    """

    def __init__(self, communicator: Communicator, blocks: Sequence[Block], *, n_threads: int = 1) -> None:
        self.communicator = communicator
        self.blocks = list(blocks)
        self.n_threads = n_threads

    def total(self, partial: Partial, *arguments: Any, op: Operator = "sum") -> Message:
        """Combine this rank's blocks, then all ranks' results with one allreduce."""
        mine: Message = None
        for message in self._mapped(partial, arguments):
            mine = combine(op, mine, message)
        return self.communicator.allreduce(mine, op)

    def each(self, partial: Partial, *arguments: Any) -> list[Message]:
        """Collect with one allgather."""
        messages = self._mapped(partial, arguments)
        mine = list(zip([block.number for block in self.blocks], messages, strict=True))
        gathered = [item for part in self.communicator.allgather(mine) for item in part]
        return [message for _, message in sorted(gathered, key=lambda item: item[0])]

    def _mapped(self, partial: Partial, arguments: tuple[Any, ...]) -> list[Message]:
        if self.n_threads == 1 or len(self.blocks) == 1:
            return [partial(block, *arguments) for block in self.blocks]
        # In the order of the blocks whoever is done first, so that sums do not depend on chance.
        with ThreadPoolExecutor(self.n_threads) as pool:
            return list(pool.map(lambda block: partial(block, *arguments), self.blocks))


def numbered(communicator: Communicator, X: Any, y: Any = None, weights: Any = None) -> Block:
    """Return one rank's own rows as a block; rank by rank, they are all rows."""
    lengths = communicator.allgather(int(X.shape[0]))
    return Block(communicator.rank, sum(lengths[: communicator.rank]), X, y, weights)

"""A block of consecutive rows, and the interface of all rows for algorithms."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..arrays import Array
from ..communicators.communicator import Message, Operator
from ..errors import InvalidData

Partial = Callable[..., Message]
"""Called as ``partial(block, *arguments)``; the results of two blocks are combined to that of both."""


def unlike_blocks(one: int, other: int) -> InvalidData:
    """Return the error for collections whose blocks have different numbers of rows."""
    return InvalidData(
        f"The chunks do not match: a block of {one:,} rows is next to one of {other:,}. Take both from one data "
        "frame, or make them arrays with known chunks (compute_chunk_sizes, to_dask_array(lengths=True))."
    )


@dataclass(frozen=True)
class Block:
    """Consecutive rows, all in one memory."""

    number: int  # Position among all blocks.
    start: int | None  # Number of the first row among all rows; ``None`` where not counted.
    X: Array  # Array of shape (n_rows, n_features), of NumPy or CuPy.
    y: Array | None = None  # Array of shape (n_rows,) or (n_rows, n_targets), or ``None``.
    weights: Array | None = None  # Array of shape (n_rows,), or ``None`` where all rows weigh 1.

    def __post_init__(self) -> None:
        for part in (self.y, self.weights):
            if part is not None and part.shape[0] != len(self):
                raise unlike_blocks(len(self), part.shape[0])

    def __len__(self) -> int:
        return int(self.X.shape[0])


class Rows(ABC):
    """The data of an algorithm, with the same interface in one process and on a cluster.

    An algorithm is a plain function ``algorithm(rows, **parameters)``. It never sees the number and places of the
    blocks, but computes totals over all rows.

    `stay`: whether all totals see the same blocks, in one thread, so that an algorithm may keep state of a block.
    """

    stay: bool = False

    @abstractmethod
    def total(self, partial: Partial, *arguments: Any, op: Operator = "sum") -> Message:
        """Apply a function to every block, and combine the results.

        * `partial`: called as ``partial(block, *arguments)``; returns a message, for example sums over the block's
          rows.
        * `*arguments`: the same for all blocks, such as the current model; small.
        * `op`: combines the messages of two blocks; associative. The left message is that of the earlier rows.

        Returns the same on all ranks; ``None`` without blocks.
        """

    @abstractmethod
    def map_blocks(self, partial: Partial, *arguments: Any) -> list[Message]:
        """Return the results of all blocks in the order of the rows; for small results only."""

    @abstractmethod
    def with_starts(self) -> Rows:
        """Return the same rows with blocks that know the number of their first row."""

    def in_larger_blocks(self, n_rows: int) -> Rows:
        """Return the same rows with small blocks joined, for algorithms that are faster from ``n_rows`` rows on.

        Only where that costs little: not where blocks are large, remote, or recomputed for each total. Joined blocks
        need not be neighbours, so they do not know the number of their first row.
        """
        return self

    @abstractmethod
    def broadcast(self, value: Message) -> Message:
        """Return rank 0's value on all ranks; for values that may differ between ranks, such as a random seed."""

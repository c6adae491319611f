"""One piece of consecutive rows, and what algorithms may ask of all of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..arrays import Array
from ..communicators.communicator import Message, Operator
from ..errors import InvalidData

Partial = Callable[..., Message]
"""Called as ``partial(block, *arguments)``; what it returns for two blocks is combined to what it is of both."""


def unlike_blocks(one: int, other: int) -> InvalidData:
    """Return the error for collections whose blocks have different numbers of rows."""
    return InvalidData(
        f"The data are cut differently: a block of {one:,} rows is beside one of {other:,}. Take both from one data "
        "frame, or make them arrays with known chunks (compute_chunk_sizes, to_dask_array(lengths=True))."
    )


@dataclass(frozen=True)
class Block:
    """Consecutive rows, all in one memory."""

    number: int  # Position among all blocks.
    start: int | None  # Number of the first row among all rows; ``None`` where nobody has counted them.
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
    """What an algorithm sees of its data, the same whether there is one process or a cluster.

    An algorithm is a plain function ``algorithm(rows, **parameters)``. It never sees where the blocks are, how many
    there are, or who computes: it asks for totals over all rows.

    `stay`: whether all totals see the same blocks, in one thread: what is known of a block may be kept for the next
    one.
    """

    stay: bool = False

    @abstractmethod
    def total(self, partial: Partial, *arguments: Any, op: Operator = "sum") -> Message:
        """Apply a function to every block, and combine what it returns.

        * `partial`: called as ``partial(block, *arguments)``; returns a message, for example sums over the block's
          rows.
        * `*arguments`: the same for all blocks: the model so far. Small.
        * `op`: how the messages of two blocks become one; associative. Rows' order is kept: the left one comes first.

        Returns the same on all ranks. ``None`` where there is no block at all.
        """

    @abstractmethod
    def map_blocks(self, partial: Partial, *arguments: Any) -> list[Message]:
        """Return what the function returns for each block, in the order of the rows; for small results only."""

    @abstractmethod
    def with_starts(self) -> Rows:
        """Return the same rows with blocks that know the number of their first row."""

    def in_larger_blocks(self, n_rows: int) -> Rows:
        """Return the same rows with small blocks joined, for algorithms that do more for a block of so many rows.

        Where that costs little: not where blocks are large, are elsewhere, or come anew for each total. Those that are
        joined need not be neighbours, so they do not know the number of their first row.
        """
        return self

    @abstractmethod
    def broadcast(self, value: Message) -> Message:
        """Return rank 0's value on all ranks; for what each would choose differently, such as a random seed."""

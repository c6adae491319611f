"""Which rows are near each other: what DBSCAN asks, whoever looks for them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array
from ..communicators.communicator import Communicator
from ..errors import InvalidData
from ..rows.shard import Shard
from .lloyd import BAD_DATA

Integers = NDArray[np.int64]
Pairs = tuple[Integers, Integers]
"""Rows that are neighbours of each other: two arrays of shape (n_pairs,)."""
KEPT_PAIRS = 1 << 22
"""So many pairs of neighbours a rank keeps (64 MiB); where there are more, they are looked for a second time."""


class Neighbourhoods(ABC):
    """Looks for all pairs of rows that are at most ``eps`` apart. All ranks must call the same methods."""

    @abstractmethod
    def weights(self) -> tuple[Integers, Array]:
        """Return numbers of rows, and the weight of the neighbours of each, itself included.

        Each row is one rank's.
        """

    @abstractmethod
    def pairs(self, core: NDArray[np.bool_]) -> Iterator[tuple[Integers, Pairs]]:
        """Yield numbers of rows, and pairs of neighbours by their places among these.

        Each pair with a core row is found on some rank, perhaps on several; others may be, too.
        """


@dataclass(frozen=True)
class RankRows:
    """What one rank has before anything is looked for, and what it knows of the others' blocks."""

    shard: Shard
    X: Array | None
    """All of its rows; ``None`` where it has none."""
    numbers: Integers
    """Of these rows among all."""
    weights: Array | None
    """``None`` where all rows weigh 1."""
    owners: dict[int, int]
    """The rank that has each block, by the block's number."""
    lengths: tuple[int, ...]
    """Number of rows of each block."""
    n_threads: tuple[int, ...]
    """Of each rank."""

    @classmethod
    def of(cls, shard: Shard) -> RankRows:
        """Return what a shard has, whose blocks know the number of their first row; all ranks must call this.

        Raises
        ------
        InvalidData
            X has missing values.
        """
        comm = shard.communicator
        filled = [block for block in shard.blocks if len(block)]
        bad = any(not np.isfinite(block.X).all() for block in filled)
        mine = [(block.number, len(block), comm.rank) for block in shard.blocks]
        gathered = comm.allgather((mine, shard.n_threads, bad))
        if any(bad for *_, bad in gathered):
            raise InvalidData(BAD_DATA)
        places = sorted(place for places, *_ in gathered for place in places)
        numbers = [np.arange(len(block)) + int(block.start or 0) for block in filled]
        weights = [np.asarray(block.weights) for block in filled if block.weights is not None]
        return cls(
            shard,
            np.concatenate([block.X for block in filled]) if filled else None,
            np.concatenate([np.empty(0, np.int64), *numbers]),
            np.concatenate(weights) if weights else None,
            {number: owner for number, _, owner in places},
            tuple(length for _, length, _ in places),
            tuple(n_threads for _, n_threads, _ in gathered),
        )

    @property
    def communicator(self) -> Communicator:
        """Connects the ranks."""
        return self.shard.communicator

    @property
    def n_rows(self) -> int:
        """Number of all ranks' rows."""
        return sum(self.lengths)

"""Neighbours for DBSCAN: the interface of a search, and the search by any metric that sends all blocks to all ranks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array
from ..communicators.communicator import Communicator
from ..errors import InvalidData
from ..rows.shard import Shard
from .lloyd import BAD_DATA

Integers = NDArray[np.int64]
Pairs = tuple[Integers, Integers]  # Rows that are neighbours of each other: two arrays of shape (n_pairs,).
KEPT_PAIRS = 1 << 22  # Pairs of neighbours that a rank keeps (64 MiB); more are searched a second time.


class Neighbourhoods(ABC):
    """Looks for all pairs of rows that are at most ``eps`` apart. All ranks must call the same methods."""

    @abstractmethod
    def weights(self) -> tuple[Integers, Array]:
        """Return row numbers, and the weight of each row's neighbours, itself included; each row is on one rank."""

    @abstractmethod
    def pairs(self, core: NDArray[np.bool_]) -> Iterator[tuple[Integers, Pairs]]:
        """Yield row numbers, and pairs of neighbours as positions among these.

        Each pair with a core row is found on at least one rank; other pairs may be found as well.
        """


@dataclass(frozen=True)
class RankRows:
    """The rows of one rank, and what it knows of the other ranks' blocks."""

    shard: Shard
    X: Array | None  # All of its rows; ``None`` where it has none.
    numbers: Integers  # Of these rows among all.
    weights: Array | None  # ``None`` where all rows weigh 1.
    owners: dict[int, int]  # The rank that has each block, by the block's number.
    lengths: tuple[int, ...]  # Number of rows of each block.
    n_threads: tuple[int, ...]  # Of each rank.

    @classmethod
    def of(cls, shard: Shard) -> RankRows:
        """Return the rows of a shard with counted rows, and refuse missing values; all ranks must call this."""
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
        return self.shard.communicator

    @property
    def n_rows(self) -> int:
        return sum(self.lengths)


PIECE = 4096  # Rows whose neighbours are searched at once.
GROUP_BYTES = 64 << 20  # Of blocks that share one search tree.


class BroadcastSearch(Neighbourhoods):
    """Searches the neighbours of this rank's rows among all rows, with search trees of some blocks at a time."""

    def __init__(self, own: RankRows, eps: float, search: dict[str, Any]) -> None:
        self._own = own
        self._comm = own.communicator
        self._options = {"radius": eps, "n_jobs": own.shard.n_threads, **search}
        self._kept: list[Pairs] | None = []

    def weights(self) -> tuple[Integers, Array]:
        """Send every block to every rank once."""
        numbers = self._own.numbers
        weights = np.zeros(len(numbers))
        found = 0
        for X, others, weight in self._groups(None):
            for rows, near in self._near(X):
                weights += np.bincount(rows, weights=None if weight is None else weight[near], minlength=len(weights))
                found += len(rows)
                if self._kept is not None and found <= KEPT_PAIRS:
                    self._kept.append((numbers[rows], others[near]))
                else:
                    self._kept = None
        if self._comm.allreduce(int(self._kept is None)):
            self._kept = None
        return numbers, weights

    def pairs(self, core: NDArray[np.bool_]) -> Iterator[tuple[Integers, Pairs]]:
        """Send every block's core rows to every rank once more where pairs were not kept."""
        every = np.arange(self._own.n_rows)
        if self._kept is not None:
            if self._kept:
                mine, theirs = zip(*self._kept, strict=True)
                yield every, (np.concatenate(mine), np.concatenate(theirs))
            return
        for X, numbers, _ in self._groups(core):
            for rows, near in self._near(X):
                yield every, (self._own.numbers[rows], numbers[near])

    def _groups(self, core: NDArray[np.bool_] | None) -> Iterator[tuple[Array, Integers, Array | None]]:
        """Yield the rows of some blocks of any rank, with numbers and weights; only core rows if ``core`` is given."""
        parts: list[tuple[Array, Integers, Array | None]] = []
        size = 0
        for X, numbers, weights in self._all_blocks(core):
            if parts and size + X.nbytes > GROUP_BYTES:
                yield _joined(parts)
                parts, size = [], 0
            parts.append((X, numbers, weights))
            size += X.nbytes
        if parts:
            yield _joined(parts)

    def _all_blocks(self, core: NDArray[np.bool_] | None) -> Iterator[tuple[Array, Integers, Array | None]]:
        mine = {block.number: block for block in self._own.shard.blocks}
        for number, owner in sorted(self._own.owners.items()):
            message = None
            if (block := mine.get(number)) is not None:
                start = int(block.start or 0)
                chosen = np.arange(len(block)) if core is None else np.flatnonzero(core[start : start + len(block)])
                weights = None if block.weights is None else np.asarray(block.weights)[chosen]
                message = np.asarray(block.X)[chosen], chosen + start, weights
            X, numbers, weights = self._comm.broadcast(message, owner)
            if len(X):
                yield X, numbers, weights

    def _near(self, X: Array) -> Iterator[Pairs]:
        """Yield pairs of neighbours: positions among the own rows, and among the given rows."""
        from sklearn.neighbors import NearestNeighbors

        if self._own.X is None:
            return
        tree = NearestNeighbors(**self._options).fit(X)
        for start in range(0, len(self._own.X), PIECE):
            self._comm.raise_if_cancelled()
            found = tree.radius_neighbors(self._own.X[start : start + PIECE], return_distance=False)
            lengths = [len(near) for near in found]
            yield start + np.repeat(np.arange(len(found)), lengths), np.concatenate(found)


def _joined(parts: list[tuple[Array, Integers, Array | None]]) -> tuple[Array, Integers, Array | None]:
    X, numbers, weights = zip(*parts, strict=True)
    return np.concatenate(X), np.concatenate(numbers), None if weights[0] is None else np.concatenate(weights)

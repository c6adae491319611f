"""Neighbours among all rows by any metric: every block goes to every rank."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array
from .neighbourhoods import KEPT_PAIRS, Integers, Neighbourhoods, Pairs, RankRows

PIECE = 4096
"""Neighbours of so many rows are looked for at once."""
GROUP_BYTES = 64 << 20
"""Blocks of so many bytes together share one search tree."""


class BroadcastSearch(Neighbourhoods):
    """This rank's rows, whose neighbours are looked for in search trees of all rows, some blocks at a time.

    Parameters
    ----------
    own : RankRows
    eps : float
    search : dict
        Options of ``sklearn.neighbors.NearestNeighbors``.
    """

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
        """Yield the rows of some blocks of any rank, their numbers and weights; only core rows if these are given."""
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

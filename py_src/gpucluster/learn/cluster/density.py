"""DBSCAN on ranks that each have a part of the rows.

Source: M. Ester, H.-P. Kriegel, J. Sander and X. Xu, "A Density-Based Algorithm for Discovering Clusters in Large
Spatial Databases with Noise", KDD 1996. Parallel form with disjoint sets: M. Patwary et al., "A New Scalable Parallel
DBSCAN Algorithm Using the Disjoint-Set Data Structure", SC 2012: each rank links its own core rows with their
neighbours, then the ranks' links are merged.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array
from ..errors import InvalidData, NotSupported
from ..rows.block import Rows
from ..rows.shard import Shard
from .lloyd import BAD_DATA

Integers = NDArray[np.int64]
PIECE = 4096
"""Neighbours of so many rows are looked for at once."""
GROUP_BYTES = 64 << 20
"""Blocks of so many bytes together share one search tree."""
KEPT_PAIRS = 1 << 22
"""So many pairs of neighbours a rank keeps (64 MiB); where there are more, they are looked for a second time."""


class Grouping(NamedTuple):
    """What DBSCAN has found, for all rows in their order."""

    labels: Integers
    core: NDArray[np.bool_]
    lengths: tuple[int, ...]
    """Number of rows of each block."""


def density_clusters(rows: Rows, *, eps: float, min_samples: int, search: dict[str, Any]) -> Grouping:
    """Run DBSCAN.

    Parameters
    ----------
    rows : Rows
        In memory.
    eps : float
        Rows at most so far apart are neighbours.
    min_samples : int
        A row with neighbours of so much weight, itself included, is a core row.
    search : dict
        Options of ``sklearn.neighbors.NearestNeighbors``.
    """
    if not isinstance(rows, Shard):
        raise NotSupported(
            "DBSCAN compares all rows with each other, so they must fit into the workers' memory. Use more workers, or "
            "fewer rows."
        )
    own = _RankRows(rows.with_starts(), eps, search)
    core = own.core_rows(min_samples)
    links, borders = own.links(core)
    comm = own.shard.communicator
    linked = comm.allreduce(links, merge_links)
    # Clusters are numbered by their first core rows, as in scikit-learn.
    labels = np.full(own.n_rows, -1, np.int64)
    labels[core] = np.unique(linked[core], return_inverse=True)[1]
    best = np.full(own.n_rows, own.n_rows, np.int64)
    for border, neighbour in borders:
        np.minimum.at(best, border, labels[neighbour])
    best = comm.allreduce(best, "min")
    reached = ~core & (best < own.n_rows)
    labels[reached] = best[reached]
    return Grouping(labels, core, own.lengths)


def merge_links(one: Integers, other: Integers) -> Integers:
    """Return for each row the first row it is linked with, directly or by others, in either of two such lists."""
    rows = np.arange(len(one))
    # In the first list, a row need not be linked with the first row of its part itself.
    return _linked(_linked(rows, rows, one), rows, other)


class _RankRows:
    """This rank's rows, whose neighbours are looked for in search trees of all rows, some blocks at a time."""

    def __init__(self, shard: Shard, eps: float, search: dict[str, Any]) -> None:
        self.shard = shard
        self._options = {"radius": eps, "n_jobs": shard.n_threads, **search}
        comm = shard.communicator
        places = [item for part in comm.allgather(self._places()) for item in part]
        self._owners = {number: owner for number, _, _, owner in places}
        self.lengths = tuple(length for _, _, length, _ in sorted(places))
        self.n_rows = sum(length for _, _, length, _ in places)
        filled = [block for block in shard.blocks if len(block)]
        numbers = [np.arange(len(block)) + int(block.start or 0) for block in filled]
        self._numbers = np.concatenate([np.empty(0, np.int64), *numbers])
        bad = any(not np.isfinite(block.X).all() for block in filled)
        if comm.allreduce(int(bad)):
            raise InvalidData(BAD_DATA)
        self._X = np.concatenate([block.X for block in filled]) if filled else None
        self._kept: list[tuple[Integers, Integers]] | None = []

    def _places(self) -> list[tuple[int, int, int, int]]:
        rank = self.shard.communicator.rank
        return [(block.number, int(block.start or 0), len(block), rank) for block in self.shard.blocks]

    def core_rows(self, min_samples: int) -> NDArray[np.bool_]:
        """Return for all rows whether they are core rows; every block goes to every rank once."""
        weights = np.zeros(len(self._numbers))
        found = 0
        for X, numbers, weight in self._groups(None):
            for rows, others in self._pairs(X):
                weights += np.bincount(rows, weights=None if weight is None else weight[others], minlength=len(weights))
                found += len(rows)
                if self._kept is not None and found <= KEPT_PAIRS:
                    self._kept.append((self._numbers[rows], numbers[others]))
                else:
                    self._kept = None
        if self.shard.communicator.allreduce(int(self._kept is None)):
            self._kept = None
        core = np.zeros(self.n_rows, np.uint8)
        # Sums of weights that are no whole numbers may differ in the last digits.
        core[self._numbers] = weights >= min_samples
        all_core: NDArray[np.bool_] = self.shard.communicator.allreduce(core, "max").astype(bool)
        return all_core

    def links(self, core: NDArray[np.bool_]) -> tuple[Integers, list[tuple[Integers, Integers]]]:
        """Return what core rows here are linked with, and pairs of a row that is no core row and a core row near it.

        Where pairs were not kept, every block's core rows go to every rank once more.
        """
        linked = np.arange(self.n_rows)
        borders = []
        for mine, theirs in self._known_pairs(core):
            near_core, own_core = core[theirs], core[mine]
            border = near_core & ~own_core
            borders.append((mine[border], theirs[border]))
            # The same pair is found from the other row, too, here or on another rank.
            inside = near_core & own_core & (mine < theirs)
            linked = _linked(linked, mine[inside], theirs[inside])
        return linked, borders

    def _known_pairs(self, core: NDArray[np.bool_]) -> Iterator[tuple[Integers, Integers]]:
        """Yield pairs of neighbours by their numbers: an own row, and any core row (perhaps others, too)."""
        if self._kept is not None:
            if self._kept:
                mine, theirs = zip(*self._kept, strict=True)
                yield np.concatenate(mine), np.concatenate(theirs)
            return
        for X, numbers, _ in self._groups(core):
            for rows, others in self._pairs(X):
                yield self._numbers[rows], numbers[others]

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
        mine = {block.number: block for block in self.shard.blocks}
        for number, owner in sorted(self._owners.items()):
            message = None
            if (block := mine.get(number)) is not None:
                start = int(block.start or 0)
                chosen = np.arange(len(block)) if core is None else np.flatnonzero(core[start : start + len(block)])
                weights = None if block.weights is None else np.asarray(block.weights)[chosen]
                message = np.asarray(block.X)[chosen], chosen + start, weights
            X, numbers, weights = self.shard.communicator.broadcast(message, owner)
            if len(X):
                yield X, numbers, weights

    def _pairs(self, X: Array) -> Iterator[tuple[Integers, Integers]]:
        """Yield pairs of neighbours: positions among the own rows, and among the given rows."""
        from sklearn.neighbors import NearestNeighbors

        if self._X is None:
            return
        tree = NearestNeighbors(**self._options).fit(X)
        for start in range(0, len(self._X), PIECE):
            self.shard.communicator.raise_if_cancelled()
            found = tree.radius_neighbors(self._X[start : start + PIECE], return_distance=False)
            lengths = [len(near) for near in found]
            yield start + np.repeat(np.arange(len(found)), lengths), np.concatenate(found)


def _joined(parts: list[tuple[Array, Integers, Array | None]]) -> tuple[Array, Integers, Array | None]:
    X, numbers, weights = zip(*parts, strict=True)
    return np.concatenate(X), np.concatenate(numbers), None if weights[0] is None else np.concatenate(weights)


def _linked(linked: Integers, one: Integers, other: Integers) -> Integers:
    """Add links between rows, looking only at those that are in different parts so far.

    Each part hooks itself to one with a smaller first row, all at once, until no link is left between two parts.
    """
    first = np.arange(len(linked))
    ends = np.stack([linked[one], linked[other]])
    while (ends := ends[:, ends[0] != ends[1]]).size:
        np.minimum.at(first, np.maximum(*ends), np.minimum(*ends))
        while not np.array_equal(first, jumped := first[first]):
            first = jumped
        ends = first[ends]
    return first[linked]

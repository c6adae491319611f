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
PIECE = 1024
"""Neighbours of so many rows are looked for at once."""


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
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = len(one)
    numbers = np.arange(n)
    ends = np.concatenate([numbers, numbers]), np.concatenate([one, other])
    _, parts = connected_components(coo_array((np.ones(2 * n, np.int8), ends), shape=(n, n)), directed=False)
    return _firsts(parts)


def _firsts(parts: Array) -> Integers:
    """Return for each row the first row of its part."""
    _, first, inverse = np.unique(parts, return_index=True, return_inverse=True)
    found: Integers = first[inverse]
    return found


class _RankRows:
    """This rank's rows, and a search tree of them."""

    def __init__(self, shard: Shard, eps: float, search: dict[str, Any]) -> None:
        from sklearn.neighbors import NearestNeighbors

        self.shard = shard
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
        self._tree = None
        if filled:
            X = np.concatenate([block.X for block in filled])
            self._tree = NearestNeighbors(radius=eps, n_jobs=shard.n_threads, **search).fit(X)

    def _places(self) -> list[tuple[int, int, int, int]]:
        rank = self.shard.communicator.rank
        return [(block.number, int(block.start or 0), len(block), rank) for block in self.shard.blocks]

    def core_rows(self, min_samples: int) -> NDArray[np.bool_]:
        """Return for all rows whether they are core rows; every block goes to every rank once."""
        weights = np.zeros(len(self._numbers))
        for X, _, weight in self._all_blocks(None):
            for part, rows, others in self._pairs(X):
                weights += np.bincount(rows, weights=None if weight is None else weight[part][others],
                                       minlength=len(weights))  # fmt: skip
        core = np.zeros(self.n_rows, np.uint8)
        # Sums of weights that are no whole numbers may differ in the last digits.
        core[self._numbers] = weights >= min_samples
        found: NDArray[np.bool_] = self.shard.communicator.allreduce(core, "max").astype(bool)
        return found

    def links(self, core: NDArray[np.bool_]) -> tuple[Integers, list[tuple[Integers, Integers]]]:
        """Return what core rows here are linked with, and pairs of a row that is no core row and a core row near it.

        Every block's core rows go to every rank once.
        """
        linked = np.arange(self.n_rows)
        borders = []
        here = core[self._numbers]
        for X, numbers, _ in self._all_blocks(core):
            for part, rows, others in self._pairs(X):
                theirs, mine = numbers[part][others], self._numbers[rows]
                inside = here[rows]
                borders.append((mine[~inside], theirs[~inside]))
                linked = _linked(linked, mine[inside], theirs[inside])
        return linked, borders

    def _all_blocks(self, core: NDArray[np.bool_] | None) -> Iterator[tuple[Any, Integers, Any]]:
        """Yield the rows of each block of any rank, their numbers and weights; only core rows if these are given."""
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

    def _pairs(self, X: Array) -> Iterator[tuple[slice, Any, Any]]:
        """Yield pairs of neighbours: positions among the own rows, and in a slice of the given rows."""
        if self._tree is None:
            return
        for start in range(0, len(X), PIECE):
            self.shard.communicator.raise_if_cancelled()
            part = slice(start, start + PIECE)
            found = self._tree.radius_neighbors(X[part], return_distance=False)
            yield part, np.concatenate(found), np.repeat(np.arange(len(found)), [len(near) for near in found])


def _linked(linked: Integers, one: Integers, other: Integers) -> Integers:
    """Add links between rows, looking only at those that are in different parts so far."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    ends = np.stack([linked[one], linked[other]])
    ends = ends[:, ends[0] != ends[1]]
    if not ends.size:
        return linked
    roots, places = np.unique(ends, return_inverse=True)
    places = places.reshape(2, -1)
    graph = coo_array((np.ones(places.shape[1], np.int8), (places[0], places[1])), shape=(len(roots),) * 2)
    firsts = roots[_firsts(connected_components(graph, directed=False)[1])]
    changed = np.arange(len(linked))
    changed[roots] = firsts
    return changed[linked]

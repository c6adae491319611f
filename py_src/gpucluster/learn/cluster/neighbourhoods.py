"""Neighbours for DBSCAN: the interface of a search, and two searches.

By any metric, all blocks go to all ranks. In few columns, every rank gets the rows of a region and of a halo around it,
and searches a KD-tree. Space is cut by the median cuts of a KD-tree: J. L. Bentley, "Multidimensional Binary Search
Trees Used for Associative Searching", Communications of the ACM 18 (1975).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

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


@dataclass(frozen=True)
class Region:
    """A box: rows with ``low < x <= high`` in each column."""

    low: Array  # Array of shape (n_features,); minus infinity where nothing is cut.
    high: Array

    def holds(self, X: Array) -> NDArray[np.bool_]:
        """Return which rows are in the box; each row is in exactly one of the boxes that `regions` returns."""
        inside = np.ones(len(X), bool)
        for column in np.flatnonzero(np.isfinite(self.low) | np.isfinite(self.high)):
            inside &= (X[:, column] > self.low[column]) & (X[:, column] <= self.high[column])
        return inside

    def near(self, X: Array, reach: float) -> NDArray[np.bool_]:
        """Return which rows are within reach of the box in each column, and so may be neighbours of a row in it."""
        near = np.ones(len(X), bool)
        for column in np.flatnonzero(np.isfinite(self.low) | np.isfinite(self.high)):
            # Differences are rounded as those between two rows are, so that no row is missed.
            near &= (self.low[column] - X[:, column] <= reach) & (X[:, column] - self.high[column] <= reach)
        return near


def regions(sample: Array, n_regions: int) -> list[Region]:
    """Divide space into boxes with about the same number of these rows; equal rows cannot be divided."""
    edge = np.full(sample.shape[1], np.inf)
    return _halved(Region(-edge, edge), sample, n_regions)


def _halved(region: Region, sample: Array, n_regions: int) -> list[Region]:
    if n_regions == 1:
        return [region]
    n_left = n_regions // 2
    if len(sample):
        column = int(np.argmax(np.ptp(sample, axis=0)))
        place = min(len(sample) * n_left // n_regions, len(sample) - 1)
        cut = float(np.partition(sample[:, column], place)[place])
    else:
        column, cut = 0, float(region.low[0])
    left = sample[:, column] <= cut
    low, high = region.low.copy(), region.high.copy()
    low[column] = high[column] = cut
    return [
        *_halved(replace(region, high=high), sample[left], n_left),
        *_halved(replace(region, low=low), sample[~left], n_regions - n_left),
    ]


MOST_COLUMNS = 15  # With more columns scikit-learn, too, compares all rows with each other.
POWERS = {
    "euclidean": 2.0, "l2": 2.0, "manhattan": 1.0, "cityblock": 1.0, "l1": 1.0, "chebyshev": np.inf, "infinity": np.inf,
}  # fmt: skip
SAMPLE = 1024  # Rows for each region that decide where space is cut.
UNEVEN = 1.5  # Most rows of a region with its halo, compared with an even share.
MARGIN = 1e-9  # Trees search slightly beyond ``eps``, because their bounds are rounded.
COUNTED = 32  # The neighbours of every 32nd row are counted to estimate the number of pairs.


class Part(NamedTuple):
    """The rows of a region, then those around it."""

    X: Array  # Array of shape (n_rows, n_features), float64.
    numbers: Integers
    weights: Array | None
    n_own: int  # Number of rows in the region; the others are its halo, the rows within ``eps`` around it.


def searched_by_regions(own: RankRows, eps: float, search: dict[str, Any]) -> RegionSearch | None:
    """Exchange rows so that neighbours are on one rank; all must call this. ``None`` where that is not possible."""
    power = _power(search)
    comm = own.communicator
    step = max(1, own.n_rows // (SAMPLE * sum(own.n_threads)))
    samples = [part for part in comm.allgather(None if own.X is None else own.X[::step]) if part is not None]
    if power is None or not samples or samples[0].shape[1] > MOST_COLUMNS:
        return None
    cut = regions(np.concatenate(samples), sum(own.n_threads))
    owners = np.repeat(np.arange(comm.size), own.n_threads)
    reach = eps * (1 + MARGIN)
    leaving = [_selected(own, region, reach) for region in cut]
    counts = comm.allreduce(np.array([0 if one is None else len(one.numbers) for one in leaving]))
    if len(cut) > 1 and counts.max() > UNEVEN * own.n_rows / len(cut):
        return None
    parts = []
    for rank in range(comm.size):
        gathered = comm.gather([leaving[number] for number in np.flatnonzero(owners == rank)], root=rank)
        if gathered is not None:
            parts = [_together([part for part in arrived if part]) for arrived in zip(*gathered, strict=True)]
    return RegionSearch(own, [part for part in parts if part is not None], eps, power)


def _power(search: dict[str, Any]) -> float | None:
    """Return the p of the Minkowski metric; ``None`` for other metrics and without trees."""
    if search["algorithm"] == "brute" or search["metric_params"] or not isinstance(search["metric"], str):
        return None
    power = search.get("p", 2) if search["metric"] in {"minkowski", "p"} else POWERS.get(search["metric"])
    return float(power) if power in {1, 2, np.inf} else None


def _selected(own: RankRows, region: Region, reach: float) -> Part | None:
    if own.X is None:
        return None
    inside = region.holds(own.X)
    chosen = np.flatnonzero(inside)
    around = np.flatnonzero(region.near(own.X, reach) & ~inside)
    both = np.concatenate([chosen, around])
    return Part(own.X[both], own.numbers[both], None if own.weights is None else own.weights[both], len(chosen))


def _together(parts: list[Part]) -> Part | None:
    """Join the parts of one region that several ranks sent."""
    if not parts:
        return None

    def joined(arrays: list[Array]) -> Array:
        own = [array[: part.n_own] for array, part in zip(arrays, parts, strict=True)]
        around = [array[part.n_own :] for array, part in zip(arrays, parts, strict=True)]
        return np.concatenate([*own, *around])

    return Part(
        joined([part.X for part in parts]).astype(np.float64, copy=False),
        joined([part.numbers for part in parts]),
        None if parts[0].weights is None else joined([part.weights for part in parts if part.weights is not None]),
        sum(part.n_own for part in parts),
    )


class RegionSearch(Neighbourhoods):
    """The regions of this rank, one for each of its threads; ``power`` of the metric is 1, 2 or infinity."""

    def __init__(self, own: RankRows, parts: list[Part], eps: float, power: float) -> None:
        self._comm = own.communicator
        self._eps = eps
        self._power = power
        self._pool = ThreadPoolExecutor(len(parts)) if len(parts) > 1 else None
        self._parts = parts
        self._trees = self._each(_tree, [part.X for part in parts])
        self._expected = [_counted(tree, self._reach, power) for tree in self._trees]
        few = sum(int(counts.sum()) for counts in self._expected) * COUNTED <= KEPT_PAIRS
        self._kept: list[Pairs] | None = self._each(self._all_pairs, list(range(len(parts)))) if few else None

    @property
    def _reach(self) -> float:
        return self._eps * (1 + MARGIN)

    def _each(self, function: Any, values: list[Any]) -> list[Any]:
        return list(map(function, values) if self._pool is None else self._pool.map(function, values))

    def weights(self) -> tuple[Integers, Array]:
        totals = []
        for number, part in enumerate(self._parts):
            total = np.ones(len(part.X)) if part.weights is None else part.weights.astype(np.float64)
            for one, other in self._pairs_of(number):
                for mine, theirs in ((one, other), (other, one)):
                    weight = None if part.weights is None else part.weights[theirs]
                    total += np.bincount(mine, weights=weight, minlength=len(total))
            totals.append(total[: part.n_own])
        numbers = [part.numbers[: part.n_own] for part in self._parts]
        return np.concatenate([np.empty(0, np.int64), *numbers]), np.concatenate([np.empty(0), *totals])

    def pairs(self, core: NDArray[np.bool_]) -> Iterator[tuple[Integers, Pairs]]:
        """Search a second time where the pairs were too many to keep."""
        for number, part in enumerate(self._parts):
            for pairs in self._pairs_of(number):
                yield part.numbers, pairs

    def _pairs_of(self, number: int) -> Iterator[Pairs]:
        """Yield pairs as positions in a part, each once; some may have no row in the region."""
        if self._kept is not None:
            yield self._kept[number]
            return
        part, tree = self._parts[number], self._trees[number]
        # A tree's own order: rows that follow each other are near each other, and alike in the number of neighbours.
        bounds = np.cumsum(np.repeat(self._expected[number], COUNTED)[: len(part.X)])
        cuts = np.searchsorted(bounds, np.arange(KEPT_PAIRS // 4, bounds[-1] + 1, KEPT_PAIRS // 4))
        for places in np.split(tree.indices, cuts):
            places = places[places < part.n_own]
            self._comm.raise_if_cancelled()
            if not len(places):
                continue
            found = _tree(part.X[places]).sparse_distance_matrix(tree, self._reach, self._power, output_type="ndarray")
            one, other = places[found["i"]], found["j"]
            # A pair within the region is found from both of its rows.
            once = np.flatnonzero((one < other) | (other >= part.n_own))
            yield self._close_enough(part.X, one[once], other[once])

    def _all_pairs(self, number: int) -> Pairs:
        part = self._parts[number]
        found = self._trees[number].query_pairs(self._reach, self._power, output_type="ndarray")
        return self._close_enough(part.X, *np.ascontiguousarray(found.T))

    def _close_enough(self, X: Array, one: Integers, other: Integers) -> Pairs:
        """Return the pairs whose distance, calculated as scikit-learn does, is at most ``eps``."""
        distances = np.zeros(len(one))
        for column in np.ascontiguousarray(X.T):
            step = column[one] - column[other]
            if self._power == 2:
                distances += step * step
            elif self._power == 1:
                distances += np.abs(step)
            else:
                np.maximum(distances, np.abs(step), out=distances)
        near = distances <= (self._eps * self._eps if self._power == 2 else self._eps)
        return (one, other) if near.all() else (one[near], other[near])


def _tree(X: Array) -> Any:
    from scipy.spatial import KDTree

    return KDTree(X)


def _counted(tree: Any, reach: float, power: float) -> Integers:
    """Return the number of neighbours of every 32nd row in the tree's order, where near rows follow each other."""
    return tree.query_ball_point(tree.data[tree.indices[::COUNTED]], reach, power, return_length=True)

"""The first centres of k-means. Random numbers belong to rows, so the choice does not depend on the blocks."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from ..arrays import Array, Dtype, array_namespace_of, to_numpy
from ..kernels.lloyd import Nearest, distances_to, labels_of, sums_of
from ..kernels.on_gpu import lloyd as lloyd_on_gpu
from ..kernels.random_numbers import uniform
from ..rows.block import Block, Rows


class Picked(NamedTuple):
    """Rows in the order of their keys, the smallest first: ``8 (d + 4)`` bytes each."""

    keys: Array
    rows: Array  # Numbers among all rows; the smaller one goes first where keys are equal.
    points: Array
    weights: Array
    labels: Array  # Number of the nearest centre if requested, else 0.


def picked(block: Block, keys: Array, n: int, offset: Array | None, labels: Array | None = None) -> Picked:
    """Return the n rows of a block with the smallest finite keys; points relative to the offset."""
    xp = array_namespace_of(block.X)
    candidates = xp.flatnonzero(keys < np.inf)
    if len(candidates) > n:
        # Keep all rows with the key at the border, so that the row number decides.
        border = xp.partition(keys[candidates], n - 1)[n - 1]
        candidates = candidates[keys[candidates] <= border]
    rows = to_numpy(candidates)
    points = to_numpy(block.X[candidates]).astype(np.float64)
    weights = np.ones(len(rows)) if block.weights is None else to_numpy(block.weights[candidates]).astype(np.float64)
    found = Picked(
        to_numpy(keys[candidates]).astype(np.float64),
        rows.astype(np.int64) + int(block.start or 0),
        points if offset is None else points - offset,
        weights,
        np.zeros(len(rows), np.int64) if labels is None else to_numpy(labels[candidates]).astype(np.int64),
    )
    return _first(found, n)


def smallest_of(n: int) -> Callable[[Picked, Picked], Picked]:
    """Return the operator that keeps the n rows with the smallest keys of two sets."""
    return partial(_smallest_of_both, n)


def _smallest_of_both(n: int, one: Picked, other: Picked) -> Picked:
    return _first(Picked(*(np.concatenate(parts) for parts in zip(one, other, strict=True))), n)


def _first(found: Picked, n: int) -> Picked:
    order = np.lexsort((found.rows, found.keys))[:n]
    return Picked(*(part[order] for part in found))


def farthest(block: Block, centers: Array, offset: Array | None, n: int) -> Picked:
    """Return the n rows of positive weight that are farthest from their nearest centres; keys are minus distances."""
    xp = array_namespace_of(block.X)
    if lloyd_on_gpu.is_taken(block.X, len(centers), summed=False):
        found = lloyd_on_gpu.pass_over(block.X, centers, offset, labels=True, distances=True)
        labels, keys = found.labels, -found.distances.astype(np.float64)
    else:
        labels = labels_of(block.X, xp.asarray(centers), offset)
        shifted = centers if offset is None else np.asarray(centers, np.float64) + offset
        apart = block.X - xp.asarray(shifted)[labels]
        keys = -(apart * apart).sum(axis=1, dtype=np.float64)
    if block.weights is not None:
        keys = xp.where(block.weights > 0, keys, np.inf)
    return picked(block, keys, n, offset, labels)


ROUNDS = 5  # Of k-means||; with more, its authors saw no better results.
LARGEST_SAMPLE = 4  # Most points of one round of k-means||, compared with the average.
LOCAL_RUNS = 5


class Start(NamedTuple):
    """How the first centres are chosen."""

    method: str  # ``k-means++``, ``k-means||``, ``random`` or ``given``.
    n_clusters: int
    seed: int
    centers: Array | None = None  # Given centres of each run: array of shape (n_runs, k, d).
    oversampling: float = 2.0

    def broadcast(self, rows: Rows) -> Start:
        """Return the start of rank 0, for all ranks."""
        return Start(*rows.broadcast(tuple(self)))


def max_passes(start: Start) -> int:
    """Return the number of passes over the rows for the first centres of one run."""
    return {"given": 0, "random": 1, "k-means++": 2 * start.n_clusters, "k-means||": 2 * ROUNDS + 2}[start.method]


def first_centers(rows: Rows, start: Start, run: int, offset: Array | None, dtype: Dtype) -> Array:
    """Return the first centres of a run, relative to the offset; rows must be counted. Each run draws other numbers."""
    if start.centers is not None:
        given = np.asarray(start.centers[run], np.float64)
        return (given if offset is None else given - offset).astype(dtype)
    choice = _Choice(rows, start, run, offset)
    found = {"random": choice.random, "k-means++": choice.greedy, "k-means||": choice.oversampled}[start.method]()
    # Rows of weight 0 are never chosen; with too few other rows, some centres are repeated.
    return np.resize(found, (start.n_clusters, found.shape[1])).astype(dtype)


class _Choice:
    def __init__(self, rows: Rows, start: Start, run: int, offset: Array | None) -> None:
        self._rows = rows
        self._start = start
        self._k = start.n_clusters
        self._offset = offset
        self._nearest = Nearest()
        self._draw = run << 32

    def random(self) -> Array:
        """Choose k rows, each with a probability proportional to its weight."""
        return self._weighted(self._k).points

    def greedy(self) -> Array:
        """Choose one centre after the other, far from the previous ones: greedy k-means++.

        D. Arthur and S. Vassilvitskii, "k-means++: The Advantages of Careful Seeding", SODA 2007: each centre is a row
        chosen with a probability proportional to its squared distance. As in scikit-learn, ``2 + log k`` candidates are
        tried and the best is taken; here they are all different.
        """
        centers = self._weighted(1).points
        n_trials = 2 + int(math.log(self._k))
        while len(centers) < self._k:
            trials = self._far(centers, n_trials)
            if not len(trials):
                return self._filled(centers)
            costs = self._rows.total(_costs, self._nearest, centers, self._offset, trials)
            centers = np.concatenate([centers, trials[[int(costs.argmin())]]])
        return centers

    def oversampled(self) -> Array:
        """Choose about ``oversampling * k`` rows in each of five rounds, and cluster these: k-means||.

        B. Bahmani, B. Moseley, A. Vattani, R. Kumar and S. Vassilvitskii, "Scalable k-means++", VLDB 2012.
        """
        from sklearn.cluster import KMeans

        wanted = self._start.oversampling * self._k
        most = math.ceil(LARGEST_SAMPLE * wanted)
        centers = self._weighted(1).points
        for _ in range(ROUNDS):
            [cost] = self._rows.total(_costs, self._nearest, centers, self._offset, centers[:0])
            if not cost:
                break
            share = wanted / cost
            found = self._rows.total(
                _sampled, self._nearest, centers, self._offset, share, most, *self._next_draw(), op=smallest_of(most)
            )
            centers = np.concatenate([centers, found.points[np.argsort(found.rows)]])
        distinct = np.unique(centers, axis=0)
        if len(distinct) <= self._k:
            return self._filled(distinct)
        weights = self._rows.total(sums_of, centers, self._offset).weights
        local = KMeans(self._k, n_init=LOCAL_RUNS, random_state=self._start.seed % 2**32)
        # The result of rank 0: with several threads, results of two computers may differ in the last bits.
        return self._rows.broadcast(local.fit(centers, sample_weight=weights).cluster_centers_)

    def _weighted(self, n: int) -> Picked:
        return self._rows.total(_by_weight, self._offset, n, *self._next_draw(), op=smallest_of(n))

    def _far(self, centers: Array, n: int) -> Array:
        found: Picked = self._rows.total(
            _by_distance, self._nearest, centers, self._offset, n, *self._next_draw(), op=smallest_of(n)
        )
        return found.points

    def _filled(self, centers: Array) -> Array:
        """Fill up with any rows, because all rows are on centres already."""
        return np.concatenate([centers, self._weighted(self._k).points])[: self._k]

    def _next_draw(self) -> tuple[int, int]:
        self._draw += 1
        return self._start.seed, self._draw


def _by_weight(block: Block, offset: Array | None, n: int, seed: int, draw: int) -> Picked:
    return picked(block, _keys(block, None, seed, draw), n, offset)


def _by_distance(
    block: Block, nearest: Nearest, centers: Array, offset: Array | None, n: int, seed: int, draw: int
) -> Picked:
    distances = nearest.distances(block, centers, offset)
    return picked(block, _keys(block, distances, seed, draw), n, offset)


def _sampled(
    block: Block, nearest: Nearest, centers: Array, offset: Array | None, share: float, most: int, seed: int, draw: int
) -> Picked:
    """Choose each row independently with the probability ``share * weight * squared distance``."""
    xp = array_namespace_of(block.X)
    distances = nearest.distances(block, centers, offset)
    chances = _weighed(block, distances).astype(np.float64) * share
    keys = uniform(block.X, int(block.start or 0), len(block), seed, draw) / xp.maximum(chances, np.finfo(float).tiny)
    keys[keys >= 1] = np.inf
    return picked(block, keys, most, offset)


def _costs(block: Block, nearest: Nearest, centers: Array, offset: Array | None, trials: Array) -> Array:
    """Return the inertia with each of the trials as one more centre; without trials, that of the centres."""
    xp = array_namespace_of(block.X)
    distances = nearest.distances(block, centers, offset)
    if not len(trials):
        return np.asarray([float(_weighed(block, distances).sum(dtype=np.float64))])
    costs = np.zeros(len(trials))
    for part, apart in distances_to(block.X, nearest.lengths(block, offset), trials, offset):
        xp.minimum(apart, distances[part, None], out=apart)
        weights = xp.ones(len(apart), apart.dtype) if block.weights is None else block.weights[part].astype(apart.dtype)
        costs += to_numpy(weights @ apart)
    return costs


def _weighed(block: Block, values: Array) -> Array:
    return values if block.weights is None else values * block.weights


def _keys(block: Block, distances: Array | None, seed: int, draw: int) -> Array:
    """Return exponential random numbers with rates ``weight * squared distance``.

    The smallest of all belongs to a row with a probability proportional to its rate; the n smallest are a sample
    without replacement. P. S. Efraimidis and P. G. Spirakis, "Weighted Random Sampling with a Reservoir", 2006.
    """
    xp = array_namespace_of(block.X)
    keys = -xp.log(uniform(block.X, int(block.start or 0), len(block), seed, draw))
    for rate in (distances, block.weights):
        if rate is not None:
            keys /= xp.where(rate > 0, rate, np.nan)
    return xp.where(xp.isnan(keys), np.inf, keys)

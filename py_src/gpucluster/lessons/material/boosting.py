"""Boosted trees on blocks of rows: histograms of gradients are added up over all ranks, and the rows stay in place.

What XGBoost and LightGBM do as well, without their many refinements; small enough to be read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .conversion import as_numpy

Floats = NDArray[np.float64]
BestSplit = Callable[[Floats, Floats, float], tuple[int, int, float]]


@dataclass(frozen=True)
class BoostedTrees:
    """A fitted model.

    Attributes
    ----------
    edges : list of array
        The edges between the bins of each feature.
    base : float
        Log odds of all rows, before the first tree.
    trees : list of tuple
        For each tree the features and the bins of its splits, level by level, and the values of its leaves.
    losses : list of float
        Mean log loss before each tree and after the last one.
    sent_bytes : int
        Size of all histograms that one rank gave away.
    """

    edges: list[Floats]
    base: float
    trees: list[tuple[list[NDArray[np.int64]], list[NDArray[np.int64]], Floats]]
    losses: list[float]
    sent_bytes: int

    def chance(self, X: Any) -> Any:
        """Return the chance of class 1 for each row of an array of shape (n_rows, n_features)."""
        codes = bin_codes(X, self.edges)
        margin = np.full_like(codes[:, 0], self.base, dtype=float)
        for features, bins, values in self.trees:
            margin += np.asarray(values, like=codes)[_walk(codes, features, bins)]
        return 1 / (1 + np.exp(-margin))


def bin_codes(X: Any, edges: Sequence[Floats]) -> Any:
    """Return for each number in which bin of its feature it is: how many edges are not above it."""
    columns = [np.searchsorted(np.asarray(edge, like=X), X[:, place], side="right") for place, edge in enumerate(edges)]
    return np.stack(columns, axis=1)


def boost(
    shard: Any, *, edges: list[Floats], best_split: BestSplit, rounds: int = 20, depth: int = 3, rate: float = 0.3,
    penalty: float = 1.0,
) -> BoostedTrees:  # fmt: skip
    """Fit on the blocks of all ranks; call it by ``learn.run_on_ranks``. Each rank returns the same model.

    Parameters
    ----------
    shard : Shard
        Blocks with ``X`` of shape (n_rows, n_features), without missing numbers, and ``y`` of 0 and 1.
    edges : list of array
        Edges between the bins of each feature.
    best_split : callable
        Called as ``best_split(gradients, hessians, penalty)`` with two arrays of shape (n_features, n_bins).
    rounds, depth, rate, penalty
        Number of trees, their levels, the share of each tree that is added, and what is added to each sum of hessians.
    """
    n_bins = max(len(edge) for edge in edges) + 1
    codes = [bin_codes(block.X, edges) for block in shard.blocks]
    targets = [block.y.astype(float) for block in shard.blocks]
    count, late = _summed(shard, [np.array([len(y), float(y.sum())]) for y in targets], 2)
    base = float(np.log(late / (count - late)))
    margins = [np.full_like(y, base) for y in targets]
    sent, trees, losses = 0, [], [_loss(shard, margins, targets, count)]
    for _ in range(rounds):
        chances = [1 / (1 + np.exp(-margin)) for margin in margins]
        slopes = [(chance - y, chance * (1 - chance)) for chance, y in zip(chances, targets, strict=True)]
        nodes = [np.zeros(len(y), dtype=np.int64, like=y) for y in targets]
        features: list[NDArray[np.int64]] = []
        bins: list[NDArray[np.int64]] = []
        for level in range(depth):
            shape = (2, 2**level, len(edges), n_bins)
            mine = [_histogram(*part, shape) for part in zip(codes, nodes, slopes, strict=True)]
            gradients, hessians = _summed(shard, mine, shape)
            sent += int(gradients.nbytes + hessians.nbytes)
            splits = [best_split(gradients[node], hessians[node], penalty) for node in range(2**level)]
            features.append(np.array([int(feature) for feature, _, _ in splits]))
            bins.append(np.array([int(place) for _, place, _ in splits]))
            nodes = [_step(*part, features[-1], bins[-1]) for part in zip(codes, nodes, strict=True)]
        sums = _summed(shard, [_leaves(*part, 2**depth) for part in zip(nodes, slopes, strict=True)], (2, 2**depth))
        values = -rate * sums[0] / (sums[1] + penalty)
        margins = [margin + np.asarray(values, like=margin)[node] for margin, node in zip(margins, nodes, strict=True)]
        trees.append((features, bins, values))
        losses.append(_loss(shard, margins, targets, count))
    return BoostedTrees(edges, base, trees, losses, sent)


def _histogram(codes: Any, nodes: Any, slopes: tuple[Any, Any], shape: tuple[int, ...]) -> Floats:
    """Return the sums of gradients and hessians of one block, by node, feature and bin."""
    _, n_nodes, n_features, n_bins = shape
    found = np.empty(shape)
    for feature in range(n_features):
        place = nodes * n_bins + codes[:, feature]
        for which, slope in enumerate(slopes):
            sums = np.bincount(place, weights=slope, minlength=n_nodes * n_bins)
            found[which, :, feature] = as_numpy(sums).reshape(n_nodes, n_bins)
    return found


def _leaves(nodes: Any, slopes: tuple[Any, Any], n_leaves: int) -> Floats:
    return np.stack([as_numpy(np.bincount(nodes, weights=slope, minlength=n_leaves)) for slope in slopes])


def _summed(shard: Any, mine: Sequence[Floats], shape: int | tuple[int, ...]) -> Floats:
    """Add up the blocks of this rank, and then all ranks: one allreduce. A rank may have no block."""
    total: Floats = np.zeros(shape)
    for one in mine:
        total = total + one
    return np.asarray(shard.communicator.allreduce(total))


def _step(codes: Any, nodes: Any, features: NDArray[np.int64], bins: NDArray[np.int64]) -> Any:
    """Send each row one level down: right, where its bin is above that of the split."""
    chosen = codes[np.arange(len(codes), like=codes), np.asarray(features, like=codes)[nodes]]
    return 2 * nodes + (chosen > np.asarray(bins, like=codes)[nodes])


def _walk(codes: Any, features: list[NDArray[np.int64]], bins: list[NDArray[np.int64]]) -> Any:
    nodes = np.zeros(len(codes), dtype=np.int64, like=codes)
    for level, chosen in enumerate(features):
        nodes = _step(codes, nodes, chosen, bins[level])
    return nodes


def _loss(shard: Any, margins: list[Any], targets: list[Any], count: float) -> float:
    mine = [
        np.array([float((np.logaddexp(0, margin) - y * margin).sum())])
        for margin, y in zip(margins, targets, strict=True)
    ]
    return float(_summed(shard, mine, 1)[0] / count)

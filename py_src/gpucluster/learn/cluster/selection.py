"""Choosing a few rows out of all rows, each block its own first; the best of all blocks remain."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..arrays import Array, array_namespace_of, to_numpy
from ..kernels.lloyd import labels_of
from ..kernels.on_gpu import lloyd as lloyd_on_gpu
from ..rows.block import Block


class Picked(NamedTuple):
    """Rows in the order of their keys, the smallest first: ``8 (d + 4)`` bytes each."""

    keys: Array
    rows: Array
    """Numbers among all rows; the smaller one goes first where keys are equal."""
    points: Array
    weights: Array
    labels: Array
    """Number of the nearest centre where that was asked for, else 0."""


def picked(block: Block, keys: Array, n: int, offset: Array | None, labels: Array | None = None) -> Picked:
    """Return the n rows of a block with the smallest keys; infinite ones never.

    Parameters
    ----------
    block : Block
    keys : array of shape (n_rows,)
    n : int
    offset : array of shape (d,) or None
        Subtracted from the points.
    labels : array of shape (n_rows,), optional
    """
    xp = array_namespace_of(block.X)
    candidates = xp.flatnonzero(keys < np.inf)
    if len(candidates) > n:
        # Equal keys at the border: all of them take part, so that the row number decides.
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
    """Return the operator that keeps the n best of two."""
    return _Merge(n)


class _Merge:
    def __init__(self, n: int) -> None:
        self._n = n

    def __call__(self, one: Picked, other: Picked) -> Picked:
        return _first(Picked(*(np.concatenate(parts) for parts in zip(one, other, strict=True))), self._n)


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

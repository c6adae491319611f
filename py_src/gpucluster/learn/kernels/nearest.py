"""Squared distances to the nearest of a growing set of centres."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..arrays import Array, array_namespace_of
from ..rows.block import Block
from .on_gpu import lloyd as lloyd_on_gpu
from .slices import slices

ROUNDING = 8  # Squared distances below this multiple of the rounding error count as zero.


class Nearest:
    """Caches each block's distances to the nearest centre, so that only new centres are computed.

    A copy in another process starts with an empty cache.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[int, int | None], tuple[int, Array]] = {}
        self._squares: dict[tuple[int, int | None], Array] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {"_known": {}, "_squares": {}}

    def lengths(self, block: Block, offset: Array | None) -> Array:
        """Return squared lengths of the rows, relative to the offset: array of shape (n_rows,), of the type of X."""
        key = block.number, block.start
        if key not in self._squares:
            self._squares[key] = _lengths(block.X, offset)
        return self._squares[key]

    def distances(self, block: Block, centers: Array, offset: Array | None) -> Array:
        """Return squared distances to the nearest centre, of shape (n_rows,) and the type of X.

        The centres, relative to the offset, are those of the last call, and possibly further ones.
        """
        xp = array_namespace_of(block.X)
        key = block.number, block.start
        n_known, nearest = self._known.get(key, (0, None))
        if nearest is None:
            nearest = xp.full(len(block), np.inf, block.X.dtype)
        new = centers[n_known:]
        if len(new) and lloyd_on_gpu.is_taken(block.X, len(new), summed=False):
            xp.minimum(nearest, lloyd_on_gpu.pass_over(block.X, new, offset, distances=True).distances, out=nearest)
        elif len(new):
            for part, distances in distances_to(block.X, self.lengths(block, offset), new, offset):
                xp.minimum(nearest[part], distances.min(axis=1), out=nearest[part])
        self._known[key] = len(centers), nearest
        return nearest


def distances_to(X: Array, lengths: Array, centers: Array, offset: Array | None) -> Iterator[tuple[slice, Array]]:
    """Yield slices of rows and their squared distances to all centres: arrays of shape (n_rows, n_centers).

    ``|x - c|² = |x|² - 2 x·c + |c|²``: one matrix product per slice.
    """
    xp = array_namespace_of(X)
    centers = xp.asarray(centers, dtype=X.dtype)
    own = (centers * centers).sum(axis=1)
    for part in slices(X):
        sizes = lengths[part, None] + own
        distances = _shifted(X[part], offset) @ centers.T
        distances *= -2
        distances += sizes
        sizes *= ROUNDING * np.finfo(X.dtype).eps
        distances[distances < sizes] = 0
        yield part, distances


def distances_between(X: Array, centers: Array, offset: Array | None) -> Array:
    """Return all squared distances: array of shape (n_rows, n_centers), of the type of X."""
    xp = array_namespace_of(X)
    result = xp.empty((len(X), len(centers)), X.dtype)
    for part, distances in distances_to(X, _lengths(X, offset), centers, offset):
        result[part] = distances
    return result


def _lengths(X: Array, offset: Array | None) -> Array:
    xp = array_namespace_of(X)
    lengths = xp.empty(len(X), X.dtype)
    for part in slices(X):
        values = _shifted(X[part], offset)
        lengths[part] = xp.einsum("ij,ij->i", values, values)
    return lengths


def _shifted(X: Array, offset: Array | None) -> Array:
    return X if offset is None else X - array_namespace_of(X).asarray(offset, dtype=X.dtype)

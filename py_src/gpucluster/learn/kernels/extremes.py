"""Smallest and largest value of each column, missing values left out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Array, array_namespace_of, to_numpy
from ..rows.block import Block
from .slices import slices


class Extremes(NamedTuple):
    """Of some rows; what ranks send each other: at most ``8 (2 d + 1)`` bytes for d columns."""

    n_rows: int
    lows: Array
    """Array of shape (d,), of the type of X; NaN where a column has no value."""
    highs: Array
    """The same."""


def extremes(block: Block) -> Extremes:
    """Return the smallest and largest values of a block; NaN counts as missing."""
    xp = array_namespace_of(block.X)
    lows, highs = np.full((2, block.X.shape[1]), np.nan, block.X.dtype)
    for part in slices(block.X):
        rows = block.X[part]
        missing = xp.isnan(rows)
        low = to_numpy(xp.where(missing, np.inf, rows).min(axis=0))
        high = to_numpy(xp.where(missing, -np.inf, rows).max(axis=0))
        none = low > high
        lows = np.fmin(lows, np.where(none, np.nan, low).astype(lows.dtype))
        highs = np.fmax(highs, np.where(none, np.nan, high).astype(highs.dtype))
    return Extremes(len(block), lows, highs)


def merge_extremes(one: Extremes, other: Extremes) -> Extremes:
    """Return the smallest and largest values of two sets of rows together."""
    return Extremes(one.n_rows + other.n_rows, np.fmin(one.lows, other.lows), np.fmax(one.highs, other.highs))

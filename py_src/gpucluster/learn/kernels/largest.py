"""Largest absolute value of each column, missing values left out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Array, array_namespace_of, to_numpy
from ..rows.block import Block
from .slices import slices


class Largest(NamedTuple):
    """Of some rows; what ranks send each other: at most ``8 (d + 1)`` bytes for d columns."""

    n_rows: int
    values: Array
    """Array of shape (d,), of the type of X; NaN where a column has no value."""


def largest(block: Block) -> Largest:
    """Return the largest absolute values of a block; NaN counts as missing."""
    xp = array_namespace_of(block.X)
    found = np.full(block.X.shape[1], np.nan, block.X.dtype)
    for part in slices(block.X):
        rows = xp.abs(block.X[part])
        rows[xp.isnan(rows)] = -1
        values = to_numpy(rows.max(axis=0))
        found = np.fmax(found, np.where(values < 0, np.nan, values).astype(found.dtype))
    return Largest(len(block), found)


def merge_largest(one: Largest, other: Largest) -> Largest:
    """Return the largest absolute values of two sets of rows together."""
    return Largest(one.n_rows + other.n_rows, np.fmax(one.values, other.values))

"""Mean and variance of each column in one pass, missing values left out; safe for data far from zero.

Source: T. F. Chan, G. H. Golub and R. J. LeVeque, "Algorithms for Computing the Sample Variance: Analysis and
Recommendations", The American Statistician 37 (1983).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Array, array_namespace_of, to_numpy
from ..rows.block import Block
from .slices import slices


class Columns(NamedTuple):
    """Of some rows; what ranks send each other: ``32 d`` bytes for d columns."""

    counts: Array
    """Values that are there, each column: array of shape (d,), like the others."""
    weights: Array
    """Sum of their weights."""
    means: Array
    squares: Array
    """Weighted sum of squared distances from the mean."""


@np.errstate(invalid="ignore", over="ignore")
def columns(block: Block) -> Columns:
    """Return what a block's columns hold; NaN counts as missing."""
    xp = array_namespace_of(block.X)
    total = Columns(*np.zeros((4, block.X.shape[1])))
    for part in slices(block.X):
        weights = xp.ones(part.stop - part.start) if block.weights is None else block.weights[part].astype(np.float64)
        shift = block.X[part.start].astype(np.float64)
        rows = block.X[part] - shift
        totals = weights @ rows
        if xp.isfinite(totals).all():
            counts, sums = xp.full(rows.shape[1], len(rows)), xp.full(rows.shape[1], weights.sum())
        else:
            rows = block.X[part].astype(np.float64)
            there = ~xp.isnan(rows)
            counts, sums = there.sum(axis=0), weights @ there
            # A value of the column itself, so that distances are small; which one does not matter.
            shift = xp.take_along_axis(rows, there.argmax(axis=0)[None], axis=0)[0]
            shift = xp.where(counts > 0, shift, 0.0)
            rows = xp.where(there, rows - shift, 0.0)
            totals = weights @ rows
        safe = xp.where(sums > 0, sums, 1.0)
        offsets = totals / safe
        rows *= rows
        squares = weights @ rows - sums * offsets**2
        found = [counts, sums, shift + offsets, xp.maximum(squares, 0.0)]
        total = merge_columns(total, Columns(*(to_numpy(value).astype(np.float64) for value in found)))
    return total


@np.errstate(invalid="ignore", over="ignore")
def merge_columns(one: Columns, other: Columns) -> Columns:
    """Return what two sets of rows hold together."""
    weights = one.weights + other.weights
    safe = np.where(weights > 0, weights, 1.0)
    # The mean of nothing is 0 and must not count, so a column that only one of them has starts from that one's mean.
    start = np.where(one.weights > 0, one.means, other.means)
    apart = np.where(other.weights > 0, other.means - start, 0.0)
    squares = one.squares + other.squares + apart**2 * (one.weights * (other.weights / safe))
    return Columns(one.counts + other.counts, weights, start + apart * (other.weights / safe), squares)

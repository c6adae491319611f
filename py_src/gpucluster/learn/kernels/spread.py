"""Mean and variance of each column in one pass, safe for data far from zero.

Source: T. F. Chan, G. H. Golub and R. J. LeVeque, "Algorithms for Computing the Sample Variance: Analysis and
Recommendations", The American Statistician 37 (1983), formulas 2.1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Array, Dtype, array_namespace_of, to_numpy
from ..rows.block import Block
from .slices import slices


class Spread(NamedTuple):
    """Of some rows: ``8 (2 d + 4)`` bytes for d columns."""

    n_rows: float
    """Number of all rows."""
    n_seen: float
    """Number of those that were looked at."""
    weight: float
    """Sum of all rows' weights; NaN where one is negative."""
    mean: Array
    """Array of shape (d,), float64. Of the rows, whatever they weigh."""
    squares: Array
    """Sum of the squared distances from the mean, per column: array of shape (d,), float64."""
    precision: float
    """Distance from 1 to the next number of the rows' type."""

    @property
    def variance(self) -> Array:
        """Of each column."""
        return self.squares / max(self.n_seen, 1.0)

    @property
    def dtype(self) -> Dtype:
        """Of the rows; where they differ, the less precise one."""
        return np.dtype(np.float32 if self.precision > np.finfo(np.float64).eps else np.float64)


def spread(block: Block, every: int = 1) -> Spread:
    """Return the spread of one block's columns.

    Parameters
    ----------
    block : Block
    every : int
        Look at the rows only whose number among all rows is a multiple of this; if it is above 1, rows must be counted.
    """
    xp = array_namespace_of(block.X)
    n_features = block.X.shape[1]
    precision = float(np.finfo(block.X.dtype).eps)
    n_rows = float(len(block))
    result = Spread(n_rows, 0.0, _weight(block), np.zeros(n_features), np.zeros(n_features), precision)
    X = block.X if every == 1 else block.X[-int(block.start or 0) % every :: every]
    for part in slices(X):
        values = X[part]
        # Differences from any row nearby are small numbers, which float32 can add up.
        first = values[0].copy()
        values = values - first
        ones = xp.ones(len(values), values.dtype)
        sums = (ones @ values).astype(np.float64)
        values *= values
        squares = (ones @ values).astype(np.float64) - sums * sums / len(values)
        piece = 0.0, float(len(values)), 0.0, to_numpy(first + sums / len(values)), to_numpy(squares)
        result = merge_spreads(result, Spread(*piece, precision))
    return result


def merge_spreads(one: Spread, other: Spread) -> Spread:
    """Return the spread of two sets of rows together."""
    count, weight, n_rows = one.n_seen + other.n_seen, one.weight + other.weight, one.n_rows + other.n_rows
    precision = max(one.precision, other.precision)
    if not one.n_seen or not other.n_seen:
        return (one if one.n_seen else other)._replace(n_rows=n_rows, weight=weight, precision=precision)
    apart = other.mean - one.mean
    return Spread(
        n_rows,
        count,
        weight,
        one.mean + apart * (other.n_seen / count),
        np.maximum(one.squares + other.squares, 0.0) + apart * apart * (one.n_seen * other.n_seen / count),
        precision,
    )


def _weight(block: Block) -> float:
    if block.weights is None:
        return float(len(block))
    if len(block) and not bool((block.weights >= 0).all()):
        return float("nan")
    return float(block.weights.sum(dtype=np.float64))

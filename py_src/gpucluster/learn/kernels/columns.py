"""Mean, variance and extremes of each column in one pass, even with missing values and for data far from zero.

Source: T. F. Chan, G. H. Golub and R. J. LeVeque, "Algorithms for Computing the Sample Variance: Analysis and
Recommendations", The American Statistician 37 (1983), formulas 2.1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Array, Dtype, array_namespace_of, to_numpy
from ..rows.block import Block
from .slices import slices


class Columns(NamedTuple):
    """Statistics of some rows, sent between ranks: ``32 d`` bytes for d columns."""

    counts: Array  # Number of values in each column: array of shape (d,), like the others.
    weights: Array  # Sum of their weights.
    means: Array
    squares: Array  # Weighted sum of squared distances from the mean.


@np.errstate(invalid="ignore", over="ignore")
def columns(block: Block) -> Columns:
    """Return the statistics of a block's columns; NaN counts as missing."""
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
            # Any value of the column, so that distances are small.
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
    weights = one.weights + other.weights
    safe = np.where(weights > 0, weights, 1.0)
    # The mean of nothing is 0 and must not count, so a column that only one of them has starts from that one's mean.
    start = np.where(one.weights > 0, one.means, other.means)
    apart = np.where(other.weights > 0, other.means - start, 0.0)
    squares = one.squares + other.squares + apart**2 * (one.weights * (other.weights / safe))
    return Columns(one.counts + other.counts, weights, start + apart * (other.weights / safe), squares)


class Extremes(NamedTuple):
    """Extremes of some rows, sent between ranks: at most ``8 (2 d + 1)`` bytes for d columns."""

    n_rows: int
    lows: Array  # Array of shape (d,), of the type of X; NaN where a column has no value.
    highs: Array  # The same.


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
    return Extremes(one.n_rows + other.n_rows, np.fmin(one.lows, other.lows), np.fmax(one.highs, other.highs))


class Spread(NamedTuple):
    """Means and variances of sampled rows: ``8 (2 d + 4)`` bytes for d columns."""

    n_rows: float  # Number of all rows.
    n_seen: float  # Number of sampled rows.
    weight: float  # Sum of all rows' weights; NaN where one is negative.
    mean: Array  # Array of shape (d,), float64. Of the rows, whatever they weigh.
    squares: Array  # Sum of the squared distances from the mean, per column: array of shape (d,), float64.
    precision: float  # Distance from 1 to the next number of the rows' type.

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

    Samples rows whose number among all rows is a multiple of ``every``; if it is above 1, rows must be counted.
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

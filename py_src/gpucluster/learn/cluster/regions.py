"""Space cut into boxes with about as many rows each, whatever the order of the rows.

The median cuts of a KD-tree: J. L. Bentley, "Multidimensional Binary Search Trees Used for Associative Searching",
Communications of the ACM 18 (1975).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array


@dataclass(frozen=True)
class Region:
    """A box: rows with ``low < x <= high`` in each column."""

    low: Array
    """Array of shape (n_features,); minus infinity where nothing is cut."""
    high: Array

    def holds(self, X: Array) -> NDArray[np.bool_]:
        """Return which rows are in the box; each row is in one box of those that `regions` returns."""
        inside = np.ones(len(X), bool)
        for column in np.flatnonzero(np.isfinite(self.low) | np.isfinite(self.high)):
            inside &= (X[:, column] > self.low[column]) & (X[:, column] <= self.high[column])
        return inside

    def near(self, X: Array, reach: float) -> NDArray[np.bool_]:
        """Return which rows are so near in each single column that they may be so near to a row in the box."""
        near = np.ones(len(X), bool)
        for column in np.flatnonzero(np.isfinite(self.low) | np.isfinite(self.high)):
            # Differences are rounded as those between two rows are, so that no row is missed.
            near &= (self.low[column] - X[:, column] <= reach) & (X[:, column] - self.high[column] <= reach)
        return near


def regions(sample: Array, n_regions: int) -> list[Region]:
    """Return boxes that together are all of space, each with about as many of these rows.

    Parameters
    ----------
    sample : array of shape (n_rows, n_features)
    n_regions : int
        Rows that are all alike cannot be cut; then some boxes are empty.
    """
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

"""What least squares need to know of all rows: products of the columns, or their square root for more digits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Array
from ..checks import check_finite, check_weight, no_rows
from ..errors import InvalidData
from ..kernels.factor import Factor, factor, merge_factors, uncentred
from ..kernels.moments import Moments, merge_moments, moments
from ..rows.block import Rows

DIGITS_LEFT = 1e-8
"""Eigenvalues of the products below that share of the largest one have lost half of their digits."""


class Summary(NamedTuple):
    """Of all rows; centred where there is an intercept."""

    n_rows: int
    weight: float
    x_mean: Array
    """Array of shape (d,); zero where nothing was centred, as is y_mean."""
    y_mean: Array
    """Array of shape (t,) for t targets."""
    matrix: Array
    """Products: array of shape (d + t, d + t). Their triangular factor: (at most d + t, d + t)."""

    @property
    def xx(self) -> Array:
        """Products of the columns of X."""
        return self.matrix[: len(self.x_mean), : len(self.x_mean)]

    @property
    def xy(self) -> Array:
        """Products of the columns of X and y."""
        return self.matrix[: len(self.x_mean), len(self.x_mean) :]

    @property
    def small_X(self) -> Array:
        """A table of few rows that has the same least squares problems as X."""
        return self.matrix[:, : len(self.x_mean)]

    @property
    def small_y(self) -> Array:
        """What belongs to the rows of that table."""
        return self.matrix[:, len(self.x_mean) :]


def products(rows: Rows, n_features: int, centred: bool) -> Summary:
    """Return the products of all columns of X and y, computed in float64; one message of ``8 k (k + 1)`` bytes."""
    found: Moments = rows.total(moments, "float64", op=merge_moments)
    matrix = found.scatter if centred else found.scatter + found.weight * np.outer(found.mean, found.mean)
    return _checked(Summary(int(found.n_rows), found.weight, *_means(found.mean, n_features, centred), matrix))


def small_table(rows: Rows, n_features: int, centred: bool) -> Summary:
    """Return the triangular factor of X and y; one message of as many bytes, several times the work."""
    found: Factor = rows.total(factor, op=merge_factors)
    matrix = found.R if centred else uncentred(found)
    return _checked(Summary(int(found.n_rows), found.weight, *_means(found.mean, n_features, centred), matrix))


def root_of(summary: Summary) -> Summary:
    """Return products as a small table; small columns have fewer digits than those of `small_table`."""
    values, vectors = np.linalg.eigh(summary.matrix)
    return summary._replace(matrix=np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T)


def _means(mean: Array, n_features: int, centred: bool) -> tuple[Array, Array]:
    mean = mean if centred else np.zeros_like(mean)
    return mean[:n_features], mean[n_features:]


def _checked(summary: Summary) -> Summary:
    if not summary.n_rows:
        raise no_rows()
    check_weight(summary.weight)
    n_features = len(summary.x_mean)
    if np.isnan(summary.matrix).all():
        raise InvalidData("X: contains NaN or infinity, or sample_weight holds negative weights.")
    check_finite(summary.matrix[:n_features, :n_features])
    check_finite(summary.matrix, "y")
    return summary

"""Principal axes of all rows, in one pass over them."""

from __future__ import annotations

from numbers import Integral
from typing import NamedTuple

import numpy as np
from sklearn.utils.extmath import svd_flip

from ..arrays import Array
from ..checks import check_finite
from ..errors import InvalidData, InvalidParameter
from ..kernels.factor import Factor, factor, merge_factors
from ..kernels.moments import Moments, merge_moments, moments
from ..rows.block import Rows


class Spectrum(NamedTuple):
    """Of the covariance matrix, largest variance first."""

    n_samples: int
    mean: Array
    """Array of shape (n_features,), float64."""
    variances: Array
    """Array of shape (k,), float64; k is the smaller one of n_samples and n_features."""
    axes: Array
    """Array of shape (k, n_features), float64."""


def covariance_spectrum(rows: Rows) -> Spectrum:
    """Return mean, variances and axes from the covariance matrix.

    Sends one message of ``8 (d + 1) d`` bytes for each block or rank, d the number of columns; nothing else.
    """
    found: Moments = rows.total(moments, op=merge_moments)
    n_samples = int(found.n_rows)
    check_rows(n_samples)
    check_finite(found.scatter)
    variances, vectors = np.linalg.eigh(found.scatter / (n_samples - 1))
    return _sorted(n_samples, found.mean, np.maximum(variances[::-1], 0.0), vectors.T[::-1])


def factor_spectrum(rows: Rows) -> Spectrum:
    """Return the same from the triangular factor of the centred rows: slower, with all digits of small variances.

    Sends one message of ``8 (d + 1) d`` bytes for each block or rank.
    """
    found: Factor = rows.total(factor, op=merge_factors)
    n_samples = int(found.n_rows)
    check_rows(n_samples)
    check_finite(found.R)
    _, values, axes = np.linalg.svd(found.R, full_matrices=False)
    return _sorted(n_samples, found.mean, values**2 / (n_samples - 1), axes)


def check_rows(n_samples: int) -> None:
    """Refuse a table whose rows have no variance because there are too few."""
    if n_samples < 2:
        raise InvalidData(f"X: {n_samples} sample(s) (rows); at least 2 are needed (minimum of 2 is required).")


def components_to_keep(
    wanted: float | str | None, ratios: Array, variances: Array, n_samples: int, n_features: int
) -> int:
    """Return a number of components.

    Parameters
    ----------
    wanted : int, float, "mle" or None
        As ``n_components`` of `PCA`; checked already, apart from how it fits the data.
    ratios, variances : ndarray of shape (k,)
        Of all components, largest first; ratios are shares of the whole variance.
    n_samples, n_features : int

    Raises
    ------
    InvalidParameter
        There are fewer components, or too few rows for an estimate.
    """
    most = len(ratios)
    if wanted is None:
        return most
    if isinstance(wanted, str):
        from sklearn.decomposition._pca import _infer_dimension

        if n_samples < n_features:
            raise InvalidParameter("n_components: 'mle' needs at least as many rows as columns. Give a number.")
        return int(_infer_dimension(variances, n_samples))
    if not isinstance(wanted, Integral):
        return min(most, int(np.searchsorted(np.cumsum(ratios), wanted, side="right")) + 1)
    if wanted > most:
        raise InvalidParameter(
            f"n_components: {wanted} must be between 1 and min(n_samples, n_features)={most} of this table."
        )
    return int(wanted)


def _sorted(n_samples: int, mean: Array, variances: Array, axes: Array) -> Spectrum:
    k = min(n_samples, len(mean))
    # The sign is arbitrary; as in scikit-learn, the largest loading of each axis is positive.
    _, axes = svd_flip(None, np.ascontiguousarray(axes[:k]), u_based_decision=False)
    return Spectrum(n_samples, mean, variances[:k], axes)

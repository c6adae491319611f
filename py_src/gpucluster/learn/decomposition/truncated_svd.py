"""Singular value decomposition without centring."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.utils.extmath import svd_flip

from ..arrays import Array, Data, RandomState
from ..checks import check_columns, check_finite, no_rows
from ..delegation.methods import delegable
from ..errors import InvalidParameter
from ..kernels.factor import Factor, factor, merge_factors, uncentred
from ..kernels.moments import Moments, merge_moments, moments
from ..parameters import one_of, parameter, whole
from ..rows.block import Rows
from ..rows.table import floating_type
from .pca import AxesTransformer


class SingularAxes(NamedTuple):
    """Singular values and axes of the rows, not centred, largest singular value first."""

    values: Array  # Array of shape (k,).
    axes: Array  # Array of shape (k, n_features).
    variances: Array  # Of the rows along each axis: array of shape (k,).
    all_variance: float  # Sum of the columns' variances.


def axes_of_products(rows: Rows) -> SingularAxes:
    """Return the axes from X^T X: quick; singular values below 1e-8 of the largest one are rounding errors."""
    found: Moments = rows.total(moments, "float64", op=merge_moments)
    check_finite(found.scatter)
    if not found.n_rows:
        raise no_rows()
    products = found.scatter + found.weight * np.outer(found.mean, found.mean)
    squares, vectors = np.linalg.eigh(products)
    axes = vectors.T[::-1]
    variances = np.einsum("ij,jk,ik->i", axes, found.scatter, axes, optimize=True) / found.weight
    values = np.sqrt(np.maximum(squares[::-1], 0.0))
    return _signed(values, axes, variances, np.trace(found.scatter) / found.weight, found.n_rows)


def axes_of_factor(rows: Rows) -> SingularAxes:
    """Return the axes from the triangular factor of X: slower, with all digits of small singular values."""
    found: Factor = rows.total(factor, op=merge_factors)
    check_finite(found.R)
    if not found.n_rows:
        raise no_rows()
    _, values, axes = np.linalg.svd(uncentred(found), full_matrices=False)
    variances = ((found.R @ axes.T) ** 2).sum(axis=0) / found.weight
    return _signed(values, axes, variances, float((found.R**2).sum()) / found.weight, found.n_rows)


class TruncatedSVD(AxesTransformer):
    """Largest singular values and their axes, without centring the columns, in one pass over the rows.

    Algorithm: eigenvalues of X^T X, added up over blocks in float64 (``randomized``), or the singular values of the
    triangular factor of X, from a tree of small QRs (``arpack``; Demmel, Grigori, Hoemmen and Langou, 2012). Both are
    exact to rounding: the first one to 1e-8 of the largest singular value, the second one to 1e-15 of it.

    Communication: one message of ``8 (d + 1) d`` bytes per block of rows, combined along a tree, d the number of
    columns. scikit-learn's randomized algorithm would need ``n_iter`` more passes over the rows. cuML's
    ``cuml.dask.decomposition.TruncatedSVD`` sums X^T X as the first algorithm does.

    Parameters
    ----------
    n_components : int
        At most the number of columns.
    algorithm : {"randomized", "arpack"}
        scikit-learn's names; see above for what they mean here. ``full``, ``jacobi`` and ``auto`` (cuML) mean
        ``randomized``, ``tsqr`` (Dask-ML) means ``arpack``.
    n_iter, n_oversamples, power_iteration_normalizer, random_state, tol
        Without effect: nothing is approximated.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features_in_)
        float32 for float32 data. The largest entry of each row is positive.
    singular_values_ : ndarray of shape (n_components,)
    explained_variance_, explained_variance_ratio_ : ndarray of shape (n_components,)
        Variance of the transformed rows, and its share of the variance of all columns.
    n_components_ : int
    """

    _scikit_learn = "sklearn.decomposition.TruncatedSVD"

    n_components: int = parameter(2, whole(1), kw_only=False)
    algorithm: str = parameter("randomized", one_of("randomized", "arpack"))
    n_iter: int = 5
    n_oversamples: int = 10
    power_iteration_normalizer: str = "auto"
    random_state: RandomState = None
    tol: float = 0.0

    @delegable
    def fit(self, X: Data, y: Data | None = None) -> TruncatedSVD:
        """Find the axes."""
        algorithms = {"randomized": axes_of_products, "arpack": axes_of_factor}
        wanted = self.n_components
        check_columns(X, "TruncatedSVD")
        found: SingularAxes = self._fit_with(algorithms[self.algorithm], X, passes=1)
        if wanted > len(found.values):
            raise InvalidParameter(
                f"n_components({wanted}) must be <= n_features({self.n_features_in_}), and at most the number of rows."
            )
        dtype = floating_type(X)
        self.components_ = found.axes[:wanted].astype(dtype)
        self.n_components_ = int(wanted)
        self.singular_values_ = found.values[:wanted].astype(dtype)
        self.explained_variance_ = found.variances[:wanted].astype(dtype)
        self.explained_variance_ratio_ = (found.variances[:wanted] / (found.all_variance or 1.0)).astype(dtype)
        return self


def _signed(values: Array, axes: Array, variances: Array, all_variance: float, n_rows: float) -> SingularAxes:
    k = min(int(n_rows), len(axes))
    _, axes = svd_flip(None, np.ascontiguousarray(axes[:k]), u_based_decision=False)
    return SingularAxes(values[:k], axes, variances[:k], float(all_variance))

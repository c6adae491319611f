"""Ordinary least squares."""

from __future__ import annotations

from numbers import Real
from typing import NamedTuple

import numpy as np

from ..arrays import Array, Data
from ..delegation.methods import delegable
from ..errors import InvalidParameter
from ..rows.block import Rows
from .least_squares import DIGITS_LEFT, products, small_table
from .regressor import LinearRegressor


class Solution(NamedTuple):
    """Coefficients, one column for each target, and what they were computed from."""

    coef: Array
    x_mean: Array
    y_mean: Array
    rank: int
    singular: Array


def least_squares(rows: Rows, n_features: int, centred: bool, tol: float) -> Solution:
    """Return the solution of least norm.

    From the normal equations, in one pass, where they have digits enough; otherwise from the triangular factor of X and
    y, in a second pass: its condition is that of X, not the square of it.
    """
    found = products(rows, n_features, centred)
    scales = np.sqrt(np.diagonal(found.xx))
    eigenvalues = np.linalg.eigvalsh(found.xx)
    if scales.min(initial=np.inf) > 0 and eigenvalues[0] > 4 * tol**2 * eigenvalues[-1]:
        scaled = found.xx / np.outer(scales, scales)
        values, vectors = np.linalg.eigh(scaled)
        if values[0] > DIGITS_LEFT * values[-1]:
            coef = vectors @ ((vectors.T @ (found.xy / scales[:, None])) / values[:, None]) / scales[:, None]
            singular = np.sqrt(np.maximum(eigenvalues[::-1], 0.0))
            return Solution(coef, found.x_mean, found.y_mean, n_features, singular)
    found = small_table(rows, n_features, centred)
    U, singular, Vt = np.linalg.svd(found.small_X, full_matrices=False)
    rank = int((singular > tol * singular[0]).sum()) if len(singular) else 0
    coef = Vt[:rank].T @ ((U[:, :rank].T @ found.small_y) / singular[:rank, None])
    return Solution(coef, found.x_mean, found.y_mean, rank, singular[: min(found.n_rows, n_features)])


def not_negative_least_squares(rows: Rows, n_features: int, centred: bool, penalty: float = 0.0) -> Solution:
    """Return the best coefficients that are not negative, for each target (Lawson and Hanson, 1974)."""
    from scipy.optimize import nnls

    found = small_table(rows, n_features, centred)
    X = np.vstack([found.small_X, np.sqrt(penalty) * np.eye(n_features)])
    y = np.vstack([found.small_y, np.zeros((n_features, found.small_y.shape[1]))])
    coef = np.column_stack([nnls(X, y[:, target])[0] for target in range(y.shape[1])])
    return Solution(coef, found.x_mean, found.y_mean, n_features, np.zeros(0))


class LinearRegression(LinearRegressor):
    """Ordinary least squares in one pass over the rows, two where columns nearly depend on each other.

    Algorithm: centred products of all columns of X and y in float64, merged in pairs (Chan, Golub and LeVeque, 1983),
    and the normal equations. Where these have lost too many digits, the triangular factor of X and y from a tree of
    small QRs (Demmel, Grigori, Hoemmen and Langou, 2012), and the solution of least norm.

    Communication: one message of ``8 k (k + 1)`` bytes per block of rows and pass, combined along a tree, for k columns
    of X and y together. cuML's ``cuml.dask.linear_model.LinearRegression`` sums the normal equations
    (``algorithm="eig"``) and takes one target only.

    Parameters
    ----------
    fit_intercept : bool
    copy_X : bool
        Without effect: the data are never changed.
    tol : float
        Directions of X shorter than that share of the longest one are taken to be zero.
    n_jobs
        Without effect: all workers compute.
    positive : bool
        Allow no negative coefficients.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        float32 for float32 data.
    intercept_ : float or ndarray of shape (n_targets,)
    rank_ : int
        Of X; not with ``positive``, as ``singular_``.
    singular_ : ndarray of shape (min(n_samples, n_features),)
        Singular values of X, centred where there is an intercept.
    n_features_in_ : int
    """

    _scikit_learn = "sklearn.linear_model.LinearRegression"

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        copy_X: bool = True,
        tol: float = 1e-6,
        n_jobs: int | None = None,
        positive: bool = False,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.tol = tol
        self.n_jobs = n_jobs
        self.positive = positive

    @delegable
    def fit(self, X: Data, y: Data, sample_weight: Data | None = None) -> LinearRegression:
        """Find the coefficients.

        Parameters
        ----------
        X : Dask array or data frame, or array, of shape (n_samples, n_features)
        y : Dask array, series or data frame, or array, of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : Dask array or series, or array, of shape (n_samples,), optional

        Raises
        ------
        InvalidData
            Something is not finite, has no rows, or does not fit together.
        InvalidParameter
            An option is not allowed.
        """
        if not isinstance(self.tol, Real) or isinstance(self.tol, bool) or not 0 <= float(self.tol) < np.inf:
            raise InvalidParameter(f"tol: must be a number from 0, not {self.tol!r}.")
        found: Solution
        if self.positive:
            found = self._summarized(not_negative_least_squares, X, y, sample_weight, passes=1)
        else:
            found = self._summarized(least_squares, X, y, sample_weight, passes=2, tol=float(self.tol))
            self.rank_ = found.rank
            self.singular_ = found.singular
        self._keep(X, y, found.coef, found.x_mean, found.y_mean)
        return self

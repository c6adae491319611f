"""Least squares with a penalty on squared coefficients."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array, Data, RandomState
from ..delegation.methods import delegable
from ..errors import InvalidParameter
from ..rows.block import Rows
from .least_squares import DIGITS_LEFT, products, small_table
from .linear_regression import Solution, not_negative_least_squares
from .regressor import LinearRegressor

SOLVERS = ("auto", "svd", "cholesky")


def ridge(rows: Rows, n_features: int, centred: bool, alphas: Array) -> Solution:
    """Return the exact minimum, for one penalty or one for each target."""
    found = products(rows, n_features, centred)
    values, vectors = np.linalg.eigh(found.xx)
    if values[0] + alphas.min() > DIGITS_LEFT * values[-1]:
        turned = (vectors.T @ found.xy) / (values[:, None] + alphas)
        return Solution(vectors @ turned, found.x_mean, found.y_mean, n_features, np.zeros(0))
    found = small_table(rows, n_features, centred)
    U, singular, Vt = np.linalg.svd(found.small_X, full_matrices=False)
    kept = singular > 1e-15
    shrunk = singular[kept, None] / (singular[kept, None] ** 2 + alphas)
    return Solution(Vt[kept].T @ (shrunk * (U[:, kept].T @ found.small_y)), found.x_mean, found.y_mean, 0, singular)


class Ridge(LinearRegressor):
    """Least squares with a penalty on squared coefficients, in one pass over the rows (two for a tiny penalty).

    Algorithm: as `LinearRegression`; the penalty is added to the eigenvalues of the products, or to the singular values
    of the triangular factor where the products have lost too many digits.

    Communication: as `LinearRegression`. cuML's ``cuml.dask.linear_model.Ridge`` sums the products too; it takes one
    target and one penalty.

    Parameters
    ----------
    alpha : float or array of shape (n_targets,)
        Penalty, from 0.
    fit_intercept : bool
    copy_X : bool
        Without effect: the data are never changed.
    max_iter, tol, random_state
        Without effect: nothing is iterated.
    solver : {"auto", "svd", "cholesky"}
        All give the exact minimum. scikit-learn's iterative solvers are refused.
    positive : bool
        Allow no negative coefficients; then alpha is one number.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
    intercept_ : float or ndarray of shape (n_targets,)
    n_iter_ : None
    n_features_in_ : int
    """

    _scikit_learn = "sklearn.linear_model.Ridge"

    def __init__(
        self,
        alpha: float | ArrayLike = 1.0,
        *,
        fit_intercept: bool = True,
        copy_X: bool = True,
        max_iter: int | None = None,
        tol: float = 1e-4,
        solver: str = "auto",
        positive: bool = False,
        random_state: RandomState = None,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.solver = solver
        self.positive = positive
        self.random_state = random_state

    @delegable
    def fit(self, X: Data, y: Data, sample_weight: Data | None = None) -> Ridge:
        """Find the coefficients; see `LinearRegression.fit`.

        Raises
        ------
        InvalidData
            Something is not finite, has no rows, or does not fit together.
        InvalidParameter
            ``alpha`` or ``solver`` is not allowed.
        """
        if self.solver not in SOLVERS:
            raise InvalidParameter(
                f"solver: {self.solver!r} is not supported. The minimum is computed exactly; use 'auto', 'svd' or "
                "'cholesky'."
            )
        alphas = np.atleast_1d(np.asarray(self.alpha, dtype=np.float64))
        if alphas.ndim != 1 or not (alphas >= 0).all() or not np.isfinite(alphas).all():
            raise InvalidParameter(f"alpha: must be a number from 0, or one for each target, not {self.alpha!r}.")
        targets = y.shape[1] if len(getattr(y, "shape", ())) == 2 else 1
        if len(alphas) not in {1, targets}:
            raise InvalidParameter(f"alpha: has {len(alphas)} numbers, but there are {targets} targets.")
        found: Solution
        if self.positive:
            if len(alphas) > 1:
                raise InvalidParameter("alpha: must be one number with positive=True.")
            found = self._summarized(
                not_negative_least_squares, X, y, sample_weight, passes=1, penalty=float(alphas[0])
            )
        else:
            found = self._summarized(ridge, X, y, sample_weight, passes=2, alphas=alphas)
        self.n_iter_ = None
        self.solver_ = "svd" if self.solver == "svd" else "cholesky"
        self._keep(X, y, found.coef, found.x_mean, found.y_mean)
        return self

"""Least squares with a penalty that makes coefficients exactly zero."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Array, Data, PlainModel, RandomState
from ..delegation.methods import delegable
from ..errors import InvalidParameter
from ..parameters import one_of, parameter, real
from ..rows.block import Rows
from .least_squares import LinearRegressor, Summary, products, root_of, targets_of


def summary_of(rows: Rows, n_features: int, centred: bool) -> Summary:
    """Return a table of at most d + t rows with the same least squares problems as all rows."""
    return root_of(products(rows, n_features, centred))


class ElasticNet(LinearRegressor):
    """Least squares with penalties on absolute and squared coefficients, in one pass over the rows.

    Algorithm: centred products of the columns of X and y in float64, merged in pairs (Chan, Golub and LeVeque, 1983).
    Their square root is a table of few rows with the same objective; scikit-learn's coordinate descent (Friedman,
    Hastie and Tibshirani, 2010) finds the minimum on that table, in the client.

    Communication: one message of ``8 k (k + 1)`` bytes per block of rows, combined along a tree, for k columns of X and
    y together; nothing per iteration. cuML's ``cuml.dask.linear_model.ElasticNet`` goes through all rows in each
    iteration.

    Parameters
    ----------
    alpha : float
        Penalty, from 0.
    l1_ratio : float
        Fraction of the penalty on absolute values.
    precompute : bool
        Without effect: products are always computed first. An array is refused.
    max_iter : int
    tol : float
        Of the dual gap, as in scikit-learn.
    random_state
        For ``selection="random"``.
    selection : {"cyclic", "random"}

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
    intercept_ : float or ndarray of shape (n_targets,)
    n_iter_ : int, or list of int for several targets
    dual_gap_ : float or ndarray of shape (n_targets,)
    """

    _scikit_learn = "sklearn.linear_model.ElasticNet"

    alpha: float = parameter(1.0, real(0), kw_only=False)
    l1_ratio: float = parameter(0.5, real(0, 1))
    precompute: bool = False
    max_iter: int = 1000
    tol: float = parameter(1e-4, real(0))
    warm_start: bool = False
    random_state: RandomState = None
    selection: str = parameter("cyclic", one_of("cyclic", "random"))

    @delegable
    def fit(self, X: Data, y: Data, sample_weight: Data | None = None) -> ElasticNet:
        """Find the coefficients."""
        found: Summary = self._summarized(summary_of, X, y, sample_weight, passes=1)
        small_X, small_y = found.small_X, found.small_y
        if targets_of(y) is None:
            small_y = small_y[:, 0]
        # scikit-learn divides squares by the number of rows, which the small table has changed.
        share = found.weight / len(small_X)
        model = self._descended(small_X, small_y, share)
        coef = model.coef_.T if small_y.ndim == 2 and model.coef_.ndim == 2 else model.coef_.reshape(-1, 1)
        self.n_iter_ = model.n_iter_
        self.dual_gap_ = model.dual_gap_ / share
        self._keep(X, y, coef, found.x_mean, found.y_mean)
        return self

    @property
    def sparse_coef_(self) -> Any:
        """Coefficients as a sparse matrix."""
        from scipy.sparse import csr_matrix

        return csr_matrix(self.coef_)

    def _descended(self, X: Array, y: Array, share: float) -> PlainModel:
        from sklearn.linear_model import ElasticNet as Model

        model = Model(
            self.alpha * share, l1_ratio=self.l1_ratio, fit_intercept=False, max_iter=self.max_iter, tol=self.tol,
            warm_start=True, positive=self.positive, random_state=self.random_state, selection=self.selection,
        )  # fmt: skip
        if self.warm_start and hasattr(self, "coef_") and self.coef_.shape[-1] == X.shape[1]:
            model.coef_ = self.coef_.astype(np.float64)
        return model.fit(X, y)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not isinstance(self.precompute, bool | np.bool_):
            raise InvalidParameter("precompute: your own Gram matrix is not supported. Use True or False.")


class Lasso(ElasticNet):
    """Least squares with a penalty on absolute coefficients, in one pass over the rows; see `ElasticNet`.

    cuML's ``cuml.dask.linear_model.Lasso`` goes through all rows in each iteration.

    Parameters
    ----------
    alpha, fit_intercept, precompute, copy_X, max_iter, tol, warm_start, positive, random_state, selection
        As those of `ElasticNet` with ``l1_ratio=1``.

    Attributes
    ----------
    coef_, intercept_, n_iter_, dual_gap_
        As those of `ElasticNet`.
    """

    _scikit_learn = "sklearn.linear_model.Lasso"
    _fixed = frozenset({"l1_ratio"})

    l1_ratio = 1.0

"""Linear regressors: ordinary least squares, ridge regression, and penalties that make coefficients exactly zero.

They need the products of all columns, or for more digits their square root.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import MultiOutputMixin

from ..arrays import Array, Collection, Data, Output, PlainModel, RandomState, array_namespace_of
from ..checks import check_columns, check_finite, check_weight, no_rows
from ..delegation.methods import delegable
from ..errors import InvalidData, InvalidParameter
from ..estimator import DistributedEstimator, ScoredRegressor
from ..kernels.moments import Factor, Moments, factor, merge_factors, merge_moments, moments, uncentred
from ..kernels.slices import projected
from ..parameters import SWITCH, Rule, fitted, one_of, parameter, real
from ..rows.block import Rows
from ..rows.table import floating_type, is_dask, is_dask_array

DIGITS_LEFT = 1e-8  # Eigenvalues of the products below this fraction of the largest one have lost half of their digits.


class Summary(NamedTuple):
    """Products of all rows, or a small table; centred where there is an intercept."""

    n_rows: int
    weight: float
    x_mean: Array  # Array of shape (d,); zero where nothing was centred, as is y_mean.
    y_mean: Array  # Array of shape (t,) for t targets.
    matrix: Array  # Products: array of shape (d + t, d + t). Their triangular factor: (at most d + t, d + t).

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
        """A table of few rows with the same least squares problems as X."""
        return self.matrix[:, : len(self.x_mean)]

    @property
    def small_y(self) -> Array:
        """The targets of that table."""
        return self.matrix[:, len(self.x_mean) :]


def products(rows: Rows, n_features: int, centred: bool) -> Summary:
    """Return the products of all columns of X and y, computed in float64; one message of ``8 k (k + 1)`` bytes."""
    found: Moments = rows.total(moments, "float64", op=merge_moments)
    matrix = found.scatter if centred else found.scatter + found.weight * np.outer(found.mean, found.mean)
    return _summary(found, matrix, n_features, centred)


def small_table(rows: Rows, n_features: int, centred: bool) -> Summary:
    """Return the triangular factor of X and y; one message of as many bytes, several times the work."""
    found: Factor = rows.total(factor, op=merge_factors)
    return _summary(found, found.R if centred else uncentred(found), n_features, centred)


def root_of(summary: Summary) -> Summary:
    """Return products as a small table; small columns have fewer digits than those of `small_table`."""
    values, vectors = np.linalg.eigh(summary.matrix)
    return summary._replace(matrix=np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T)


def _summary(found: Moments | Factor, matrix: Array, n_features: int, centred: bool) -> Summary:
    if not found.n_rows:
        raise no_rows()
    check_weight(found.weight)
    if np.isnan(matrix).all():
        raise InvalidData("X: contains NaN or infinity, or sample_weight contains negative weights.")
    check_finite(matrix[:n_features, :n_features])
    check_finite(matrix, "y")
    mean = found.mean if centred else np.zeros_like(found.mean)
    return Summary(int(found.n_rows), found.weight, mean[:n_features], mean[n_features:], matrix)


class LinearRegressor(MultiOutputMixin, ScoredRegressor, DistributedEstimator):
    """Base of the regressors that predict ``X @ coef_.T + intercept_``."""

    _checks: ClassVar[dict[str, Any]] = {"y_numeric": True, "multi_output": True}

    fit_intercept: bool = parameter(True, SWITCH)
    copy_X: bool = True
    positive: bool = False
    coef_: Array = fitted()
    intercept_: Array | float = fitted()

    @delegable
    def predict(self, X: Data) -> Output:
        """Return the prediction for each row."""
        columns = None if self.coef_.ndim == 1 else len(self.coef_)
        return self._map(linear, X, self.coef_, (self.intercept_,), columns=columns)

    def _summarized(
        self,
        algorithm: Callable[..., Any],
        X: Data,
        y: Data,
        sample_weight: Data | None,
        *,
        passes: int,
        **parameters: Any,
    ) -> Any:
        """Run an algorithm, after the checks that scikit-learn does not make for Dask collections."""
        check_columns(X, type(self).__name__)
        if is_dask(y) and any(getattr(dtype, "kind", "O") not in "biuf" for dtype in _types(y)):
            raise InvalidData("y: must be numbers. For classes, use a classifier, such as LogisticRegression.")
        return self._fit_with(
            algorithm, X, y, sample_weight, passes=passes, n_features=columns_of(X),
            centred=bool(self.fit_intercept), **parameters,
        )  # fmt: skip

    def _keep(self, X: Data, y: Data, coef: Array, x_mean: Array, y_mean: Array) -> None:
        """Keep coefficients of shape (n_features, n_targets), and the intercept that belongs to them."""
        dtype = floating_type(X)
        intercept = y_mean - x_mean @ coef
        one = targets_of(y) is None
        self.coef_ = np.ascontiguousarray((coef[:, 0] if one else coef.T).astype(dtype))
        self.intercept_ = dtype.type(intercept[0]) if one else intercept.astype(dtype)
        if not self.fit_intercept:
            self.intercept_ = 0.0


def linear(X: Array, coef: Array, intercept: tuple[Array | float]) -> Array:
    """Return ``X @ coef.T + intercept``."""
    found = projected(X, None, np.atleast_2d(coef).T, None)
    found += array_namespace_of(X).asarray(intercept[0], found.dtype)
    return found[:, 0] if coef.ndim == 1 else found


def _types(y: Collection) -> list[Any]:
    return list(y.dtypes) if not is_dask_array(y) and y.ndim == 2 else [y.dtype]


def targets_of(y: Data) -> int | None:
    """Return the number of columns of y; ``None`` where it has one dimension."""
    shape = y.shape if hasattr(y, "shape") else np.asarray(y).shape
    return int(shape[1]) if len(shape) == 2 else None


def columns_of(X: Data) -> int:
    """Return the number of columns; 0 for data that are not a table, which are refused later."""
    shape = X.shape if hasattr(X, "shape") else np.asarray(X).shape
    return int(shape[1]) if len(shape) == 2 else 0


class Solution(NamedTuple):
    """Coefficients, one column for each target, and properties of X."""

    coef: Array
    x_mean: Array
    y_mean: Array
    rank: int
    singular: Array


def least_squares(rows: Rows, n_features: int, centred: bool, tol: float) -> Solution:
    """Return the solution of least norm.

    From the normal equations, in one pass, where they have enough digits; otherwise from the triangular factor of X and
    y, in a second pass: its condition number is that of X, not its square.
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
    """Return the best non-negative coefficients for each target (Lawson and Hanson, 1974)."""
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
    tol : float
        Singular values of X below this fraction of the largest one count as zero.
    n_jobs
        Without effect: all workers compute.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        float32 for float32 data.
    intercept_ : float or ndarray of shape (n_targets,)
    rank_ : int
        Of X; like ``singular_``, not with ``positive``.
    singular_ : ndarray of shape (min(n_samples, n_features),)
        Singular values of X, centred where there is an intercept.
    """

    _scikit_learn = "sklearn.linear_model.LinearRegression"

    tol: float = parameter(1e-6, Rule(lambda value: real(0).allows(value) and value < np.inf, real(0).text))
    n_jobs: int | None = None

    @delegable
    def fit(self, X: Data, y: Data, sample_weight: Data | None = None) -> LinearRegression:
        """Find the coefficients."""
        found: Solution
        if self.positive:
            found = self._summarized(not_negative_least_squares, X, y, sample_weight, passes=1)
        else:
            found = self._summarized(least_squares, X, y, sample_weight, passes=2, tol=float(self.tol))
            self.rank_ = found.rank
            self.singular_ = found.singular
        self._keep(X, y, found.coef, found.x_mean, found.y_mean)
        return self


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
    """

    _scikit_learn = "sklearn.linear_model.Ridge"

    alpha: float | ArrayLike = parameter(1.0, kw_only=False)
    max_iter: int | None = None
    tol: float = 1e-4
    solver: str = parameter("auto", one_of("auto", "svd", "cholesky", advice="The minimum is computed exactly."))
    random_state: RandomState = None

    @delegable
    def fit(self, X: Data, y: Data, sample_weight: Data | None = None) -> Ridge:
        """Find the coefficients."""
        alphas = np.atleast_1d(np.asarray(self.alpha, dtype=np.float64))
        if alphas.ndim != 1 or not (alphas >= 0).all() or not np.isfinite(alphas).all():
            raise InvalidParameter(f"alpha: must be a number of at least 0, or one per target, not {self.alpha!r}.")
        targets = y.shape[1] if len(getattr(y, "shape", ())) == 2 else 1
        if len(alphas) not in {1, targets}:
            raise InvalidParameter(f"alpha: has {len(alphas)} numbers, but there are {targets} targets.")
        found: Solution
        if self.positive:
            if len(alphas) > 1:
                raise InvalidParameter("alpha: must be a single number if positive=True.")
            found = self._summarized(
                not_negative_least_squares, X, y, sample_weight, passes=1, penalty=float(alphas[0])
            )
        else:
            found = self._summarized(ridge, X, y, sample_weight, passes=2, alphas=alphas)
        self.n_iter_ = None
        self.solver_ = "svd" if self.solver == "svd" else "cholesky"
        self._keep(X, y, found.coef, found.x_mean, found.y_mean)
        return self


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
            raise InvalidParameter("precompute: a precomputed Gram matrix is not supported. Use True or False.")


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

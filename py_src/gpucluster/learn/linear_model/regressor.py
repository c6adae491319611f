"""What the linear regressors have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from sklearn.base import MultiOutputMixin

from ..arrays import Array, Collection, Data, Output, array_namespace_of
from ..checks import check_columns
from ..delegation.methods import delegable
from ..errors import InvalidData, InvalidParameter
from ..estimator import DistributedEstimator
from ..kernels.projection import projected
from ..rows.table import floating_type, is_dask, is_dask_array
from ..scoring import ScoredRegressor


class LinearRegressor(MultiOutputMixin, ScoredRegressor, DistributedEstimator):
    """Predicts ``X @ coef_.T + intercept_``."""

    _checks: ClassVar[dict[str, Any]] = {"y_numeric": True, "multi_output": True}

    coef_: Array
    intercept_: Array | float

    @delegable
    def predict(self, X: Data) -> Output:
        """Return the prediction for each row: lazy, of shape (n_samples,) or (n_samples, n_targets), where X is lazy.

        Parameters
        ----------
        X : Dask array or data frame, or array, of shape (n_samples, n_features)
        """
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self)
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
        """Run an algorithm, after a look at what scikit-learn's checks do not see of Dask collections."""
        if y is None:
            raise InvalidData(
                f"{type(self).__name__} requires y to be passed, but the target y is None. Give one number per row."
            )
        if len(getattr(X, "shape", ())) == 2:
            check_columns(int(X.shape[1]), type(self).__name__)
        if is_dask(y) and any(getattr(dtype, "kind", "O") not in "biuf" for dtype in _types(y)):
            raise InvalidData("y: numbers are needed. For classes use a classifier, such as LogisticRegression.")
        if not isinstance(self.fit_intercept, bool | np.bool_):
            raise InvalidParameter(f"fit_intercept: must be True or False, not {self.fit_intercept!r}.")

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
    """Return the number of columns; 0 for what is no table, which is refused later."""
    shape = X.shape if hasattr(X, "shape") else np.asarray(X).shape
    return int(shape[1]) if len(shape) == 2 else 0

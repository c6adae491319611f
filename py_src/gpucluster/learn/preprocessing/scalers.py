"""Scale columns: to mean 0 and variance 1, to a range, or to at most 1."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import OneToOneFeatureMixin

from ..arrays import Array, Data, Output
from ..checks import check_weight, no_rows
from ..delegation.methods import delegable
from ..errors import InvalidData, InvalidParameter
from ..estimator import DistributedEstimator, LazyTransformerMixin
from ..kernels.columns import Columns, Extremes, columns, extremes, merge_columns, merge_extremes
from ..kernels.slices import Scale, clipped, scaled, stretched, unscaled
from ..parameters import SWITCH, parameter
from ..rows.block import Rows


def extreme_values(rows: Rows) -> Extremes:
    """Return smallest and largest value of each column with one message of at most ``8 (2 d + 1)`` bytes per block."""
    return rows.total(extremes, op=merge_extremes)


class Scaler(OneToOneFeatureMixin, LazyTransformerMixin, DistributedEstimator):
    """Base of the scalers: NaN stays NaN, columns keep their names, results have the type of X."""

    copy: bool = parameter(True, SWITCH)
    _checks: ClassVar[dict[str, Any]] = {"ensure_all_finite": "allow-nan"}

    def _map_columns(self, function: Callable[..., Array], X: Data, *model: Any) -> Output:
        return self._map(function, X, *model, columns=self.n_features_in_, names=self._names_in)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class ScalerByExtremes(Scaler):
    """Base of the scalers that need the smallest and largest value of each column, found in one pass over the rows."""

    clip: bool = parameter(False, SWITCH)

    @delegable
    def fit(self, X: Data, y: Data | None = None) -> Self:
        """Find the smallest and largest values."""
        return self._refined(X, None)

    @delegable
    def partial_fit(self, X: Data, y: Data | None = None) -> Self:
        """Do the same as `fit` with more rows, together with those of former calls.

        A column without values in the rows of one call keeps those of the others.
        """
        return self._refined(X, self._seen() if hasattr(self, "n_samples_seen_") else None)

    @abstractmethod
    def _seen(self) -> Extremes:
        """Return the extremes of the rows so far."""

    @abstractmethod
    def _refined(self, X: Data, before: Extremes | None) -> Self:
        """Fit to these rows, and to earlier ones, if any."""

    def _extremes(self, X: Data, before: Extremes | None) -> Extremes:
        """Return the extremes of X and of earlier rows; refuse infinity, and data without rows."""
        found: Extremes = self._fit_with(extreme_values, X, passes=1, reset=before is None)
        if before is not None:
            found = merge_extremes(before, found)
        if not found.n_rows:
            raise no_rows()
        if np.isinf(found.lows).any() or np.isinf(found.highs).any():
            raise InvalidData("X: contains infinity. Remove or clip such values first.")
        return found

    @staticmethod
    def _divisors(lengths: Array) -> Array:
        """Return divisors of the columns; as in scikit-learn, 1 for columns that differ by rounding only."""
        tiny = 10 * np.finfo(lengths.dtype).eps
        return np.where(lengths < tiny, lengths.dtype.type(1), lengths)


def column_statistics(rows: Rows) -> Columns:
    """Return counts, means and squares of all columns with one message of ``32 d`` bytes per block or rank."""
    return rows.total(columns, op=merge_columns)


class StandardScaler(Scaler):
    """Subtract each column's mean and divide by its standard deviation, both found in one pass over the rows.

    Algorithm: means and squared distances of blocks, merged in pairs (Chan, Golub and LeVeque, 1983). Missing values
    (NaN) are left out while fitting, and stay missing.

    Communication: one message of ``32 d`` bytes per block of rows, combined along a tree, d the number of columns.
    cuML has no multi-GPU form of its ``StandardScaler``; this one takes blocks of CuPy as well.

    Parameters
    ----------
    with_mean, with_std : bool
        Whether to subtract the mean, and to divide by the standard deviation.

    Attributes
    ----------
    mean_, var_, scale_ : ndarray of shape (n_features_in_,) or None
        float64. ``scale_`` is the standard deviation, and 1 for a column of equal values. ``None`` where not needed.
    n_samples_seen_ : int, float or ndarray of shape (n_features_in_,)
        Rows (sum of their weights); for each column where values are missing.
    """

    _scikit_learn = "sklearn.preprocessing.StandardScaler"

    with_mean: bool = parameter(True, SWITCH)
    with_std: bool = parameter(True, SWITCH)

    @delegable
    def fit(self, X: Data, y: Data | None = None, sample_weight: Data | None = None) -> StandardScaler:
        """Find means and standard deviations."""
        return self._refined(X, sample_weight, None)

    @delegable
    def partial_fit(self, X: Data, y: Data | None = None, sample_weight: Data | None = None) -> StandardScaler:
        """Do the same as `fit` with more rows, together with those of former calls."""
        return self._refined(X, sample_weight, self._seen() if hasattr(self, "n_samples_seen_") else None)

    def _refined(self, X: Data, sample_weight: Data | None, before: Columns | None) -> StandardScaler:
        found: Columns = self._fit_with(column_statistics, X, None, sample_weight, passes=1, reset=before is None)
        if sample_weight is not None:
            check_weight(abs(found.weights).sum(), negative=True)
        if before is not None:
            found = merge_columns(before, found)
        there = found.counts > 0
        if not there.any():
            raise no_rows("X", " with values")
        if not np.isfinite(found.squares).all():
            raise InvalidData(
                "X: contains infinity or a value too large for float64. Remove or clip such values first."
            )
        if not (found.weights >= 0).all():
            raise InvalidData("sample_weight: the weights of some column sum to less than 0.")
        self._keep(found, weighted=sample_weight is not None)
        return self

    @delegable
    def transform(self, X: Data, copy: bool | None = None) -> Output:
        """Return scaled columns, of the type of X."""
        return self._map_columns(scaled, X, self._scale())

    @delegable
    def inverse_transform(self, X: Data, copy: bool | None = None) -> Output:
        """Return the original columns."""
        return self._map_columns(unscaled, X, self._scale())

    def _keep(self, found: Columns, *, weighted: bool) -> None:
        weighted = weighted and (self.with_mean or self.with_std)  # As in scikit-learn.
        seen = found.weights if weighted else found.counts.astype(np.int64)
        self.n_samples_seen_ = seen[0] if (seen == seen[0]).all() else seen
        self.mean_ = self.var_ = self.scale_ = None
        empty = found.weights == 0
        means = np.where(empty, np.nan, found.means)
        if self.with_mean or self.with_std:
            self.mean_ = means
        if self.with_std:
            variances = np.where(empty, np.nan, found.squares / np.where(empty, 1.0, found.weights))
            # Rounding errors of the mean do not count as variance (scikit-learn's bound).
            eps = np.finfo(np.float64).eps
            bound = found.counts * eps * variances + (found.counts * means * eps) ** 2
            self.var_ = variances
            self.scale_ = np.where(variances <= bound, 1.0, np.sqrt(variances))

    def _seen(self) -> Columns:
        """Return the statistics of the rows so far."""
        counts = np.broadcast_to(np.asarray(self.n_samples_seen_, dtype=np.float64), self.n_features_in_)
        means = np.zeros(len(counts)) if self.mean_ is None else np.nan_to_num(self.mean_)
        variances = np.zeros(len(counts)) if self.var_ is None else np.nan_to_num(self.var_)
        return Columns(counts, counts, means, variances * counts)

    def _scale(self) -> Scale:
        return self.mean_ if self.with_mean else None, self.scale_


class MinMaxScaler(ScalerByExtremes):
    """Scale each column to a range; its extremes are found in one pass over the rows.

    Source: scikit-learn's formula, ``X * scale_ + min_``. As there, ``float32`` columns far from zero compared with
    their range lose digits; `StandardScaler` keeps them. Missing values (NaN) are left out while fitting, and stay
    missing. Sparse rows, which scikit-learn's class refuses, become dense.

    Communication: one message of at most ``8 (2 d + 1)`` bytes per block of rows, combined along a tree, d the number
    of columns. cuML has no multi-GPU form of its ``MinMaxScaler``; this one takes blocks of CuPy as well.

    Parameters
    ----------
    feature_range : tuple of two numbers
        Scaled smallest and largest value of a column.
    clip : bool
        Clip values of new rows to ``feature_range``.

    Attributes
    ----------
    data_min_, data_max_ : ndarray of shape (n_features_in_,)
        Of the type of X, like the others; NaN for a column without values.
    data_range_ : ndarray of shape (n_features_in_,)
        The largest value minus the smallest.
    scale_, min_ : ndarray of shape (n_features_in_,)
        Factor of each column, and the number added afterwards. A column of equal values is only shifted.
    n_samples_seen_ : int
    """

    _scikit_learn = "sklearn.preprocessing.MinMaxScaler"

    feature_range: tuple[float, float] = parameter((0, 1), kw_only=False)

    def _seen(self) -> Extremes:
        return Extremes(self.n_samples_seen_, self.data_min_, self.data_max_)

    def _refined(self, X: Data, before: Extremes | None) -> Self:
        start, end = self._range()
        found = self._extremes(X, before)
        with np.errstate(over="ignore"):
            ranges = found.highs - found.lows
        if np.isinf(ranges).any():
            raise InvalidData(
                f"X: has a column whose range is too large for {ranges.dtype}. Scale down or clip its values first."
            )
        dtype = ranges.dtype
        self.n_samples_seen_ = found.n_rows
        self.data_min_, self.data_max_, self.data_range_ = found.lows, found.highs, ranges
        self.scale_ = (dtype.type(end) - dtype.type(start)) / self._divisors(ranges)
        self.min_ = dtype.type(start) - found.lows * self.scale_
        return self

    @delegable
    def transform(self, X: Data) -> Output:
        """Return scaled columns: lazy where X is lazy, in the type of X."""
        return self._map_columns(stretched, X, (self.min_, self.scale_), self._range() if self.clip else None)

    @delegable
    def inverse_transform(self, X: Data) -> Output:
        """Return the original columns, except clipped values."""
        return self._map_columns(scaled, X, (self.min_, self.scale_))

    def _range(self) -> tuple[float, float]:
        given = self.feature_range
        numbers = isinstance(given, tuple) and len(given) == 2 and all(isinstance(each, Real) for each in given)
        if not numbers or not np.isfinite(given).all() or given[0] >= given[1]:
            raise InvalidParameter(
                f"feature_range: must be a tuple of two numbers, the smaller one first, such as (0, 1), not {given!r}."
            )
        return float(given[0]), float(given[1])


class MaxAbsScaler(ScalerByExtremes):
    """Divide each column by its largest absolute value, found in one pass over the rows.

    Zero stays zero, so this suits columns that are mostly zero. Missing values (NaN) are left out while fitting, and
    stay missing.

    Communication: one message of at most ``8 (2 d + 1)`` bytes per block of rows, combined along a tree, d the number
    of columns. cuML has no multi-GPU form of its ``MaxAbsScaler``; this one takes blocks of CuPy as well.

    Parameters
    ----------
    clip : bool
        Clip values of new rows to -1 and 1.

    Attributes
    ----------
    max_abs_ : ndarray of shape (n_features_in_,)
        Of the type of X; NaN for a column without values.
    scale_ : ndarray of shape (n_features_in_,)
        The same, and 1 for a column of zeros.
    n_samples_seen_ : int
    """

    _scikit_learn = "sklearn.preprocessing.MaxAbsScaler"

    def _seen(self) -> Extremes:
        return Extremes(self.n_samples_seen_, -self.max_abs_, self.max_abs_)

    def _refined(self, X: Data, before: Extremes | None) -> Self:
        found = self._extremes(X, before)
        self.n_samples_seen_ = found.n_rows
        self.max_abs_ = np.maximum(np.abs(found.lows), np.abs(found.highs))
        self.scale_ = self._divisors(self.max_abs_)
        return self

    @delegable
    def transform(self, X: Data) -> Output:
        """Return scaled columns: lazy where X is lazy, in the type of X."""
        return self._map_columns(clipped if self.clip else scaled, X, (None, self.scale_))

    @delegable
    def inverse_transform(self, X: Data) -> Output:
        """Return the original columns."""
        return self._map_columns(unscaled, X, (None, self.scale_))

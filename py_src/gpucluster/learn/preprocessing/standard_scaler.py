"""Columns with mean 0 and variance 1."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..arrays import Data, Output
from ..checks import check_weight, no_rows
from ..delegation.methods import delegable
from ..errors import InvalidData
from ..kernels.columns import Columns, columns, merge_columns
from ..kernels.scaling import Scale, scaled, unscaled
from ..rows.block import Rows
from .scaler import Scaler


def column_statistics(rows: Rows) -> Columns:
    """Return counts, means and squares of all columns with one message of ``32 d`` bytes per block or rank."""
    found: Columns = rows.total(columns, op=merge_columns)
    return found


class StandardScaler(Scaler):
    """Subtract each column's mean and divide by its standard deviation, both found in one pass over the rows.

    Algorithm: means and squared distances of blocks, merged in pairs (Chan, Golub and LeVeque, 1983). Missing values
    (NaN) are left out while fitting, and stay missing.

    Communication: one message of ``32 d`` bytes per block of rows, combined along a tree, d the number of columns.
    cuML has no multi-GPU form of its ``StandardScaler``; this one takes blocks of CuPy as well.

    Parameters
    ----------
    copy : bool
        Without effect: the data are never changed.
    with_mean, with_std : bool
        Whether to subtract the mean, and to divide by the standard deviation.

    Attributes
    ----------
    mean_, var_, scale_ : ndarray of shape (n_features_in_,) or None
        float64. ``scale_`` is the standard deviation, and 1 for a column of equal values. ``None`` where not asked for.
    n_samples_seen_ : int, float or ndarray of shape (n_features_in_,)
        Rows (sum of their weights); for each column where values are missing.
    n_features_in_ : int
    """

    _scikit_learn = "sklearn.preprocessing.StandardScaler"

    def __init__(self, *, copy: bool = True, with_mean: bool = True, with_std: bool = True) -> None:
        self.copy = copy
        self.with_mean = with_mean
        self.with_std = with_std

    @delegable
    def fit(self, X: Data, y: Data | None = None, sample_weight: Data | None = None) -> StandardScaler:
        """Find means and standard deviations.

        Parameters
        ----------
        X : Dask array or data frame, or array, of shape (n_samples, n_features)
        y
            Ignored.
        sample_weight : Dask array or series, or array, of shape (n_samples,), optional

        Raises
        ------
        InvalidData
            X holds infinity or has no rows, or weights are negative.
        InvalidParameter
            An option is neither True nor False.
        """
        return self._refined(X, sample_weight, None)

    @delegable
    def partial_fit(self, X: Data, y: Data | None = None, sample_weight: Data | None = None) -> StandardScaler:
        """Do the same as `fit` with more rows: those of former calls count, too.

        Parameters
        ----------
        X, y, sample_weight
            As those of `fit`.
        """
        return self._refined(X, sample_weight, self._seen() if hasattr(self, "n_samples_seen_") else None)

    def _refined(self, X: Data, sample_weight: Data | None, before: Columns | None) -> StandardScaler:
        self._require_switches("copy", "with_mean", "with_std")
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
            raise InvalidData("sample_weight: weights of the values of a column sum to less than 0.")
        self._keep(found, weighted=sample_weight is not None)
        return self

    @delegable
    def transform(self, X: Data, copy: bool | None = None) -> Output:
        """Return scaled columns: lazy where X is lazy, in the type of X.

        Parameters
        ----------
        X : Dask array or data frame, or array, of shape (n_samples, n_features)
        copy
            Without effect.
        """
        check_is_fitted(self)
        return self._map_columns(scaled, X, self._scale())

    @delegable
    def inverse_transform(self, X: Data, copy: bool | None = None) -> Output:
        """Return columns as they were before `transform`.

        Parameters
        ----------
        X : Dask array or data frame, or array, of shape (n_samples, n_features)
        copy
            Without effect.

        Returns
        -------
        Dask array or data frame, or array, of shape (n_samples, n_features)
            Of the type of X; lazy where X is lazy.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Nothing was fitted.
        ValueError
            X has not the columns that were fitted (``InvalidData`` on Dask).
        """
        check_is_fitted(self)
        return self._map_columns(unscaled, X, self._scale())

    def _keep(self, found: Columns, *, weighted: bool) -> None:
        weighted = weighted and (self.with_mean or self.with_std)  # as scikit-learn counts
        seen = found.weights if weighted else found.counts.astype(np.int64)
        self.n_samples_seen_ = seen[0] if (seen == seen[0]).all() else seen
        self.mean_ = self.var_ = self.scale_ = None
        empty = found.weights == 0
        means = np.where(empty, np.nan, found.means)
        if self.with_mean or self.with_std:
            self.mean_ = means
        if self.with_std:
            variances = np.where(empty, np.nan, found.squares / np.where(empty, 1.0, found.weights))
            # Rounding errors of the mean are no variance (scikit-learn's bound).
            eps = np.finfo(np.float64).eps
            bound = found.counts * eps * variances + (found.counts * means * eps) ** 2
            self.var_ = variances
            self.scale_ = np.where(variances <= bound, 1.0, np.sqrt(variances))

    def _seen(self) -> Columns:
        """Return what the rows so far have held."""
        counts = np.broadcast_to(np.asarray(self.n_samples_seen_, dtype=np.float64), self.n_features_in_)
        means = np.zeros(len(counts)) if self.mean_ is None else np.nan_to_num(self.mean_)
        variances = np.zeros(len(counts)) if self.var_ is None else np.nan_to_num(self.var_)
        return Columns(counts, counts, means, variances * counts)

    def _scale(self) -> Scale:
        return self.mean_ if self.with_mean else None, self.scale_

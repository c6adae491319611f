"""Columns from 0 to 1, or between two other numbers."""

from __future__ import annotations

from numbers import Real

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..arrays import Data, Output
from ..delegation.methods import delegable
from ..errors import InvalidData, InvalidParameter
from ..kernels.extremes import Extremes
from ..kernels.scaling import scaled, stretched
from .scaler import ScalerByExtremes


class MinMaxScaler(ScalerByExtremes):
    """Move and stretch each column so that it fills a range; its extremes are found in one pass over the rows.

    Source: scikit-learn's formula, ``X * scale_ + min_``. As there, ``float32`` columns far from zero for their range
    lose digits; `StandardScaler` keeps them. Missing values (NaN) are left out while fitting, and stay missing. Sparse
    rows, which scikit-learn refuses here, become dense ones.

    Communication: one message of at most ``8 (2 d + 1)`` bytes per block of rows, combined along a tree, d the number
    of columns. cuML has no multi-GPU form of its ``MinMaxScaler``; this one takes blocks of CuPy as well.

    Parameters
    ----------
    feature_range : tuple of two numbers
        What the smallest and the largest value of a column become.
    copy : bool
        Without effect: the data are never changed.
    clip : bool
        Set what is beyond ``feature_range``, in rows that were not there when fitting, to its ends.

    Attributes
    ----------
    data_min_, data_max_ : ndarray of shape (n_features_in_,)
        Of the type of X, like the others; NaN for a column without values.
    data_range_ : ndarray of shape (n_features_in_,)
        The largest value less the smallest.
    scale_, min_ : ndarray of shape (n_features_in_,)
        What a column is multiplied by, and what is added then. A column of equal values is not stretched.
    n_samples_seen_ : int
    n_features_in_ : int
    feature_names_in_ : array of str
        For data frames.
    """

    _scikit_learn = "sklearn.preprocessing.MinMaxScaler"

    def __init__(self, feature_range: tuple[float, float] = (0, 1), *, copy: bool = True, clip: bool = False) -> None:
        self.feature_range = feature_range
        self.copy = copy
        self.clip = clip

    @delegable
    def fit(self, X: Data, y: Data | None = None) -> MinMaxScaler:
        """Find the smallest and largest values.

        Parameters
        ----------
        X : Dask array or data frame, or array, of shape (n_samples, n_features)
        y
            Ignored.

        Raises
        ------
        InvalidData
            X holds infinity, has no rows, or a column whose range is too large for its type.
        InvalidParameter
            ``feature_range`` is not two numbers, the smaller one first, or another option is neither True nor False.
        """
        return self._refined(X, None)

    @delegable
    def partial_fit(self, X: Data, y: Data | None = None) -> MinMaxScaler:
        """Do the same as `fit` with more rows: those of former calls count, too.

        A column without values in the rows of one call keeps those of the others; in scikit-learn it loses them.

        Parameters
        ----------
        X, y
            As those of `fit`.
        """
        known = hasattr(self, "n_samples_seen_")
        return self._refined(X, Extremes(self.n_samples_seen_, self.data_min_, self.data_max_) if known else None)

    def _refined(self, X: Data, before: Extremes | None) -> MinMaxScaler:
        start, end = self._range()
        found = self._extremes(X, before)
        with np.errstate(over="ignore"):
            ranges = found.highs - found.lows
        if np.isinf(ranges).any():
            raise InvalidData(
                f"X: has a column whose range is too large for {ranges.dtype}. Divide its values, or clip them, first."
            )
        dtype = ranges.dtype
        self.n_samples_seen_ = found.n_rows
        self.data_min_, self.data_max_, self.data_range_ = found.lows, found.highs, ranges
        self.scale_ = (dtype.type(end) - dtype.type(start)) / self._divisors(ranges)
        self.min_ = dtype.type(start) - found.lows * self.scale_
        return self

    @delegable
    def transform(self, X: Data) -> Output:
        """Return scaled columns: lazy where X is lazy, in the type of X.

        Parameters
        ----------
        X : Dask array or data frame, or array, of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        return self._map_columns(stretched, X, (self.min_, self.scale_), self._range() if self.clip else None)

    @delegable
    def inverse_transform(self, X: Data) -> Output:
        """Return columns as they were before `transform`, but for what was clipped.

        Parameters
        ----------
        X : Dask array or data frame, or array, of shape (n_samples, n_features)

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
        return self._map_columns(scaled, X, (self.min_, self.scale_))

    def _range(self) -> tuple[float, float]:
        given = self.feature_range
        numbers = isinstance(given, tuple) and len(given) == 2 and all(isinstance(each, Real) for each in given)
        if not numbers or not np.isfinite(given).all() or given[0] >= given[1]:
            raise InvalidParameter(
                f"feature_range: must be a tuple of two numbers, the smaller one first, such as (0, 1), not {given!r}."
            )
        return float(given[0]), float(given[1])

"""Columns from -1 to 1, with zero where it was."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..arrays import Data, Output
from ..delegation.methods import delegable
from ..kernels.extremes import Extremes
from ..kernels.scaling import clipped, scaled, unscaled
from .scaler import ScalerByExtremes


class MaxAbsScaler(ScalerByExtremes):
    """Divide each column by its largest absolute value, found in one pass over the rows.

    Zero stays zero, so this suits columns that are mostly zero. Missing values (NaN) are left out while fitting, and
    stay missing.

    Communication: one message of at most ``8 (2 d + 1)`` bytes per block of rows, combined along a tree, d the number
    of columns. cuML has no multi-GPU form of its ``MaxAbsScaler``; this one takes blocks of CuPy as well.

    Parameters
    ----------
    copy : bool
        Without effect: the data are never changed.
    clip : bool
        Set what is beyond -1 and 1, in rows that were not there when fitting, to -1 and 1.

    Attributes
    ----------
    max_abs_ : ndarray of shape (n_features_in_,)
        Of the type of X; NaN for a column without values.
    scale_ : ndarray of shape (n_features_in_,)
        The same, and 1 for a column of zeros.
    n_samples_seen_ : int
    n_features_in_ : int
    feature_names_in_ : array of str
        For data frames.
    """

    _scikit_learn = "sklearn.preprocessing.MaxAbsScaler"

    def __init__(self, *, copy: bool = True, clip: bool = False) -> None:
        self.copy = copy
        self.clip = clip

    @delegable
    def fit(self, X: Data, y: Data | None = None) -> MaxAbsScaler:
        """Find the largest absolute values.

        Parameters
        ----------
        X : Dask array or data frame, or array, of shape (n_samples, n_features)
        y
            Ignored.

        Raises
        ------
        InvalidData
            X holds infinity or has no rows.
        InvalidParameter
            An option is neither True nor False.
        """
        return self._refined(X, None)

    @delegable
    def partial_fit(self, X: Data, y: Data | None = None) -> MaxAbsScaler:
        """Do the same as `fit` with more rows: those of former calls count, too.

        Parameters
        ----------
        X, y
            As those of `fit`.
        """
        known = hasattr(self, "n_samples_seen_")
        return self._refined(X, Extremes(self.n_samples_seen_, -self.max_abs_, self.max_abs_) if known else None)

    def _refined(self, X: Data, before: Extremes | None) -> MaxAbsScaler:
        found = self._extremes(X, before)
        self.n_samples_seen_ = found.n_rows
        self.max_abs_ = np.maximum(np.abs(found.lows), np.abs(found.highs))
        self.scale_ = self._divisors(self.max_abs_)
        return self

    @delegable
    def transform(self, X: Data) -> Output:
        """Return scaled columns: lazy where X is lazy, in the type of X.

        Parameters
        ----------
        X : Dask array or data frame, or array, of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        return self._map_columns(clipped if self.clip else scaled, X, (None, self.scale_))

    @delegable
    def inverse_transform(self, X: Data) -> Output:
        """Return columns as they were before `transform`.

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
        return self._map_columns(unscaled, X, (None, self.scale_))

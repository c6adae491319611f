"""Columns from -1 to 1, with zero where it was."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..arrays import Data, Output
from ..checks import no_rows
from ..delegation.methods import delegable
from ..errors import InvalidData
from ..kernels.largest import Largest, largest, merge_largest
from ..kernels.scaling import clipped, scaled, unscaled
from ..rows.block import Rows
from .scaler import Scaler


def largest_values(rows: Rows) -> Largest:
    """Return the largest absolute value of each column with one message of at most ``8 (d + 1)`` bytes per block."""
    found: Largest = rows.total(largest, op=merge_largest)
    return found


class MaxAbsScaler(Scaler):
    """Divide each column by its largest absolute value, found in one pass over the rows.

    Zero stays zero, so this suits columns that are mostly zero. Missing values (NaN) are left out while fitting, and
    stay missing.

    Communication: one message of at most ``8 (d + 1)`` bytes per block of rows, combined along a tree, d the number of
    columns. cuML has no multi-GPU form of its ``MaxAbsScaler``; this one takes blocks of CuPy as well.

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
        return self._refined(X, Largest(self.n_samples_seen_, self.max_abs_) if known else None)

    def _refined(self, X: Data, before: Largest | None) -> MaxAbsScaler:
        self._require_switches("copy", "clip")
        found: Largest = self._fit_with(largest_values, X, passes=1, reset=before is None)
        if before is not None:
            found = merge_largest(before, found)
        if not found.n_rows:
            raise no_rows()
        if np.isinf(found.values).any():
            raise InvalidData("X: contains infinity. Remove or clip such values first.")
        self.n_samples_seen_ = found.n_rows
        self.max_abs_ = found.values
        # As in scikit-learn: a column that differs from zero by rounding only is not blown up.
        tiny = 10 * np.finfo(found.values.dtype).eps
        self.scale_ = np.where(found.values < tiny, 1, found.values).astype(found.values.dtype)
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
        """Return columns as they were before `transform`."""
        check_is_fitted(self)
        return self._map_columns(unscaled, X, (None, self.scale_))

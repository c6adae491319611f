"""A number for each category, column by column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from ..arrays import Data
from ..delegation.methods import delegable
from ..errors import InvalidParameter
from .category_encoder import CategoryEncoder


class OrdinalEncoder(CategoryEncoder):
    """Turn each column's categories into numbers from 0, in their order; found in one pass over rows on a cluster.

    Source: scikit-learn's class, used on each block once all categories are known. Communication: the different values
    of each block's columns, once; they are put together along a tree on the workers. cuML's form for several GPUs
    brings them to the client.

    Parameters
    ----------
    categories : "auto" or list of arrays
        Those of each column, in the order of their numbers; found in the data, and sorted, when ``auto``.
    dtype
        Of the result.
    handle_unknown : {"error", "use_encoded_value"}
        What happens to categories that were not there when fitting.
    unknown_value : int or nan, optional
        What they become with ``use_encoded_value``.
    encoded_missing_value : int or nan
        What missing values become.
    min_frequency : int or float, optional
        Categories in fewer rows, or in a smaller share of the rows, share one number.
    max_categories : int, optional
        The rarest categories share one number, so that there are at most so many, without missing values.

    Attributes
    ----------
    categories_ : list of arrays
    infrequent_categories_ : list of arrays or None
        Which share a number.
    n_features_in_ : int
    feature_names_in_ : array of str
        For data frames.
    """

    _scikit_learn = "sklearn.preprocessing.OrdinalEncoder"

    def __init__(
        self,
        *,
        categories: Literal["auto"] | Sequence[ArrayLike] = "auto",
        dtype: DTypeLike = np.float64,
        handle_unknown: str = "error",
        unknown_value: float | None = None,
        encoded_missing_value: float = np.nan,
        min_frequency: float | None = None,
        max_categories: int | None = None,
    ) -> None:
        self.categories = categories
        self.dtype = dtype
        self.handle_unknown = handle_unknown
        self.unknown_value = unknown_value
        self.encoded_missing_value = encoded_missing_value
        self.min_frequency = min_frequency
        self.max_categories = max_categories

    @delegable
    def fit(self, X: Data, y: Data | None = None) -> OrdinalEncoder:
        """Find the categories.

        Parameters
        ----------
        X : Dask array or data frame, or array or data frame of shape (n_rows, n_features)
            Numbers, strings or categories.
        y
            Not used.

        Raises
        ------
        InvalidData
            X cannot be used.
        InvalidParameter, NotSupported
            An option is not allowed or not supported.
        """
        self._check_categories()
        if self.handle_unknown not in {"error", "use_encoded_value"}:
            raise InvalidParameter(
                f"handle_unknown: must be 'error' or 'use_encoded_value', not {self.handle_unknown!r}."
            )
        self._find_categories(X)
        self.get_combined_model()  # refuses what does not go together, such as unknown_value and the categories
        return self

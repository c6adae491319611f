"""A column of zeros and ones for each category."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from ..arrays import Data, PlainModel
from ..delegation.methods import delegable
from ..errors import InvalidParameter, NotSupported
from .category_encoder import CategoryEncoder, require_list


class OneHotEncoder(CategoryEncoder):
    """Turn each column into one column of zeros and ones per category; found in one pass over rows on a cluster.

    Source: scikit-learn's class, used on each block once all categories are known, so that a category that is missing
    from a block has its column all the same. Communication: the different values of each block's columns, once; they
    are put together along a tree on the workers. cuML's form for several GPUs brings them to the client.

    Unlike scikit-learn's, results are dense unless said otherwise, as Dask's arrays of sparse blocks can do little.

    Parameters
    ----------
    categories : "auto" or list of arrays
        Those of each column, sorted; found in the data when ``auto``.
    drop : {"first", "if_binary"} or array of shape (n_features,), optional
        Category of each column that gets no column of its own.
    sparse_output : bool
        Only ``False`` is supported.
    dtype
        Of the result.
    handle_unknown : {"error", "ignore", "infrequent_if_exist"}
        What happens to categories that were not there when fitting; ``ignore`` gives zeros, ``infrequent_if_exist``
        the column of rare ones.
    min_frequency : int or float, optional
        Categories in fewer rows, or in a smaller share of the rows, share one column.
    max_categories : int, optional
        The rarest categories share one column, so that there are at most so many columns.
    feature_name_combiner : "concat" or callable
        How names of columns are made.

    Attributes
    ----------
    categories_ : list of arrays
    infrequent_categories_ : list of arrays or None
        Which share a column.
    drop_idx_ : array of shape (n_features,) or None
    n_features_in_ : int
    feature_names_in_ : array of str
        For data frames.
    """

    _scikit_learn = "sklearn.preprocessing.OneHotEncoder"

    def __init__(
        self,
        *,
        categories: Literal["auto"] | Sequence[ArrayLike] = "auto",
        drop: Literal["first", "if_binary"] | ArrayLike | None = None,
        sparse_output: bool = False,
        dtype: DTypeLike = np.float64,
        handle_unknown: str = "error",
        min_frequency: float | None = None,
        max_categories: int | None = None,
        feature_name_combiner: Literal["concat"] | Callable[[str, Any], str] = "concat",
    ) -> None:
        self.categories = categories
        self.drop = drop
        self.sparse_output = sparse_output
        self.dtype = dtype
        self.handle_unknown = handle_unknown
        self.min_frequency = min_frequency
        self.max_categories = max_categories
        self.feature_name_combiner = feature_name_combiner

    @delegable
    def fit(self, X: Data, y: Data | None = None) -> OneHotEncoder:
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
        self._check_options()
        self._find_categories(X)
        self.drop_idx_ = self.get_combined_model().drop_idx_
        return self

    def _group_rare(self, model: PlainModel) -> None:
        super()._group_rare(model)
        model._set_drop_idx()
        model._n_features_outs = model._compute_n_features_outs()

    def _check_options(self) -> None:
        if self.sparse_output:
            raise NotSupported("sparse_output: only False is supported. Dask's arrays of sparse blocks can do little.")
        if self.handle_unknown not in {"error", "ignore", "infrequent_if_exist"}:
            raise NotSupported(
                f"handle_unknown: must be 'error', 'ignore' or 'infrequent_if_exist', not {self.handle_unknown!r}."
            )
        self._check_categories()
        require_list("drop", self.drop, "category")
        if isinstance(self.drop, str) and self.drop not in {"first", "if_binary"}:
            raise InvalidParameter(f"drop: must be 'first', 'if_binary' or an array, not {self.drop!r}.")

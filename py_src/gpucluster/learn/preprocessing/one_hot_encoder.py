"""A column of zeros and ones for each category."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, DTypeLike
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ..arrays import Array, Collection, Data, Output, PlainModel
from ..checks import no_rows
from ..delegation.methods import delegable
from ..errors import InvalidData, InvalidParameter, NotSupported
from ..estimator import DistributedEstimator
from ..rows.table import is_dask, is_dask_array
from .blocks import categories_of, checked_columns, example_of, map_encoder, merge_categories, reduce_blocks


class OneHotEncoder(TransformerMixin, DistributedEstimator):
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
    handle_unknown : {"error", "ignore"}
        What happens to categories that were not there when fitting; ``ignore`` gives zeros.
    min_frequency, max_categories : None
        Not supported.
    feature_name_combiner : "concat" or callable
        How names of columns are made.

    Attributes
    ----------
    categories_ : list of arrays
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
        if is_dask(X):
            checked_columns(X)
            names, n_features = (None if is_dask_array(X) else list(X.columns)), X.shape[1]
            if isinstance(self.categories, str):
                found = reduce_blocks(X, categories_of, merge_categories)
            else:
                found = tuple(np.asarray(one) for one in self.categories)
        else:
            local = self._plain_class()(**self.get_params()).fit(X)
            names, n_features = getattr(local, "feature_names_in_", None), local.n_features_in_
            found = tuple(local.categories_)
            if isinstance(self.categories, str):
                found = reduce_blocks(X, lambda _: found, merge_categories)
        if found is None:
            raise no_rows()
        if len(found) != n_features:
            raise InvalidParameter(f"categories: are those of {len(found)} columns, but X has {n_features}.")
        self.categories_ = list(found)
        self.n_features_in_ = int(n_features)
        if names is not None and all(isinstance(name, str) for name in names):
            self.feature_names_in_ = np.asarray(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.drop_idx_ = self.get_combined_model().drop_idx_
        return self

    @delegable
    def transform(self, X: Data) -> Output:
        """Return zeros and ones; lazily for data on Dask.

        Parameters
        ----------
        X : Dask array or data frame, or array or data frame of shape (n_rows, n_features)

        Returns
        -------
        array or data frame of shape (n_rows, n_columns)
            A data frame has the index of X and the names of `get_feature_names_out`.

        Raises
        ------
        InvalidData
            X has other columns.
        ValueError
            X holds categories that were not there when fitting; for Dask collections when they are computed.
        """
        model = self.get_combined_model()
        if not is_dask(X):
            return model.transform(X)
        checked_columns(X)
        self._check_names(X)
        return map_encoder(X, model, "transform", list(model.get_feature_names_out()), np.dtype(self.dtype))

    @delegable
    def inverse_transform(self, X: Data) -> Output:
        """Return the categories; lazily for data on Dask.

        Parameters
        ----------
        X : Dask array or data frame, or array of shape (n_rows, n_columns)
            Zeros and ones.

        Returns
        -------
        array or data frame of shape (n_rows, n_features)
        """
        model = self.get_combined_model()
        if not is_dask(X):
            return model.inverse_transform(X)
        checked_columns(X)
        names = getattr(self, "feature_names_in_", [f"x{number}" for number in range(self.n_features_in_)])
        dtype = np.result_type(*(one.dtype for one in self.categories_))
        if any(one.dtype.kind in "OUS" for one in self.categories_):
            dtype = np.dtype(object)
        return map_encoder(X, model, "inverse_transform", list(names), dtype)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> Array:
        """Return the names of the columns that come out."""
        return self.get_combined_model().get_feature_names_out(input_features)

    @delegable
    def get_combined_model(self) -> PlainModel:
        """Return the same encoder as a ``sklearn.preprocessing.OneHotEncoder``."""
        check_is_fitted(self)
        return self._plain_class()(**self.get_params()).fit(
            example_of(self.categories_, getattr(self, "feature_names_in_", None))
        )

    def _check_options(self) -> None:
        if self.sparse_output:
            raise NotSupported("sparse_output: only False is supported. Dask's arrays of sparse blocks can do little.")
        if self.handle_unknown not in {"error", "ignore"}:
            raise NotSupported(f"handle_unknown: must be 'error' or 'ignore', not {self.handle_unknown!r}.")
        if self.min_frequency is not None or self.max_categories is not None:
            raise NotSupported("min_frequency and max_categories: are not supported. All categories get a column.")
        listed = hasattr(self.categories, "__len__") and not isinstance(self.categories, str)
        if not listed and self.categories != "auto":
            raise InvalidParameter(f"categories: must be 'auto' or a list of arrays, not {self.categories!r}.")
        if isinstance(self.drop, str) and self.drop not in {"first", "if_binary"}:
            raise InvalidParameter(f"drop: must be 'first', 'if_binary' or an array, not {self.drop!r}.")

    def _check_names(self, X: Collection) -> None:
        if X.shape[1] != self.n_features_in_:
            raise InvalidData(
                f"X has {X.shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_} features "
                "as input."
            )
        known = getattr(self, "feature_names_in_", None)
        if known is not None and not is_dask_array(X) and list(known) != list(X.columns):
            raise InvalidData(
                f"X has the columns {', '.join(map(str, X.columns[:8]))}, but {type(self).__name__} was fitted with "
                f"{', '.join(known[:8])}. Choose the same columns in the same order."
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = True
        return tags

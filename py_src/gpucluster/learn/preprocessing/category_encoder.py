"""What encoders of categories share: they find them in one pass, and apply scikit-learn's class to each block."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, DTypeLike
from sklearn.utils.validation import check_is_fitted

from ..arrays import Array, Collection, Data, Output, PlainModel
from ..checks import no_rows
from ..delegation.methods import delegable
from ..errors import InvalidData, InvalidParameter, NotSupported
from ..estimator import DistributedEstimator, LazyTransformerMixin
from ..rows.table import is_dask, is_dask_array
from .blocks import categories_of, checked_columns, example_of, map_encoder, merge_categories, reduce_blocks


class CategoryEncoder(LazyTransformerMixin, DistributedEstimator):
    """Base of the encoders of categories."""

    categories: Literal["auto"] | Sequence[ArrayLike]
    dtype: DTypeLike
    min_frequency: float | None
    max_categories: int | None
    _takes_sparse = False
    categories_: list[Array]

    def _find_categories(self, X: Data) -> None:
        """Find the categories of each column, and note what the columns are."""
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

    @delegable
    def transform(self, X: Data) -> Output:
        """Return what stands for the categories; lazily for data on Dask.

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
            As `transform` gives them.

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
        """Return the same encoder as scikit-learn's class."""
        check_is_fitted(self)
        return self._plain_class()(**self.get_params()).fit(
            example_of(self.categories_, getattr(self, "feature_names_in_", None))
        )

    def _check_categories(self) -> None:
        if self.min_frequency is not None or self.max_categories is not None:
            raise NotSupported("min_frequency and max_categories: are not supported. All categories get a column.")
        listed = hasattr(self.categories, "__len__") and not isinstance(self.categories, str)
        if not listed and self.categories != "auto":
            raise InvalidParameter(f"categories: must be 'auto' or a list of arrays, not {self.categories!r}.")

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

"""Encoders: the categories are found in one pass, then scikit-learn encodes each block."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from ..arrays import Array, Collection, Data, Output, PlainModel
from ..checks import no_rows
from ..delegation.methods import delegable
from ..errors import InvalidParameter, NotSupported
from ..estimator import DistributedEstimator, LazyTransformerMixin
from ..parameters import Rule, either, fitted, one_of, parameter, unset, whole
from ..rows.table import is_dask, is_dask_array, require_table
from . import blocks

DENSE = "only False is supported: Dask arrays of sparse blocks support few operations."
# NotSupported, not InvalidParameter, because scikit-learn has 'warn'.
_UNKNOWN = Rule(
    one_of("error", "ignore", "infrequent_if_exist").allows,
    advice="must be 'error', 'ignore' or 'infrequent_if_exist'.",
)


def _is_frequency(value: Any) -> bool:
    return whole(1).allows(value) if isinstance(value, Integral) else isinstance(value, Real) and 0 < float(value) < 1


class CategoryEncoder(LazyTransformerMixin, DistributedEstimator):
    """Base of the encoders of categories."""

    categories: Literal["auto"] | Sequence[ArrayLike] = "auto"
    dtype: DTypeLike = np.float64
    min_frequency: float | None = parameter(
        None, either(None, Rule(_is_frequency, "a whole number of 1 or more, or a number between 0 and 1"))
    )
    max_categories: int | None = parameter(None, either(None, whole(1)))
    _takes_sparse = False
    categories_: list[Array] = fitted()
    n_rows_: int = fitted()
    category_counts_: list[Array] = fitted()  # Number of rows of each category; only where rare ones are grouped.

    def _find_categories(self, X: Data) -> None:
        """Find the categories of each column, and note the columns."""
        automatic = isinstance(self.categories, str)
        local = None
        if is_dask(X):
            require_table(X)
            names, n_features = (None if is_dask_array(X) else list(X.columns)), X.shape[1]
        else:
            local = self._plain_class()(**self.get_params()).fit(blocks.with_plain_gaps(X))
            names, n_features = getattr(local, "feature_names_in_", None), local.n_features_in_
            X = X if hasattr(X, "__len__") else np.asarray(X)
        if not automatic and len(self.categories) != n_features:
            raise InvalidParameter(f"categories: are those of {len(self.categories)} columns, but X has {n_features}.")
        columns: Any = X
        given = None if automatic else _given(self.categories, columns) if local is None else local.categories_
        if given is None or self._groups_rare:
            here = local.categories_ if given is None and local is not None else given
            found = blocks.reduce_blocks(
                X,
                partial(blocks.categories_of, given=here, counted=self._groups_rare),
                blocks.merge_categories if given is None else blocks.add_counts,
            )
            if found is None:
                raise no_rows()
            given = found.values
            if self._groups_rare:
                self.n_rows_, self.category_counts_ = found.n_rows, list(found.counts)
        self.categories_ = list(given)
        self._note_columns(n_features, names if names is None or all(isinstance(name, str) for name in names) else None)

    @delegable
    def transform(self, X: Data) -> Output:
        """Return the encoded columns; lazily for data on Dask.

        Returns
        -------
        array or data frame of shape (n_rows, n_columns)
            A data frame has the index of X and the names of `get_feature_names_out`.

        Raises
        ------
        InvalidData
            X has other columns.
        ValueError
            X holds unknown categories; for Dask collections when they are computed.
        """
        model = self.get_combined_model()
        if not is_dask(X):
            return model.transform(blocks.with_plain_gaps(X, model.categories_))
        require_table(X)
        self._check_columns(X.shape[1], None if is_dask_array(X) else [str(name) for name in X.columns])
        return blocks.map_encoder(X, model, "transform", list(model.get_feature_names_out()), np.dtype(self.dtype))

    @delegable
    def inverse_transform(self, X: Data) -> Output:
        """Return the categories; lazily for data on Dask.

        Parameters
        ----------
        X : Dask array or data frame, or array of shape (n_rows, n_columns)
            As returned by `transform`.

        Returns
        -------
        array or data frame of shape (n_rows, n_features)
        """
        model = self.get_combined_model()
        if not is_dask(X):
            return model.inverse_transform(X)
        require_table(X)
        names = getattr(self, "feature_names_in_", [f"x{number}" for number in range(self.n_features_in_)])
        dtype = np.result_type(*(one.dtype for one in self.categories_))
        if self._groups_rare or any(one.dtype.kind in "OUS" for one in self.categories_):
            dtype = np.dtype(object)
        return blocks.map_encoder(X, model, "inverse_transform", list(names), dtype)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> Array:
        """Return the names of the encoded columns."""
        return self.get_combined_model().get_feature_names_out(input_features)

    @delegable
    def get_combined_model(self) -> PlainModel:
        """Return the same encoder as scikit-learn's class."""
        example = blocks.example_of(self.categories_, getattr(self, "feature_names_in_", None))
        if not self._groups_rare:
            return self._plain_class()(**self.get_params()).fit(example)
        ungrouped = self.get_params() | {"min_frequency": None, "max_categories": None}
        model = self._plain_class()(**ungrouped).fit(example)
        model.set_params(min_frequency=self.min_frequency, max_categories=self.max_categories)
        self._group_rare(model)
        return model

    @property
    def infrequent_categories_(self) -> list[Array | None]:
        """Categories of each column that share one, or ``None``; only with ``min_frequency`` or ``max_categories``."""
        return self.get_combined_model().infrequent_categories_

    @property
    def _groups_rare(self) -> bool:
        return self.min_frequency is not None or self.max_categories is not None

    def _group_rare(self, model: PlainModel) -> None:
        """Let scikit-learn's fitted encoder group rare categories by the counts of all rows, with private methods."""
        missing = dict(getattr(model, "_missing_indices", {}))
        model._check_infrequent_enabled()
        model._fit_infrequent_category_mapping(self.n_rows_, list(self.category_counts_), missing)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        require_list("categories", self.categories, "array")
        listed = hasattr(self.categories, "__len__") and not isinstance(self.categories, str)
        if not listed and self.categories != "auto":
            raise InvalidParameter(f"categories: must be 'auto' or a list of arrays, not {self.categories!r}.")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = True
        return tags


def require_list(name: str, value: object, what: str) -> None:
    """Refuse a dictionary or a data frame with an entry per column, which cuML takes."""
    if isinstance(value, Mapping) or hasattr(value, "columns"):
        raise NotSupported(
            f"{name}: must be a list with one {what} per column: [{name}[column] for column in X.columns]."
        )


def _given(categories: Sequence[ArrayLike], X: Collection) -> list[Array]:
    """Return the ``categories`` parameter with the type of each column."""
    dtypes = [X.dtype] * X.shape[1] if is_dask_array(X) else list(X.dtypes)
    return [_of_type(one, dtype) for one, dtype in zip(categories, dtypes, strict=True)]


def _of_type(categories: Any, dtype: Any) -> Array:
    plain = np.asarray(categories)
    if getattr(dtype, "kind", "O") not in "biuf":
        # Not as an array of strings, where NaN would become "nan".
        return plain if plain.dtype.kind in "biufM" else blocks.without_na(np.asarray(categories, dtype=object))
    with np.errstate(invalid="ignore"):
        cast = plain.astype(dtype if isinstance(dtype, np.dtype) else np.float64)
    return cast if plain.dtype.kind in "biuf" and np.array_equal(cast, plain, equal_nan=True) else plain


class OneHotEncoder(CategoryEncoder):
    """Turn each column into one column of zeros and ones per category; found in one pass over rows on a cluster.

    Source: scikit-learn's class, used on each block once all categories are known, so that categories missing from a
    block have columns as well. Communication: the different values of each block's columns, once, merged along a tree
    on the workers. cuML's form for several GPUs brings them to the client.

    Unlike scikit-learn's, results are dense, because Dask supports few operations on arrays of sparse blocks.

    Parameters
    ----------
    categories : "auto" or list of arrays
        Those of each column, sorted; found in the data when ``auto``.
    drop : {"first", "if_binary"} or array of shape (n_features,), optional
        Category of each column that gets no column in the result.
    sparse_output : bool
        Only ``False`` is supported.
    dtype
        Of the result.
    handle_unknown : {"error", "ignore", "infrequent_if_exist"}
        For unknown categories: raise an error, give zeros, or use the column of rare categories.
    min_frequency : int or float, optional
        Categories in fewer rows, or in a smaller fraction of the rows, share one column.
    max_categories : int, optional
        Most columns; the rarest categories share one column.
    feature_name_combiner : "concat" or callable
        Makes the names of columns.

    Attributes
    ----------
    categories_ : list of arrays
    infrequent_categories_ : list of arrays or None
        Categories that share a column.
    drop_idx_ : array of shape (n_features,) or None
    """

    _scikit_learn = "sklearn.preprocessing.OneHotEncoder"

    drop: Literal["first", "if_binary"] | ArrayLike | None = None
    sparse_output: bool = parameter(False, unset(DENSE, off=True))
    handle_unknown: str = parameter("error", _UNKNOWN)
    feature_name_combiner: Literal["concat"] | Callable[[str, Any], str] = "concat"

    @delegable
    def fit(self, X: Data, y: Data | None = None) -> OneHotEncoder:
        """Find the categories: numbers, strings or categories of pandas."""
        self._find_categories(X)
        self.drop_idx_ = self.get_combined_model().drop_idx_
        return self

    def _group_rare(self, model: PlainModel) -> None:
        super()._group_rare(model)
        model._set_drop_idx()
        model._n_features_outs = model._compute_n_features_outs()

    def _check_parameters(self) -> None:
        super()._check_parameters()
        require_list("drop", self.drop, "category")
        if isinstance(self.drop, str) and self.drop not in {"first", "if_binary"}:
            raise InvalidParameter(f"drop: must be 'first', 'if_binary' or an array, not {self.drop!r}.")


class OrdinalEncoder(CategoryEncoder):
    """Turn each column's categories into numbers from 0, in their order; found in one pass over rows on a cluster.

    Source: scikit-learn's class, used on each block once all categories are known. Communication: the different values
    of each block's columns, once, merged along a tree on the workers. cuML's form for several GPUs brings them to the
    client.

    Parameters
    ----------
    categories : "auto" or list of arrays
        Those of each column, in the order of their numbers; found in the data, and sorted, when ``auto``.
    dtype
        Of the result.
    handle_unknown : {"error", "use_encoded_value"}
        For unknown categories.
    unknown_value : int or nan, optional
        Of unknown categories with ``use_encoded_value``.
    encoded_missing_value : int or nan
        Of missing values.
    min_frequency : int or float, optional
        Categories in fewer rows, or in a smaller fraction of the rows, share one number.
    max_categories : int, optional
        Most numbers, without missing values; the rarest categories share one number.

    Attributes
    ----------
    categories_ : list of arrays
    infrequent_categories_ : list of arrays or None
        Categories that share a number.
    """

    _scikit_learn = "sklearn.preprocessing.OrdinalEncoder"

    handle_unknown: str = parameter("error", one_of("error", "use_encoded_value"))
    unknown_value: float | None = None
    encoded_missing_value: float = np.nan

    @delegable
    def fit(self, X: Data, y: Data | None = None) -> OrdinalEncoder:
        """Find the categories: numbers, strings or categories of pandas."""
        self._find_categories(X)
        self.get_combined_model()  # Refuses parameters that do not match, such as unknown_value and the categories.
        return self

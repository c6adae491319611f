"""Numbers instead of labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted, column_or_1d

from ...dask_internals.collections import meta
from ..arrays import Array, Data, Dtype, Output, PlainModel
from ..delegation.methods import delegable
from ..errors import InvalidData
from ..estimator import DistributedEstimator
from ..labels import flat_labels, merge_classes
from ..rows.table import is_dask, is_dask_array
from .blocks import reduce_blocks


class LabelEncoder(TransformerMixin, DistributedEstimator):
    """Give each label a number, from 0, in the order of the labels; found in one pass over rows on a cluster.

    Source: scikit-learn's class, used on each block. Communication: the different labels of each block, once; they are
    put together along a tree on the workers. cuML's form for several GPUs takes series only, and brings the labels of
    all partitions to the client. Labels must not be missing.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The labels, sorted.
    """

    _scikit_learn = "sklearn.preprocessing.LabelEncoder"
    _takes_sparse = False

    @delegable
    def fit(self, y: Data) -> LabelEncoder:
        """Find the labels.

        Parameters
        ----------
        y : Dask array or series, or array of shape (n_rows,)
            Numbers, strings or categories.

        Raises
        ------
        InvalidData
            Labels are missing, of different kinds, or in several columns.
        """
        if not is_dask(y):
            y = column_or_1d(y, warn=True)
        elif y.ndim != 1:
            raise InvalidData(f"y: 1 dimension is needed, not {y.ndim}. Choose one column: y = frame['name'].")
        classes = reduce_blocks(y, labels_of_block, merge_classes)
        self.classes_ = np.empty(0) if classes is None else classes
        return self

    def fit_transform(self, y: Data) -> Output:
        """Find the labels of y, and return their numbers."""
        return self.fit(y).transform(y)

    @delegable
    def transform(self, y: Data) -> Output:
        """Return the numbers of labels; lazily for a Dask array or series.

        Parameters
        ----------
        y : Dask array or series, or array of shape (n_rows,)

        Returns
        -------
        array or series of shape (n_rows,), int64

        Raises
        ------
        ValueError
            y holds labels that were not there when fitting; for Dask collections when they are computed.
        """
        check_is_fitted(self)
        return self._mapped("transform", y, np.dtype(np.int64))

    @delegable
    def inverse_transform(self, y: Data) -> Output:
        """Return the labels of numbers; lazily for a Dask array or series.

        Parameters
        ----------
        y : Dask array or series, or array of shape (n_rows,)
            Numbers from 0.

        Returns
        -------
        array or series of shape (n_rows,)

        Raises
        ------
        ValueError
            y holds something else; for Dask collections when they are computed.
        """
        check_is_fitted(self)
        return self._mapped("inverse_transform", y, self.classes_.dtype)

    def _mapped(self, method: str, y: Data, dtype: Dtype) -> Output:
        model = self.get_combined_model()
        if not is_dask(y):
            return getattr(model, method)(y)
        lazy: Any = y
        if is_dask_array(y):
            return lazy.map_blocks(_encoded, model, method, dtype, dtype=dtype, meta=np.empty(0, dtype=dtype))
        empty = meta(y)
        like = type(empty)([], index=empty.index[:0], dtype=dtype, name=y.name)
        return lazy.map_partitions(_encoded, model, method, dtype, meta=like)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.array_api_support = False
        tags.input_tags.two_d_array = False
        tags.target_tags.one_d_labels = True
        return tags


def labels_of_block(block: Any) -> Array | None:
    """Return the different labels of a block, sorted; ``None`` for a block without rows."""
    labels = flat_labels(block)
    try:
        return np.unique(labels) if len(labels) else None
    except TypeError:
        raise InvalidData("y: holds both numbers and strings. Make all labels one kind, y.astype(str).") from None


def _encoded(block: Any, model: PlainModel, method: str, dtype: Dtype) -> Any:
    values = getattr(model, method)(np.asarray(block)) if len(block) else np.empty(0)
    values = values.astype(dtype, copy=False)
    return values if isinstance(block, np.ndarray) else type(block)(values, index=block.index, name=block.name)

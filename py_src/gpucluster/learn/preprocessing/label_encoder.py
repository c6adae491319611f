"""Numbers instead of labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ...dask_internals.collections import meta
from ..arrays import Data, Dtype, Output, PlainModel
from ..delegation.methods import delegable
from ..labels import require_present
from ..rows.table import is_dask, is_dask_array, refuse_masked
from .blocks import without_na
from .label_transformer import LabelTransformer, labels_in


class LabelEncoder(LabelTransformer):
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
        classes = labels_in(y)
        self.classes_ = np.empty(0) if classes is None else classes
        return self

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
            y holds labels that were not there when fitting, or missing ones; for Dask collections when they are
            computed.
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
            if method == "transform":
                require_present(np.asarray(y))
            return getattr(model, method)(y)
        refuse_masked(y, "y")
        lazy: Any = y
        if is_dask_array(y):
            return lazy.map_blocks(_encoded, model, method, dtype, dtype=dtype, meta=np.empty(0, dtype=dtype))
        empty = meta(y)
        like = type(empty)([], index=empty.index[:0], dtype=dtype, name=y.name)
        return lazy.map_partitions(_encoded, model, method, dtype, meta=like)


def _encoded(block: Any, model: PlainModel, method: str, dtype: Dtype) -> Any:
    given = without_na(np.asarray(block))
    if method == "transform":
        require_present(given)
    values = getattr(model, method)(given) if len(block) else np.empty(0)
    values = values.astype(dtype, copy=False)
    return values if isinstance(block, np.ndarray) else type(block)(values, index=block.index, name=block.name)

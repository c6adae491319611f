"""Encode labels as numbers or columns; the labels are found in one pass over the rows."""

from __future__ import annotations

from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from dask.delayed import delayed
from sklearn.base import TransformerMixin
from sklearn.utils.validation import column_or_1d

from ...dask_internals.collections import meta
from ..arrays import Array, Data, Dtype, Output, PlainModel
from ..delegation.methods import delegable
from ..errors import InvalidData, InvalidParameter
from ..estimator import DistributedEstimator
from ..labels import (
    checked_classes,
    class_labels,
    columns_of,
    flat_labels,
    merge_classes,
    missing_labels,
    require_present,
    target_of,
)
from ..parameters import fitted, parameter, unset
from ..rows.table import is_dask, is_dask_array, refuse_masked, stacked
from .blocks import blocks_of, reduce_blocks, without_na
from .encoders import DENSE


class LabelTransformer(TransformerMixin, DistributedEstimator):
    """Base of the transformers of one column of labels."""

    _takes_sparse = False
    classes_: Array = fitted()

    def fit_transform(self, y: Data) -> Output:
        """Find the labels of y, and encode y."""
        return self.fit(y).transform(y)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.array_api_support = False
        tags.input_tags.two_d_array = False
        tags.target_tags.one_d_labels = True
        return tags


def column_of(y: Data) -> Any:
    """Return labels as one column; a Dask collection unchanged."""
    if not is_dask(y):
        return column_or_1d(y, warn=True)
    refuse_masked(y, "y")
    if y.ndim != 1:
        raise InvalidData(f"y: must have 1 dimension, not {y.ndim}. Select one column: y = frame['name'].")
    return y


class _Labels(NamedTuple):
    different: Array | None
    missing: int


def labels_in(y: Data) -> Array | None:
    """Return the sorted labels of a column, ``None`` without rows; refuse missing ones, and numbers with strings."""
    found: _Labels = reduce_blocks(column_of(y), _labels_of_block, _merge, name="y")
    if found.missing:
        raise missing_labels("y", found.missing)
    return found.different


def _labels_of_block(block: Any) -> _Labels:
    labels = columns_of(block)
    if missing := target_of(labels).missing:
        return _Labels(None, missing)
    labels = flat_labels(labels)
    return _Labels(np.unique(labels) if len(labels) else None, 0)


def _merge(one: _Labels, other: _Labels) -> _Labels:
    return _Labels(merge_classes(one.different, other.different), one.missing + other.missing)


class LabelEncoder(LabelTransformer):
    """Give each label a number, from 0, in the order of the labels; found in one pass over rows on a cluster.

    Source: scikit-learn's class, used on each block. Communication: the different labels of each block, once, merged
    along a tree on the workers. cuML's form for several GPUs takes series only, and brings the labels of all partitions
    to the client. Labels must not be missing.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The labels, sorted.
    """

    _scikit_learn = "sklearn.preprocessing.LabelEncoder"

    @delegable
    def fit(self, y: Data) -> LabelEncoder:
        """Find the labels, in one column and of one kind; none may be missing."""
        classes = labels_in(y)
        self.classes_ = np.empty(0) if classes is None else classes
        return self

    @delegable
    def transform(self, y: Data) -> Output:
        """Return the numbers of labels; lazily for a Dask array or series.

        Returns
        -------
        array or series of shape (n_rows,), int64

        Raises
        ------
        ValueError
            y holds unknown or missing labels; for Dask collections when they are computed.
        """
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
            y holds other values; for Dask collections when they are computed.
        """
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


class LabelBinarizer(LabelTransformer):
    """Turn each label into a column, two labels into a single one; found in one pass over rows on a cluster.

    Source: scikit-learn's rules. Communication: the different labels of each block, once. Several labels per row are
    not supported, and neither are sparse results.

    Parameters
    ----------
    neg_label, pos_label : int
        Values for "another label" and for "this label".
    sparse_output : False

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The labels, sorted.
    y_type_ : {"binary", "multiclass"}
    sparse_input_ : False
    """

    _scikit_learn = "sklearn.preprocessing.LabelBinarizer"

    neg_label: int = 0
    pos_label: int = 1
    sparse_output: bool = parameter(False, unset(DENSE, off=True))

    @delegable
    def fit(self, y: Data) -> LabelBinarizer:
        """Find the labels, in one column and of one kind; none may be missing, and they must not be fractions."""
        numbers = isinstance(self.neg_label, Integral) and isinstance(self.pos_label, Integral)
        if not numbers or self.neg_label >= self.pos_label:
            raise InvalidParameter(
                f"neg_label={self.neg_label} must be strictly less than pos_label={self.pos_label}, both whole numbers."
            )
        classes = class_labels(checked_classes(labels_in(y)))
        self.classes_ = classes
        self.y_type_ = "binary" if len(classes) <= 2 else "multiclass"
        self.sparse_input_ = False
        return self

    @delegable
    def transform(self, y: Data) -> Output:
        """Return the columns of labels; lazily for a Dask array or series.

        Unknown labels get ``neg_label`` in all columns.

        Returns
        -------
        array of shape (n_rows, n_classes), or (n_rows, 1) for two labels, int64
            A Dask array for Dask collections.
        """
        y = column_of(y)
        values = self.classes_, int(self.neg_label), int(self.pos_label)
        if not is_dask(y):
            return binarized(y, *values)
        width = 1 if len(self.classes_) <= 2 else len(self.classes_)
        make = delayed(binarized, pure=False)
        lengths = y.chunks[0] if is_dask_array(y) else [np.nan] * y.npartitions
        return stacked([make(block, *values) for block in blocks_of(y, "y")], lengths, (width,), dtype=np.int64)

    @delegable
    def inverse_transform(self, Y: Data, threshold: float | None = None) -> Output:
        """Return the labels of columns; lazily for a Dask array.

        Parameters
        ----------
        Y : Dask array, or array, of shape (n_rows, n_classes), or (n_rows, 1) for two labels
        threshold : float, optional
            For two labels: values above it are the second one; by default halfway between ``neg_label`` and
            ``pos_label``. For more labels, the largest column counts.

        Returns
        -------
        array of shape (n_rows,)
        """
        border = (self.neg_label + self.pos_label) / 2 if threshold is None else float(threshold)
        if not is_dask(Y):
            return labels_from(np.asarray(Y), self.classes_, border)
        if not is_dask_array(Y) or Y.ndim != 2 or Y.numblocks[1] > 1:
            raise InvalidData("Y: must be a 2-dimensional Dask array, chunked along rows only.")
        refuse_masked(Y, "Y")
        lazy: Any = Y
        like = np.empty(0, dtype=self.classes_.dtype)
        return lazy.map_blocks(labels_from, self.classes_, border, drop_axis=1, dtype=like.dtype, meta=like)


def binarized(block: Any, classes: Array, negative: int, positive: int) -> Array:
    labels = flat_labels(np.asarray(block))
    if len(classes) == 1:
        return np.full((len(labels), 1), negative, dtype=np.int64)
    columns = np.where(labels[:, None] == classes, positive, negative).astype(np.int64)
    return columns[:, 1:] if len(classes) == 2 else columns


def labels_from(columns: Array, classes: Array, border: float) -> Array:
    if columns.shape[1] != (1 if len(classes) <= 2 else len(classes)):
        raise InvalidData(f"Y: has {columns.shape[1]} columns, which do not match {len(classes)} labels.")
    if len(classes) == 1:
        return np.repeat(classes, len(columns))
    if len(classes) == 2:
        return classes[(columns[:, 0] > border).astype(np.intp)]
    return classes[columns.argmax(axis=1)]

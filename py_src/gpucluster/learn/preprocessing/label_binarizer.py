"""A column for each label."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..arrays import Array, Data, Output
from ..delegation.methods import delegable
from ..errors import InvalidData, InvalidParameter, NotSupported
from ..labels import checked_classes, class_labels, flat_labels
from ..rows.table import is_dask, is_dask_array, refuse_masked
from .blocks import blocks_of
from .label_transformer import LabelTransformer, column_of, labels_in


class LabelBinarizer(LabelTransformer):
    """Turn labels into one column each, one column in all for two labels; found in one pass over rows on a cluster.

    Source: scikit-learn's rules. Communication: the different labels of each block, once. Several labels per row are
    not supported, and neither are sparse results.

    Parameters
    ----------
    neg_label, pos_label : int
        What stands for "another label" and for "this label".
    sparse_output : False

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The labels, sorted.
    y_type_ : {"binary", "multiclass"}
    sparse_input_ : False
    """

    _scikit_learn = "sklearn.preprocessing.LabelBinarizer"

    def __init__(self, *, neg_label: int = 0, pos_label: int = 1, sparse_output: bool = False) -> None:
        self.neg_label = neg_label
        self.pos_label = pos_label
        self.sparse_output = sparse_output

    @delegable
    def fit(self, y: Data) -> LabelBinarizer:
        """Find the labels.

        Parameters
        ----------
        y : Dask array or series, or array of shape (n_rows,)
            Numbers, strings or categories.

        Raises
        ------
        InvalidData
            Labels are missing, of different kinds, measurements, or in several columns.
        InvalidParameter, NotSupported
            An option is not allowed or not supported.
        """
        numbers = isinstance(self.neg_label, Integral) and isinstance(self.pos_label, Integral)
        if not numbers or self.neg_label >= self.pos_label:
            raise InvalidParameter(
                f"neg_label={self.neg_label} must be strictly less than pos_label={self.pos_label}, both whole numbers."
            )
        if self.sparse_output:
            raise NotSupported("sparse_output: only False is supported. Dask's arrays of sparse blocks can do little.")
        classes = class_labels(checked_classes(labels_in(y)))
        self.classes_ = classes
        self.y_type_ = "binary" if len(classes) <= 2 else "multiclass"
        self.sparse_input_ = False
        return self

    @delegable
    def transform(self, y: Data) -> Output:
        """Return the columns of labels; lazily for a Dask array or series.

        Parameters
        ----------
        y : Dask array or series, or array of shape (n_rows,)
            Labels that were not there when fitting get ``neg_label`` in all columns.

        Returns
        -------
        array of shape (n_rows, n_classes), or (n_rows, 1) for two labels, int64
            A Dask array for Dask collections.
        """
        check_is_fitted(self)
        y = column_of(y)
        values = self.classes_, int(self.neg_label), int(self.pos_label)
        if not is_dask(y):
            return binarized(y, *values)
        import dask.array as da
        from dask.delayed import delayed

        width = 1 if len(self.classes_) <= 2 else len(self.classes_)
        make = delayed(binarized, pure=False)
        lengths = y.chunks[0] if is_dask_array(y) else [np.nan] * y.npartitions
        return da.concatenate(
            [
                da.from_delayed(make(block, *values), shape=(length, width), dtype=np.int64)
                for block, length in zip(blocks_of(y, "y"), lengths, strict=True)
            ],
            allow_unknown_chunksizes=True,
        )

    @delegable
    def inverse_transform(self, Y: Data, threshold: float | None = None) -> Output:
        """Return the labels of columns; lazily for a Dask array.

        Parameters
        ----------
        Y : Dask array, or array, of shape (n_rows, n_classes), or (n_rows, 1) for two labels
        threshold : float, optional
            For two labels: what is above it is the second one; halfway between ``neg_label`` and ``pos_label`` when not
            given. For more labels, the largest column counts.

        Returns
        -------
        array of shape (n_rows,)
        """
        check_is_fitted(self)
        border = (self.neg_label + self.pos_label) / 2 if threshold is None else float(threshold)
        if not is_dask(Y):
            return labels_from(np.asarray(Y), self.classes_, border)
        if not is_dask_array(Y) or Y.ndim != 2 or Y.numblocks[1] > 1:
            raise InvalidData("Y: a Dask array of 2 dimensions, cut along its rows only, is needed.")
        refuse_masked(Y, "Y")
        lazy: Any = Y
        like = np.empty(0, dtype=self.classes_.dtype)
        return lazy.map_blocks(labels_from, self.classes_, border, drop_axis=1, dtype=like.dtype, meta=like)


def binarized(block: Any, classes: Array, negative: int, positive: int) -> Array:
    """Return the columns of some labels."""
    labels = flat_labels(np.asarray(block))
    if len(classes) == 1:
        return np.full((len(labels), 1), negative, dtype=np.int64)
    columns = np.where(labels[:, None] == classes, positive, negative).astype(np.int64)
    return columns[:, 1:] if len(classes) == 2 else columns


def labels_from(columns: Array, classes: Array, border: float) -> Array:
    """Return the labels that columns stand for."""
    if columns.shape[1] != (1 if len(classes) <= 2 else len(classes)):
        raise InvalidData(f"Y: has {columns.shape[1]} columns, which are not those of {len(classes)} labels.")
    if len(classes) == 1:
        return np.repeat(classes, len(columns))
    if len(classes) == 2:
        return classes[(columns[:, 0] > border).astype(np.intp)]
    return classes[columns.argmax(axis=1)]

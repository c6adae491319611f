"""What transformers of labels share: they find the labels in one pass over the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils.validation import column_or_1d

from ..arrays import Array, Data, Output
from ..errors import InvalidData
from ..estimator import DistributedEstimator
from ..labels import flat_labels, merge_classes
from ..rows.table import is_dask, refuse_masked
from .blocks import reduce_blocks


class LabelTransformer(TransformerMixin, DistributedEstimator):
    """Base of the transformers of one column of labels."""

    _takes_sparse = False
    classes_: Array

    def fit_transform(self, y: Data) -> Output:
        """Find the labels of y, and return what stands for them."""
        return self.fit(y).transform(y)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.array_api_support = False
        tags.input_tags.two_d_array = False
        tags.target_tags.one_d_labels = True
        return tags


def column_of(y: Data) -> Any:
    """Return labels as one column; a Dask collection as it is.

    Raises
    ------
    InvalidData
        There are several columns.
    """
    if not is_dask(y):
        return column_or_1d(y, warn=True)
    refuse_masked(y, "y")
    if y.ndim != 1:
        raise InvalidData(f"y: 1 dimension is needed, not {y.ndim}. Choose one column: y = frame['name'].")
    return y


def labels_in(y: Data) -> Array | None:
    """Return the different labels of a column, sorted; ``None`` for one without rows."""
    found: Array | None = reduce_blocks(column_of(y), _labels_of_block, merge_classes)
    return found


def _labels_of_block(block: Any) -> Array | None:
    labels = flat_labels(block)
    try:
        return np.unique(labels) if len(labels) else None
    except TypeError:
        raise InvalidData("y: holds both numbers and strings. Make all labels one kind, y.astype(str).") from None

"""What transformers of labels share: they find the labels in one pass over the rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils.validation import column_or_1d

from ..arrays import Array, Data, Output
from ..errors import InvalidData
from ..estimator import DistributedEstimator
from ..labels import columns_of, flat_labels, merge_classes, missing_labels, target_of
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


class _Labels(NamedTuple):
    different: Array | None
    missing: int


def labels_in(y: Data) -> Array | None:
    """Return the different labels of a column, sorted; ``None`` for one without rows.

    Raises
    ------
    InvalidData
        Labels are missing, or there are both numbers and strings.
    """
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

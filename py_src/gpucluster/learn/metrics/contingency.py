"""How often each pair of labels occurs: from this come the confusion matrix, the accuracy of clusterings, and more."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Array
from ..checks import no_rows
from ..errors import InvalidData
from ..labels import flat_labels, labels_of, merge_classes
from ..rows.block import Block, Rows
from .pairs import weights_of


class Contingency(NamedTuple):
    """Summed weights of the rows of each pair of labels."""

    true: Array
    """Labels that occur in the truth, sorted."""
    predicted: Array
    """Labels that occur in the prediction, sorted."""
    weights: Array
    """Array of shape (n_true, n_predicted); whole numbers where rows have no weights."""


def contingency(rows: Rows) -> Contingency:
    """Count pairs of labels in one pass; the message of a block has 8 bytes per pair of labels in it."""
    found = rows.total(_count_pairs, op=_merge)
    if found is None:
        raise no_rows("y_true")
    result: Contingency = found
    return result


def _count_pairs(block: Block) -> Contingency | None:
    truth, predicted = flat_labels(block.X, "y_true"), labels_of(block, "y_pred")
    if len(truth) != len(predicted):
        raise InvalidData(f"y_pred: has {len(predicted):,} rows where y_true has {len(truth):,}.")
    if len(truth) == 0:
        return None
    labels_true, row = np.unique(truth, return_inverse=True)
    labels_predicted, column = np.unique(predicted, return_inverse=True)
    shape = (len(labels_true), len(labels_predicted))
    weights = None if block.weights is None else weights_of(block)
    cells = np.bincount(row * shape[1] + column, weights=weights, minlength=shape[0] * shape[1])
    return Contingency(labels_true, labels_predicted, cells.reshape(shape))


def _merge(one: Contingency, other: Contingency) -> Contingency:
    true, predicted = merge_classes(one.true, other.true), merge_classes(one.predicted, other.predicted)
    return Contingency(true, predicted, widened(one, true, predicted) + widened(other, true, predicted))


def widened(found: Contingency, true: Array, predicted: Array) -> Array:
    """Return the weights with rows and columns for more labels; all of ``found`` must be among them."""
    wider = np.zeros((len(true), len(predicted)), dtype=found.weights.dtype)
    wider[np.ix_(np.searchsorted(true, found.true), np.searchsorted(predicted, found.predicted))] = found.weights
    return wider

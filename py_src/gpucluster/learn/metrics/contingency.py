"""How often each pair of labels occurs: from this come the confusion matrix, the accuracy of clusterings, and more."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from ..arrays import Array
from ..labels import merge_classes
from ..rows.block import Rows
from .pairs import NAMES, Names, Of, compared


class Contingency(NamedTuple):
    """Summed weights of the rows of each pair of labels."""

    true: Array
    """Labels that occur in the truth, sorted."""
    predicted: Array
    """Labels that occur in the prediction, sorted."""
    weights: Array
    """Array of shape (n_true, n_predicted); whole numbers where rows have no weights."""


def contingency(rows: Rows, names: Names = NAMES, *, of: Of = "classes") -> Contingency:
    """Count pairs of labels, and check these, in one pass; the message of a block has 8 bytes per pair of labels in it.

    Parameters
    ----------
    rows : Rows
        Of `paired`.
    names : tuple of str
    of : {"classes", "clusters"}
    """
    found: Contingency = compared(rows, _count_pairs, partial(_merge, names), names, of=of)
    return found


def _count_pairs(truth: Array, predicted: Array, weights: Array | None) -> Contingency:
    labels_true, row = np.unique(truth, return_inverse=True)
    labels_predicted, column = np.unique(predicted, return_inverse=True)
    shape = (len(labels_true), len(labels_predicted))
    cells = np.bincount(row * shape[1] + column, weights=weights, minlength=shape[0] * shape[1])
    return Contingency(labels_true, labels_predicted, cells.reshape(shape))


def _merge(names: Names, one: Contingency, other: Contingency) -> Contingency:
    true = merge_classes(one.true, other.true, names[0])
    predicted = merge_classes(one.predicted, other.predicted, names[1])
    return Contingency(true, predicted, widened(one, true, predicted) + widened(other, true, predicted))


def widened(found: Contingency, true: Array, predicted: Array) -> Array:
    """Return the weights with rows and columns for more labels; all of ``found`` must be among them."""
    wider = np.zeros((len(true), len(predicted)), dtype=found.weights.dtype)
    wider[np.ix_(np.searchsorted(true, found.true), np.searchsorted(predicted, found.predicted))] = found.weights
    return wider

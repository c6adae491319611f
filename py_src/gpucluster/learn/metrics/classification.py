"""Metrics of classifications."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array, Data, to_numpy
from ..checks import no_rows, no_weight
from ..errors import InvalidData, InvalidParameter, warn_caller
from ..keywords import takes_client
from ..labels import checked_classes, class_labels, merge_classes, require_one_kind
from ..rows.block import Block
from .pairs import NAMES, Names, compared, contingency, paired, weights_of, widened


@takes_client
def accuracy_score(y_true: Data, y_pred: Data, *, normalize: bool = True, sample_weight: Data | None = None) -> float:
    """Return the fraction of correctly predicted rows; of several labels per row, all must be correct.

    Parameters
    ----------
    y_true, y_pred : Dask array, series or data frame, or array of shape (n_rows,) or (n_rows, n_labels)
        Labels, or a column of zeros and ones for each label. One of them may be in memory.
    normalize : bool
        If false, return the number (or total weight) of these rows instead.
    sample_weight : Dask array or series, or array of shape (n_rows,), optional

    Raises
    ------
    InvalidData
        The numbers of rows differ, labels are missing, or of different kinds, such as numbers and strings, or they are
        fractions. Weights are not finite, or all zero.
    """
    return accuracy(y_true, y_pred, sample_weight, normalize=normalize)


def accuracy(
    y_true: Data, y_pred: Data, sample_weight: Data | None, *, normalize: bool = True, names: Names = NAMES
) -> float:
    """Return the same as `accuracy_score`, with the names of truth and prediction for error messages."""
    rows = paired(y_true, y_pred, sample_weight, names)
    if rows is None:
        from sklearn.metrics import accuracy_score as local

        return float(local(y_true, y_pred, normalize=normalize, sample_weight=sample_weight))
    right, total = compared(rows, _right, names=names, of="several classes")
    if total == 0:
        raise no_weight()
    return float(right / total if normalize else right)


def _right(truth: Array, predicted: Array, weights: Array | None) -> tuple[float, float]:
    same = truth == predicted
    if same.ndim > 1:
        same = same.all(axis=1)
    if weights is None:
        return float(same.sum()), float(len(same))
    return float(weights[same].sum()), float(weights.sum())


@takes_client
def confusion_matrix(
    y_true: Data,
    y_pred: Data,
    *,
    labels: ArrayLike | None = None,
    sample_weight: Data | None = None,
    normalize: str | None = None,
) -> Array:
    """Count the rows of each pair of true and predicted class.

    Parameters
    ----------
    y_true, y_pred : Dask array or series, or array of shape (n_rows,)
        Labels. One of them may be in memory.
    labels : array of shape (n_classes,), optional
        Classes in this order; by default all that occur, sorted.
    sample_weight : Dask array or series, or array of shape (n_rows,), optional
    normalize : {"true", "pred", "all"}, optional
        Divide by the sums of the rows, of the columns, or of all.

    Returns
    -------
    array of shape (n_classes, n_classes)
        Rows are true classes, columns predicted ones; int64, or float64 with weights or ``normalize``.

    Raises
    ------
    InvalidData
        As for `accuracy_score`, or none of ``labels`` is in y_true.
    InvalidParameter
        ``normalize`` is something else.
    """
    if normalize not in {None, "true", "pred", "all"}:
        raise InvalidParameter(f"normalize: must be 'true', 'pred', 'all' or None, not {normalize!r}.")
    rows = paired(y_true, y_pred, sample_weight)
    if rows is None:
        from sklearn.metrics import confusion_matrix as local

        return local(y_true, y_pred, labels=labels, sample_weight=sample_weight, normalize=normalize)
    found = contingency(rows)
    known = merge_classes(found.true, found.predicted)
    if labels is not None:
        wanted = np.asarray(labels)
        require_one_kind(known, wanted, "labels and y_true")
        if not np.isin(wanted, found.true).any():
            raise InvalidData("labels: at least one of them must be in y_true.")
        every = merge_classes(known, wanted)
        places = np.searchsorted(every, wanted)
        matrix = widened(found, every, every)[np.ix_(places, places)]
    else:
        matrix = widened(found, known, known)
    return _normalized(matrix, normalize)


def _normalized(matrix: Array, normalize: str | None) -> Array:
    if normalize is None:
        return matrix
    total = matrix.sum(axis={"true": 1, "pred": 0, "all": None}[normalize], keepdims=True)
    return np.divide(matrix, total, out=np.zeros(matrix.shape), where=total != 0)


class _Losses(NamedTuple):
    classes: Array
    logarithms: Array  # For each true class, the weighted sum of the logarithms of the probabilities of all classes.
    weight: float
    unnormalized: int


@takes_client
def log_loss(
    y_true: Data,
    y_proba: Data,
    *,
    normalize: bool = True,
    sample_weight: Data | None = None,
    labels: ArrayLike | None = None,
) -> float:
    """Return the mean negative logarithm of the predicted probability of the true class.

    Parameters
    ----------
    y_true : Dask array or series, or array of shape (n_rows,)
        Labels.
    y_proba : Dask array or data frame, or array of shape (n_rows, n_classes) or (n_rows,)
        Probabilities of the sorted classes; one column gives those of the second of two classes. Clipped by the
        precision of the type, as in scikit-learn.
    normalize : bool
        If false, return the sum instead of the mean.
    sample_weight : Dask array or series, or array of shape (n_rows,), optional
    labels : array of shape (n_classes,), optional
        Classes, where not all occur in y_true.

    Raises
    ------
    InvalidData
        The numbers of rows or of classes differ, or probabilities are not from 0 to 1.
    """
    rows = paired(y_true, y_proba, sample_weight, ("y_true", "y_proba"))
    if rows is None:
        from sklearn.metrics import log_loss as local

        return float(local(y_true, y_proba, normalize=normalize, sample_weight=sample_weight, labels=labels))
    found = rows.total(_losses, op=_merge)
    if found is None:
        raise no_rows("y_true")
    checked_classes(found.classes, "y_true")
    classes = found.classes if labels is None else np.unique(labels)
    require_one_kind(found.classes, classes, "labels and y_true")
    if not np.isin(found.classes, classes).all():
        raise InvalidData(f"labels: y_true contains other classes: {found.classes[~np.isin(found.classes, classes)]}.")
    if len(classes) == 1 and labels is None:
        raise InvalidData(f"y_true: contains only one class, {classes[0]!r}. Pass all classes: labels=[…].")
    if len(classes) != found.logarithms.shape[1]:
        raise InvalidData(
            f"y_proba: has {found.logarithms.shape[1]} columns, but there are {len(classes)} classes. Pass all "
            "classes: labels=[…]."
        )
    if found.unnormalized:
        warn_caller(f"y_proba: the probabilities of {found.unnormalized:,} rows do not sum to one.", UserWarning)
    if normalize and found.weight == 0:
        raise no_weight()
    loss = -found.logarithms[np.arange(len(found.classes)), np.searchsorted(classes, found.classes)].sum()
    return float(loss / found.weight if normalize else loss)


def _losses(block: Block) -> _Losses | None:
    labels, given = class_labels(block.X, "y_true"), to_numpy(block.y)
    if len(labels) == 0:
        return None
    if given.ndim == 1 or given.shape[1] == 1:
        given = np.stack([1 - given.ravel(), given.ravel()], axis=1)
    if not ((given >= 0) & (given <= 1)).all():
        raise InvalidData("y_proba: must be probabilities between 0 and 1. Use predict_proba.")
    step = np.finfo(given.dtype).eps
    off = ~np.isclose(given.sum(axis=1), 1, rtol=np.sqrt(step))
    logarithms = np.log(np.clip(given, step, 1 - step)).astype(np.float64) * weights_of(block)[:, None]
    classes, codes = np.unique(labels, return_inverse=True)
    sums = np.zeros((len(classes), given.shape[1]))
    np.add.at(sums, codes, logarithms)
    return _Losses(classes, sums, float(weights_of(block).sum()), int(off.sum()))


def _merge(one: _Losses, other: _Losses) -> _Losses:
    classes = merge_classes(one.classes, other.classes, "y_true")
    sums = np.zeros((len(classes), one.logarithms.shape[1]))
    for part in (one, other):
        sums[np.searchsorted(classes, part.classes)] += part.logarithms
    return _Losses(classes, sums, one.weight + other.weight, one.unnormalized + other.unnormalized)

"""Pairs of true and predicted values row by row, and counts of pairs of labels, in memory and on Dask."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal, NamedTuple

import numpy as np

from ..arrays import Array, DaskArray, Data, to_numpy
from ..checks import checked_weights, no_rows, no_weight
from ..communicators.communicator import Message, Operator, combine
from ..errors import InvalidData, warn_caller
from ..labels import Target, columns_of, merge_classes, merge_targets, missing_labels, mixed_labels, target_of
from ..rows.block import Block, Rows
from ..rows.running import Stream, local_communicator, local_rows
from ..rows.table import Table, aligned, column_array, is_dask, is_dask_array, refuse_masked, with_lengths

Names = tuple[str, str]  # The caller's names of truth and prediction, for error messages.
NAMES: Names = ("y_true", "y_pred")


def paired(y_true: Data, y_pred: Data, sample_weight: Data | None = None, names: Names = NAMES) -> Rows | None:
    """Return rows with the truth as X, the prediction as y, and weights; refuse different numbers of rows.

    ``None`` where all data are in this process, for scikit-learn's function.
    """
    for name, part in zip(names, (y_true, y_pred), strict=True):
        if part is None:
            raise InvalidData(f"{name}: is missing.")
    if not any(is_dask(part) for part in (y_true, y_pred, sample_weight)):
        if local_communicator().size == 1:
            return None
        weights = None if sample_weight is None else np.asarray(sample_weight)
        return local_rows(np.asarray(y_true), np.asarray(y_pred), weights)
    return Stream(_table(y_true, y_pred, sample_weight, names))


def _table(y_true: Data, y_pred: Data, sample_weight: Data | None, names: Names) -> Table:
    parts = {names[0]: y_true, names[1]: y_pred, "sample_weight": sample_weight}
    leader, data = next((name, part) for name, part in parts.items() if is_dask(part))
    array = data if is_dask_array(data) else column_array(data)
    refuse_masked(array, leader)
    if array.ndim == 2 and array.numblocks[1] > 1:
        array = array.rechunk({1: -1})
    others = [name for name in parts if name != leader]
    array, *counted = with_lengths(array, *(parts[name] for name in others))
    found: dict[str, DaskArray | None] = {leader: array}
    for name, part in zip(others, counted, strict=True):
        found[name] = aligned(part, array, name, (1,) if name == "sample_weight" else (1, 2), leader)
    truth, prediction, weights = (found[name] for name in parts)
    assert truth is not None
    return Table(truth, prediction, weights)


class _Compared(NamedTuple):
    true: Target
    predicted: Target
    weighs: bool  # Whether any weight is not zero.
    found: Message  # Of the rows with comparable labels; ``None`` where there are none.


Of = Literal["classes", "several classes", "clusters"]
"""The meaning of labels: ``several classes`` may also be a column of zeros and ones for each."""


def compared(
    rows: Rows, count: Callable[..., Message], op: Operator = "sum", names: Names = NAMES, *, of: Of = "classes"
) -> Message:
    """Compare true and predicted labels of `paired` rows, and check them as scikit-learn does, in one pass.

    ``count(truth, predicted, weights)`` is called with the labels of a block, of shape (n_rows,) or both (n_rows,
    n_columns), and weights from `weights_of`, or ``None``; ``op`` combines the results of two blocks. Refuses missing
    labels, types that do not match, data without rows, and weights that are all zero.
    """
    result: _Compared | None = rows.total(_compare, count, of, op=partial(_merge, op))
    if result is None or not (len(result.true.some) or result.true.missing):
        raise no_rows(names[0])
    for name, target in zip(names, result[:2], strict=True):
        if target.missing:
            raise missing_labels(name, target.missing)
    if of == "clusters":
        _check_clusters(result.true, result.predicted, names)
    else:
        _check_classes(result.true, result.predicted, names, several=of == "several classes")
    if not result.weighs:
        raise no_weight()
    return result.found


def _compare(block: Block, count: Callable[..., Message], of: Of) -> _Compared:
    truth, predicted = columns_of(block.X), columns_of(block.y)
    true, guess = target_of(truth), target_of(predicted)
    both = true, guess
    usable = truth.shape == predicted.shape and not any(part.missing or part.is_mixed for part in both)
    if of != "clusters":
        usable = usable and true.text == guess.text and not any(part.fractions or part.others for part in both)
    if not len(truth) or not usable or (truth.ndim > 1 and of != "several classes"):
        return _Compared(*both, block.weights is None, None)
    weights = None if block.weights is None else weights_of(block)
    weighs = weights is None or bool(weights.any())
    return _Compared(true, guess, weighs, count(truth, predicted, weights))


def _merge(op: Operator, one: _Compared, other: _Compared) -> _Compared:
    true, predicted = merge_targets(one.true, other.true), merge_targets(one.predicted, other.predicted)
    return _Compared(true, predicted, one.weighs or other.weighs, combine(op, one.found, other.found))


def _check_classes(true: Target, predicted: Target, names: Names, *, several: bool) -> None:
    """Refuse labels that scikit-learn's metrics of classifications refuse."""
    types = true.type, predicted.type
    first, second = (name.removesuffix("-indicator") for name in types)
    if len(set(types) - {"binary"}) > 1 or ("binary" in types and not {*types} <= {"binary", "multiclass"}):
        raise InvalidData(
            f"Classification metrics can't handle a mix of {types[0]} and {types[1]} targets: {names[0]} is {first}, "
            f"{names[1]} is {second}."
        )
    if types[0] not in {"binary", "multiclass", *(["multilabel-indicator"] if several else [])}:
        raise InvalidData(
            f"{types[0]} is not supported: {names[0]} and {names[1]} must be classes: whole numbers or strings"
            f"{', or a column of zeros and ones for each label' if several else ''}."
        )
    if true.n_columns != predicted.n_columns:
        raise InvalidData(
            f"Multi-label binary indicator input with different numbers of labels: {names[0]} has {true.n_columns} "
            f"columns, {names[1]} {predicted.n_columns}."
        )
    if (true.text or predicted.text) and (true.numbers or predicted.numbers):
        text, numbers = names if true.text else names[::-1]
        raise InvalidData(
            f"Mix of label input types (string and number): {text} holds strings, {numbers} numbers. Convert both to "
            "the same type, for example with astype(str)."
        )


def _check_clusters(true: Target, predicted: Target, names: Names) -> None:
    """Refuse labels that cannot be clusters, and warn of fractions, as scikit-learn does."""
    for name, target in zip(names, (true, predicted), strict=True):
        if target.n_columns > 1:
            raise InvalidData(f"{name} must be 1D: it has {target.n_columns} columns.")
        if target.is_mixed:
            raise mixed_labels(name)
    if true.fractions or predicted.fractions:
        warn_caller(
            f"Clustering metrics expects discrete values but received {true.type} values for {names[0]}, and "
            f"{predicted.type} values for {names[1]}.",
            UserWarning,
        )


def numbers(block: Block, names: Names = NAMES) -> tuple[Array, Array, Array]:
    """Return truth, prediction and weights of a block as float64 of shape (n_rows, n_outputs), and (n_rows,).

    Refuses different shapes, and values that are not finite numbers.
    """
    truth, prediction = _floats(block.X, names[0]), _floats(block.y, names[1])
    if truth.shape != prediction.shape:
        raise InvalidData(f"{names[1]}: has the shape {prediction.shape} where {names[0]} has {truth.shape}.")
    if not (np.isfinite(truth).all() and np.isfinite(prediction).all()):
        raise InvalidData(f"{names[0]} or {names[1]}: contains NaN or infinity. Drop such rows first.")
    return truth, prediction, weights_of(block)


def _floats(given: Array | None, name: str) -> Array:
    """Return numbers as float64 of shape (n_rows, n_columns)."""
    values = to_numpy(given)
    try:
        if values.dtype.kind not in "biufOUS":
            raise TypeError
        values = values.astype(np.float64)
    except (TypeError, ValueError):
        raise InvalidData(
            f"{name}: contains values that are not numbers. Regression metrics require numbers."
        ) from None
    return values[:, None] if values.ndim == 1 else values


def weights_of(block: Block) -> Array:
    """Return the finite weights of a block's rows as float64; 1 for each where there are none."""
    if block.weights is None:
        return np.ones(len(block))
    return checked_weights(to_numpy(block.weights)).astype(np.float64)


class Contingency(NamedTuple):
    """Summed weights of the rows of each pair of labels."""

    true: Array  # Labels that occur in the truth, sorted.
    predicted: Array  # Labels that occur in the prediction, sorted.
    weights: Array  # Array of shape (n_true, n_predicted); whole numbers where rows have no weights.


def contingency(rows: Rows, names: Names = NAMES, *, of: Of = "classes") -> Contingency:
    """Count pairs of labels of `paired` rows, checked, in one pass; 8 bytes per pair in a block's message."""
    return compared(rows, _count_pairs, partial(_merge_counts, names), names, of=of)


def _count_pairs(truth: Array, predicted: Array, weights: Array | None) -> Contingency:
    labels_true, row = np.unique(truth, return_inverse=True)
    labels_predicted, column = np.unique(predicted, return_inverse=True)
    shape = (len(labels_true), len(labels_predicted))
    cells = np.bincount(row * shape[1] + column, weights=weights, minlength=shape[0] * shape[1])
    return Contingency(labels_true, labels_predicted, cells.reshape(shape))


def _merge_counts(names: Names, one: Contingency, other: Contingency) -> Contingency:
    true = merge_classes(one.true, other.true, names[0])
    predicted = merge_classes(one.predicted, other.predicted, names[1])
    return Contingency(true, predicted, widened(one, true, predicted) + widened(other, true, predicted))


def widened(found: Contingency, true: Array, predicted: Array) -> Array:
    """Return the weights with rows and columns for more labels, which include all of ``found``."""
    wider = np.zeros((len(true), len(predicted)), dtype=found.weights.dtype)
    wider[np.ix_(np.searchsorted(true, found.true), np.searchsorted(predicted, found.predicted))] = found.weights
    return wider

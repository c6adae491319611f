"""Predict the class or the mean of the nearest neighbours."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from typing import Any

import numpy as np
from dask.delayed import delayed
from sklearn.base import MultiOutputMixin
from sklearn.utils.validation import column_or_1d

from ...dask_internals.collections import futures_in
from ..arrays import Array, Data, Dtype, Output
from ..delegation.methods import delegable
from ..errors import InvalidData
from ..estimator import ScoredClassifier, ScoredRegressor
from ..labels import checked_classes, class_labels, codes_of, merge_all_classes
from ..parameters import Rule, fitted, parameter
from ..rows.running import local_communicator
from ..rows.table import is_dask
from ..rows.waiting import computed, persisted, release
from .block_index import BlockIndex, Found
from .search import Training
from .training import NeighborsEstimator

Weighting = str | Callable[[Array], Array] | None
"""``uniform`` (or ``None``), ``distance``, or a function from distances to weights, of shape (n_queries, k)."""


class NeighborsPredictor(NeighborsEstimator):
    """Base of the classifier and the regressor."""

    n_neighbors: int = parameter(5, kw_only=False)
    weights: Weighting = parameter(
        "uniform",
        Rule(
            lambda value: value in ("uniform", "distance", None) or callable(value),
            "'uniform', 'distance' or a function",
        ),
    )


def neighbour_weights(distances: Array, weights: Weighting) -> Array:
    """Return the weight of each neighbour, by distances of shape (n_queries, k).

    With ``distance``, the inverse of the distance; then training rows that equal the query are the only ones that
    count, as in scikit-learn.
    """
    if weights in ("uniform", None):
        return np.ones_like(distances)
    if callable(weights):
        return np.asarray(weights(distances))
    with np.errstate(divide="ignore"):
        inverse = 1.0 / distances
    same = np.isinf(inverse)
    inverse[same.any(axis=1)] = same[same.any(axis=1)]
    return inverse


def shares(found: Found, output: int, n_classes: int, weights: Weighting) -> Array:
    """Return each class's share of the neighbours; array of shape (n_queries, n_classes), float64.

    Targets are codes of classes, a column for each output. Refuses queries whose neighbours all have the weight 0.
    """
    assert found.targets is not None
    votes = np.zeros((len(found.rows), n_classes))
    queries = np.arange(len(votes))
    given = neighbour_weights(found.distances, weights)
    for number in range(found.rows.shape[1]):
        votes[queries, found.targets[:, number, output]] += given[:, number]
    total = votes.sum(axis=1, keepdims=True)
    if (total == 0).any():
        raise InvalidData(
            "weights: all neighbors of a query have weight 0. Return a positive weight for at least one of them."
        )
    return votes / total


def winners(found: Found, classes: list[Array], weights: Weighting) -> Array:
    """Return the class with the largest share, of equal ones the first: (n_queries,) or (n_queries, n_outputs)."""
    chosen = [one[shares(found, number, len(one), weights).argmax(axis=1)] for number, one in enumerate(classes)]
    return chosen[0] if len(chosen) == 1 else np.stack(chosen, axis=1)


def means(found: Found, weights: Weighting) -> Array:
    """Return the weighted mean of the neighbours' targets; array of shape (n_queries,) or (n_queries, n_targets)."""
    assert found.targets is not None
    if weights in ("uniform", None):
        return found.targets.mean(axis=1)
    given = neighbour_weights(found.distances, weights)
    if found.targets.ndim == 3:
        given = given[:, :, None]
    return (found.targets * given).sum(axis=1) / given.sum(axis=1)


class KNeighborsClassifier(MultiOutputMixin, ScoredClassifier, NeighborsPredictor):
    """Classify by the classes of the nearest neighbours among training data on a cluster.

    Neighbours are found as by `NearestNeighbors`, exactly, and sent with the code of their class (8 bytes). cuML
    compares in float32 only.

    Parameters
    ----------
    n_neighbors : int
        Number of neighbours that vote.
    weights : {"uniform", "distance"} or callable
        Weight of a neighbour's vote: the same for all, the inverse of its distance, or the result of a function of the
        distances, of shape (n_queries, n_neighbors).
    algorithm, leaf_size, p, metric, metric_params, n_jobs, streams_per_handle, batch_size
        As those of `NearestNeighbors`.

    Attributes
    ----------
    classes_ : array of shape (n_classes,), or list of arrays
        A list, one for each column of y, where y had several.
    outputs_2d_ : bool
        Whether y had several columns.
    n_samples_fit_, effective_metric_
        As those of `NearestNeighbors`.
    """

    _scikit_learn = "sklearn.neighbors.KNeighborsClassifier"

    classes_: Any = fitted()

    @delegable
    def fit(self, X: Data, y: Data) -> KNeighborsClassifier:
        """Keep the training data on the workers, and find the classes; y may have several columns."""
        if y is not None and not is_dask(y):
            y = np.asarray(y)
            y = y if y.ndim == 2 and y.shape[1] > 1 else column_or_1d(y, warn=True)
        self._keep_training_data(X, y)
        self.outputs_2d_ = y.ndim == 2 and int(y.shape[1]) > 1
        if not self.outputs_2d_:
            [self.classes_] = self.classes_
        return self

    def _with_targets(self, training: Training, scope: ExitStack) -> Training:
        if training.lazy:
            classes = _joined(computed(*[delayed(_classes)(block) for block in training.blocks]))
            coded = delayed(_coded, pure=False, traverse=False)
            blocks = list(persisted(scope, *[coded(block, classes) for block in training.blocks]))
            release(futures_in(training.blocks))
        else:
            classes = _joined(local_communicator().allgather(_classes(training.blocks[0])))
            blocks = [_coded(training.blocks[0], classes)]
        self.classes_ = list(classes)
        return training._replace(blocks=blocks)

    @delegable
    def predict(self, X: Data) -> Output:
        """Return the class of each query; lazily for queries on Dask.

        Returns
        -------
        array, series or data frame of shape (n_queries,) or (n_queries, n_outputs)
            Where votes are equal, the class that comes first.
        """
        results = self._search(X, self.n_neighbors)
        classes: list[Array] = list(self.classes_) if self.outputs_2d_ else [self.classes_]
        columns = len(classes) if self.outputs_2d_ else None
        return results.like_queries(winners, classes, self.weights, dtype=classes[0].dtype, columns=columns)

    @delegable
    def predict_proba(self, X: Data) -> Output:
        """Return each class's share of the votes; lazily for queries on Dask.

        Returns
        -------
        array or data frame of shape (n_queries, n_classes), float64
            A list of these, one for each column of y, where y had several.
        """
        results = self._search(X, self.n_neighbors)
        columns = self.classes_ if self.outputs_2d_ else [self.classes_]
        found = [
            results.like_queries(shares, number, len(one), self.weights, dtype=np.float64, columns=len(one))
            for number, one in enumerate(columns)
        ]
        return found if self.outputs_2d_ else found[0]

    def _own_targets(self, gathered: Array | None) -> Array | None:
        assert gathered is not None
        if not self.outputs_2d_:
            return self.classes_[gathered[:, 0]]
        return np.stack([one[codes] for one, codes in zip(self.classes_, gathered.T, strict=True)], axis=1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


def _classes(block: BlockIndex) -> tuple[Array, ...] | None:
    return tuple(np.unique(labels) for labels in _labels(block)) if block.n_rows else None


def _joined(found: Iterable[tuple[Array, ...] | None]) -> tuple[Array, ...]:
    columns = zip(*(part for part in found if part is not None), strict=True)
    return tuple(checked_classes(merge_all_classes(column)) for column in columns)


def _coded(block: BlockIndex, classes: tuple[Array, ...]) -> BlockIndex:
    codes = [codes_of(labels, one) for labels, one in zip(_labels(block), classes, strict=True)]
    return block._replace(targets=np.stack(codes, axis=1))


def _labels(block: BlockIndex) -> list[Array]:
    assert block.targets is not None
    columns = block.targets[:, None] if block.targets.ndim == 1 else block.targets
    return [class_labels(column) for column in columns.T]


class KNeighborsRegressor(MultiOutputMixin, ScoredRegressor, NeighborsPredictor):
    """Predict the mean of the nearest neighbours among training data on a cluster.

    Neighbours are found as by `NearestNeighbors`, exactly, and sent with their targets. cuML compares in float32 only.

    Parameters
    ----------
    n_neighbors : int
        Number of neighbours to average.
    weights : {"uniform", "distance"} or callable
        As those of `KNeighborsClassifier`.
    algorithm, leaf_size, p, metric, metric_params, n_jobs, streams_per_handle, batch_size
        As those of `NearestNeighbors`.

    Attributes
    ----------
    n_samples_fit_, effective_metric_
        As those of `NearestNeighbors`.
    """

    _scikit_learn = "sklearn.neighbors.KNeighborsRegressor"

    @delegable
    def fit(self, X: Data, y: Data) -> KNeighborsRegressor:
        """Keep the training data on the workers."""
        self._keep_training_data(X, y)
        return self

    def _with_targets(self, training: Training, scope: ExitStack) -> Training:
        first = training.blocks[0]
        if training.lazy:
            [self._target] = computed(delayed(_target_of)(first))
        else:
            self._target = _target_of(first)
        return training

    @delegable
    def predict(self, X: Data) -> Output:
        """Return the mean of each query's neighbours."""
        results = self._search(X, self.n_neighbors)
        shape, dtype = self._target
        return results.like_queries(means, self.weights, dtype=dtype, columns=shape[0] if shape else None)


def _target_of(block: BlockIndex) -> tuple[tuple[int, ...], Dtype]:
    """Return the shape of one row's target, and the type of their mean."""
    assert block.targets is not None
    dtype = block.targets.dtype
    if dtype.kind not in "biuf":
        raise InvalidData(
            "Unknown label type. y: must be numbers. For classes, use a classifier, such as KNeighborsClassifier."
        )
    return block.targets.shape[1:], dtype if dtype == np.float32 else np.dtype(np.float64)

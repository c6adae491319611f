"""Classify by the classes of the nearest neighbours."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, column_or_1d

from ...dask_internals.collections import futures_in
from ..arrays import Array, Data, Output
from ..delegation.methods import delegable
from ..labels import checked_classes, class_labels, codes_of, merge_all_classes
from ..rows.running import local_communicator
from ..rows.table import is_dask
from ..rows.waiting import computed, persisted, release
from ..scoring import ScoredClassifier
from .block_index import BlockIndex
from .search import Training
from .voting import NeighborsPredictor, checked_weighting, shares, winners


class KNeighborsClassifier(ScoredClassifier, NeighborsPredictor):
    """Classify by the classes of the nearest neighbours among training data that are spread over a cluster.

    Neighbours are found as by `NearestNeighbors`, exactly; with each travels the code of its class (8 bytes). cuML
    compares in float32 only.

    Parameters
    ----------
    n_neighbors : int
        How many neighbours vote.
    weights : {"uniform", "distance"} or callable
        How much a neighbour's vote counts: all the same, by the inverse of its distance, or as a function says that
        takes distances, of shape (n_queries, n_neighbors), and returns weights.
    algorithm, leaf_size, p, metric, metric_params, n_jobs, streams_per_handle, batch_size
        As those of `NearestNeighbors`.

    Attributes
    ----------
    classes_ : array of shape (n_classes,), or list of arrays
        A list, one for each column of y, where y had several.
    outputs_2d_ : bool
        Whether y had several columns.
    n_samples_fit_, effective_metric_, n_features_in_, feature_names_in_
        As those of `NearestNeighbors`.
    """

    _scikit_learn = "sklearn.neighbors.KNeighborsClassifier"

    classes_: Any

    @delegable
    def fit(self, X: Data, y: Data) -> KNeighborsClassifier:
        """Keep the training data on the workers, and find the classes.

        Parameters
        ----------
        X : Dask array or data frame, or array of shape (n_rows, n_features)
        y : Dask array, series or data frame, or array of shape (n_rows,) or (n_rows, n_outputs)
            Labels: whole numbers or strings.

        Raises
        ------
        InvalidData
            X or y cannot be used.
        InvalidParameter, NotSupported
            An option is not allowed or not supported.
        """
        checked_weighting(self.weights)
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
            from dask.delayed import delayed

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

        Parameters
        ----------
        X : Dask array or data frame, or array of shape (n_queries, n_features)

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

        Parameters
        ----------
        X : Dask array or data frame, or array of shape (n_queries, n_features)

        Returns
        -------
        array or data frame of shape (n_queries, n_classes), float64
            A list of these, one for each column of y, where y had several.
        """
        check_is_fitted(self)
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
        tags.target_tags.multi_output = True
        tags.classifier_tags.multi_label = True
        return tags


def _classes(block: BlockIndex) -> tuple[Array, ...] | None:
    """Return the classes of each column of targets."""
    return tuple(np.unique(labels) for labels in _labels(block)) if block.n_rows else None


def _joined(found: Iterable[tuple[Array, ...] | None]) -> tuple[Array, ...]:
    columns = zip(*(part for part in found if part is not None), strict=True)
    return tuple(checked_classes(merge_all_classes(column)) for column in columns)


def _coded(block: BlockIndex, classes: tuple[Array, ...]) -> BlockIndex:
    codes = [codes_of(labels, one) for labels, one in zip(_labels(block), classes, strict=True)]
    return block._replace(targets=np.stack(codes, axis=1))


def _labels(block: BlockIndex) -> list[Array]:
    """Return the columns of targets."""
    assert block.targets is not None
    columns = block.targets[:, None] if block.targets.ndim == 1 else block.targets
    return [class_labels(column) for column in columns.T]

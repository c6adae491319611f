"""Classify by the classes of the nearest neighbours."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from sklearn.utils.validation import column_or_1d

from ..arrays import Array, Data, Output
from ..delegation.methods import delegable
from ..labels import checked_classes, codes_of, flat_labels, merge_all_classes
from ..rows.table import is_dask
from ..scoring import ScoredClassifier
from .block_index import BlockIndex
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
    algorithm, leaf_size, p, metric, metric_params, n_jobs
        As those of `NearestNeighbors`.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    n_samples_fit_, effective_metric_, n_features_in_, feature_names_in_
        As those of `NearestNeighbors`.
    """

    _scikit_learn = "sklearn.neighbors.KNeighborsClassifier"

    @delegable
    def fit(self, X: Data, y: Data) -> KNeighborsClassifier:
        """Keep the training data on the workers, and find the classes.

        Parameters
        ----------
        X : Dask array or data frame, or array of shape (n_rows, n_features)
        y : Dask array or series, or array of shape (n_rows,)
            Labels: whole numbers or strings.

        Raises
        ------
        InvalidData
            X or y cannot be used.
        InvalidParameter, NotSupported
            An option is not allowed or not supported.
        """
        checked_weighting(self.weights)
        self._keep_training_data(X, y if y is None or is_dask(y) else column_or_1d(y, warn=True))
        training = self._training
        if training.lazy:
            from dask.base import persist
            from dask.delayed import delayed

            from ..rows.waiting import computed

            found = computed(*[delayed(_classes)(block) for block in training.blocks])
            self.classes_ = _joined(found)
            coded = delayed(_coded, pure=False, traverse=False)
            blocks = list(persist(*[coded(block, self.classes_) for block in training.blocks]))
        else:
            from ..rows.running import local_communicator

            self.classes_ = _joined(local_communicator().allgather(_classes(training.blocks[0])))
            blocks = [_coded(training.blocks[0], self.classes_)]
        self._training = training._replace(blocks=blocks)
        return self

    @delegable
    def predict(self, X: Data) -> Output:
        """Return the class of each query; lazily for queries on Dask.

        Parameters
        ----------
        X : Dask array or data frame, or array of shape (n_queries, n_features)

        Returns
        -------
        array or series of shape (n_queries,)
            Where votes are equal, the class that comes first.
        """
        results = self._search(X, self.n_neighbors)
        return results.like_queries(winners, self.classes_, self.weights, dtype=self.classes_.dtype)

    @delegable
    def predict_proba(self, X: Data) -> Output:
        """Return each class's share of the votes; lazily for queries on Dask.

        Parameters
        ----------
        X : Dask array or data frame, or array of shape (n_queries, n_features)

        Returns
        -------
        array or data frame of shape (n_queries, n_classes), float64
        """
        n_classes = len(self.classes_) if hasattr(self, "classes_") else 0
        results = self._search(X, self.n_neighbors)
        return results.like_queries(shares, n_classes, self.weights, dtype=np.float64, columns=n_classes)

    def _own_targets(self, gathered: Array | None) -> Array | None:
        return self.classes_[gathered]


def _classes(block: BlockIndex) -> Array | None:
    return np.unique(_labels(block)) if block.n_rows else None


def _joined(found: Iterable[Array | None]) -> Array:
    return checked_classes(merge_all_classes(found))


def _coded(block: BlockIndex, classes: Array) -> BlockIndex:
    return block._replace(targets=codes_of(_labels(block), classes))


def _labels(block: BlockIndex) -> Array:
    assert block.targets is not None
    return flat_labels(block.targets)

"""Predict by the mean of the nearest neighbours."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import numpy as np

from ..arrays import Data, Dtype, Output
from ..delegation.methods import delegable
from ..errors import InvalidData
from ..rows.waiting import computed
from ..scoring import ScoredRegressor
from .block_index import BlockIndex
from .search import Training
from .voting import NeighborsPredictor, checked_weighting, means


class KNeighborsRegressor(ScoredRegressor, NeighborsPredictor):
    """Predict the mean of the nearest neighbours among training data that are spread over a cluster.

    Neighbours are found as by `NearestNeighbors`, exactly; with each travels what is to be averaged. cuML compares in
    float32 only.

    Parameters
    ----------
    n_neighbors : int
        How many neighbours are averaged.
    weights : {"uniform", "distance"} or callable
        As those of `KNeighborsClassifier`.
    algorithm, leaf_size, p, metric, metric_params, n_jobs, streams_per_handle, batch_size
        As those of `NearestNeighbors`.

    Attributes
    ----------
    n_samples_fit_, effective_metric_, n_features_in_, feature_names_in_
        As those of `NearestNeighbors`.
    """

    _scikit_learn = "sklearn.neighbors.KNeighborsRegressor"

    @delegable
    def fit(self, X: Data, y: Data) -> KNeighborsRegressor:
        """Keep the training data on the workers.

        Parameters
        ----------
        X : Dask array or data frame, or array of shape (n_rows, n_features)
        y : Dask array or series, or array of shape (n_rows,) or (n_rows, n_targets)
            Numbers.

        Raises
        ------
        InvalidData
            X or y cannot be used.
        InvalidParameter, NotSupported
            An option is not allowed or not supported.
        """
        checked_weighting(self.weights)
        self._keep_training_data(X, y)
        return self

    def _with_targets(self, training: Training, scope: ExitStack) -> Training:
        first = training.blocks[0]
        if training.lazy:
            from dask.delayed import delayed

            [self._target] = computed(delayed(_target_of)(first))
        else:
            self._target = _target_of(first)
        return training

    @delegable
    def predict(self, X: Data) -> Output:
        """Return the mean of each query's neighbours; lazily for queries on Dask.

        Parameters
        ----------
        X : Dask array or data frame, or array of shape (n_queries, n_features)

        Returns
        -------
        array, series or data frame of shape (n_queries,) or (n_queries, n_targets)
        """
        results = self._search(X, self.n_neighbors)
        shape, dtype = self._target
        return results.like_queries(means, self.weights, dtype=dtype, columns=shape[0] if shape else None)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


def _target_of(block: BlockIndex) -> tuple[tuple[int, ...], Dtype]:
    """Return the shape of one row's target, and the type of their mean."""
    assert block.targets is not None
    dtype = block.targets.dtype
    if dtype.kind not in "biuf":
        raise InvalidData(
            "Unknown label type. y: numbers are needed. For classes use a classifier, such as KNeighborsClassifier."
        )
    return block.targets.shape[1:], dtype if dtype == np.float32 else np.dtype(np.float64)

"""The search within one block of rows that is on a GPU: by cuML, with the distances computed anew."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Array, to_numpy
from ..errors import NotSupported
from .options import effective_metric

EXPONENTS = {"manhattan": 1.0, "l1": 1.0, "cityblock": 1.0, "euclidean": 2.0, "l2": 2.0, "chebyshev": np.inf}
CANDIDATES = 8
"""So many neighbours more than are wanted are looked at again, as cuML's distances tell only roughly who is nearer."""


class DeviceSearch:
    """cuML's search of one GPU, asked as scikit-learn's is; what it finds comes to host memory.

    cuML computes distances in the type of the rows, and euclidean ones as differences of large numbers. Those of the
    rows that it finds are computed anew in float64, so that results are those that the CPU gives.

    Parameters
    ----------
    X : array of shape (n_rows, n_features)
        On the GPU.
    metric, p
        As scikit-learn has them.
    """

    def __init__(self, X: Array, metric: str, p: float) -> None:
        from cuml.neighbors import NearestNeighbors

        self._X = X
        metric = effective_metric(metric, p)
        self._exponent = p if metric == "minkowski" else EXPONENTS.get(metric)
        self._model: Any = NearestNeighbors(algorithm="brute", metric=metric, p=p, output_type="cupy").fit(X)

    def kneighbors(self, queries: Array, k: int) -> tuple[Array, Array]:
        """Return distances and numbers of the k nearest rows, nearest first; arrays of shape (n_queries, k)."""
        import cupy

        queries = cupy.asarray(queries, dtype=self._X.dtype)
        n_candidates = min(k + CANDIDATES, len(self._X))
        distances, rows = self._model.kneighbors(queries, n_neighbors=n_candidates)
        if self._exponent is None:
            return to_numpy(distances[:, :k]), to_numpy(rows[:, :k]).astype(np.int64)
        distances = self._distances(queries, rows, self._exponent)
        order = cupy.argsort(distances, axis=1)[:, :k]
        nearest = (cupy.take_along_axis(found, order, axis=1) for found in (distances, rows))
        return to_numpy(next(nearest)), to_numpy(next(nearest)).astype(np.int64)

    def _distances(self, queries: Array, rows: Array, exponent: float) -> Array:
        """Return the distances of queries to their candidates; one candidate of all queries at a time."""
        import cupy

        found = cupy.empty(rows.shape, dtype="float64")
        queries = queries.astype("float64")
        for column in range(rows.shape[1]):
            apart = cupy.abs(queries - self._X[rows[:, column]])
            if exponent == np.inf:
                found[:, column] = apart.max(axis=1)
            else:
                found[:, column] = (apart**exponent).sum(axis=1) ** (1 / exponent)
        return found

    def radius_neighbors(self, queries: Array, radius: float) -> tuple[Array, Array]:
        """Refuse: cuML has no such search.

        Raises
        ------
        NotSupported
        """
        raise NotSupported(
            "radius_neighbors: cuML has nothing like it for rows on GPUs. Bring them to the CPU: "
            "X.map_blocks(cupy.asnumpy)."
        )

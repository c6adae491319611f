"""Neighbours within one block of rows, and the merging of those of several blocks."""

from __future__ import annotations

from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Array, PlainModel, array_namespace_of, is_of_numpy, to_numpy
from ..checks import not_finite
from ..errors import InvalidParameter, NotSupported
from ..parameters import real
from ..rows.block import unlike_blocks

RADIUS = real(0, above=True)


def index_options(estimator: Any) -> dict[str, Any]:
    """Return the options of scikit-learn's index of a block, after checks of the estimator's parameters."""
    algorithm, metric = estimator.algorithm, estimator.metric
    checked_count(estimator.n_neighbors)
    if metric == "cosine" and algorithm in {"ball_tree", "kd_tree"}:
        raise InvalidParameter(f"algorithm: {algorithm} does not support cosine distances. Use 'brute'.")
    return {"algorithm": algorithm, "leaf_size": estimator.leaf_size, "metric": metric, "p": estimator.p}


def checked_count(n_neighbors: Any) -> int:
    if not isinstance(n_neighbors, Integral) or isinstance(n_neighbors, bool):
        raise InvalidParameter(f"n_neighbors does not take {type(n_neighbors)} value, enter integer value")
    if n_neighbors <= 0:
        raise InvalidParameter(f"Expected n_neighbors > 0. Got {n_neighbors}")
    return int(n_neighbors)


def effective_metric(metric: str, p: float) -> str:
    """Return the plain name of a distance, as scikit-learn does."""
    if metric == "minkowski":
        return {1: "manhattan", 2: "euclidean", np.inf: "chebyshev"}.get(p, "minkowski")
    return metric


EXPONENTS = {"manhattan": 1.0, "l1": 1.0, "cityblock": 1.0, "euclidean": 2.0, "l2": 2.0, "chebyshev": np.inf}
CANDIDATES = 8  # Number of further neighbours whose distances are recomputed, because cuML's distances are not exact.


class DeviceSearch:
    """cuML's search of rows on one GPU with scikit-learn's interface; results come to host memory.

    cuML computes distances in the type of the rows, and euclidean ones as differences of large numbers. Distances of
    the rows found are recomputed in float64, so that results are the same as on the CPU.
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
        """Refuse: cuML has no such search."""
        raise NotSupported(
            "radius_neighbors: cuML does not support it for rows on GPUs. Copy them to the CPU: "
            "X.map_blocks(cupy.asnumpy)."
        )


SLICE_CELLS = 2**22  # Candidates in one slice of the rows with many equal distances.


class BlockIndex(NamedTuple):
    """One block of the training data with its index."""

    search: PlainModel | None
    """Fitted ``sklearn.neighbors.NearestNeighbors``, or `DeviceSearch` of rows on a GPU; ``None`` for no rows."""
    targets: Array | None  # Array of shape (n_rows,) or (n_rows, n_targets), or ``None``.
    X: Array  # The rows; array of shape (n_rows, n_features).

    @property
    def n_rows(self) -> int:
        return len(self.X)


class Found(NamedTuple):
    """The nearest rows of some queries, nearest first, at equal distances those with lower numbers first."""

    distances: Array  # Array of shape (n_queries, k), float64; fewer columns while fewer rows were searched.
    rows: Array  # Numbers among all training rows; array of shape (n_queries, k), int64.
    targets: Array | None  # Of these rows; array of shape (n_queries, k) or (n_queries, k, n_targets), or ``None``.


def build(X: Array, y: Array | None, options: dict[str, Any]) -> BlockIndex:
    """Return a block's index, cuML's for CuPy; refuse NaN, infinity, and a y with another number of rows."""
    from sklearn.neighbors import NearestNeighbors

    if y is not None and len(y) != len(X):
        raise unlike_blocks(len(X), len(y))
    library = array_namespace_of(X)
    # The sum is much cheaper than a look at each element, but may overflow.
    with np.errstate(over="ignore", invalid="ignore"):
        suspicious = len(X) and not library.isfinite(library.sum(X, dtype=np.float64))
    if suspicious and not library.isfinite(X).all():
        raise not_finite()
    targets = None if y is None else to_numpy(y)
    if targets is not None and targets.dtype.kind == "f" and not np.isfinite(targets).all():
        raise not_finite("y")
    X = library.ascontiguousarray(X)
    if not len(X):
        return BlockIndex(None, targets, X)
    if is_of_numpy(X):
        return BlockIndex(NearestNeighbors(**options).fit(X), targets, X)
    return BlockIndex(DeviceSearch(X, options["metric"], options["p"]), targets, X)


def build_joined(options: dict[str, Any], *parts: Any) -> BlockIndex:
    """Return the index of blocks that follow each other; ``parts``: X and y (or ``None``) of each."""
    X, y = parts[::2], parts[1::2]
    if len(X) == 1:
        return build(X[0], y[0], options)
    joined = array_namespace_of(X[0]).concatenate(X)
    return build(joined, None if y[0] is None else np.concatenate([to_numpy(each) for each in y]), options)


def nearest(index: BlockIndex, start: int, queries: Array, k: int) -> Found:
    """Return the (at most) k nearest rows of one block; ``start`` is the number of its first row among all."""
    if index.search is None or len(queries) == 0:
        width = min(k, index.n_rows)
        distances, rows = np.zeros((len(queries), width)), np.zeros((len(queries), width), dtype=np.int64)
    else:
        distances, rows = _nearest(index.search, queries_for(index.search, queries), k, index.n_rows)
    return Found(distances, rows + start, None if index.targets is None else index.targets[rows])


def queries_for(search: PlainModel, queries: Array) -> Array:
    """Return queries in host memory for scikit-learn, unchanged for cuML."""
    return queries if isinstance(search, DeviceSearch) else to_numpy(queries)


def _nearest(search: PlainModel, queries: Array, k: int, n_rows: int) -> tuple[Array, Array]:
    """Find neighbours, at equal distances always those with the lowest numbers."""
    wanted = min(k + 1, n_rows)
    distances, rows = _ordered(*search.kneighbors(queries, wanted))
    open_ = np.flatnonzero(distances[:, -1] == distances[:, min(k, n_rows) - 1]) if wanted > k else np.zeros(0, int)
    distances, rows = distances[:, :k].copy(), rows[:, :k].copy()
    while len(open_) and wanted < n_rows:
        wanted = min(2 * wanted, n_rows)
        still = []
        size = max(SLICE_CELLS // wanted, 1)
        for some in (open_[i : i + size] for i in range(0, len(open_), size)):
            more, candidates = _ordered(*search.kneighbors(queries[some], wanted))
            distances[some], rows[some] = more[:, :k], candidates[:, :k]
            still.append(some[more[:, -1] == more[:, k - 1]])
        open_ = np.concatenate(still)
    return distances, rows


def _ordered(distances: Array, rows: Array) -> tuple[Array, Array]:
    distances, rows = distances.astype(np.float64, copy=False), rows.astype(np.int64, copy=False)
    order = np.lexsort((rows, distances), axis=-1)
    return np.take_along_axis(distances, order, axis=1), np.take_along_axis(rows, order, axis=1)


def merge(k: int, *found: Found) -> Found:
    """Return the (at most) k nearest rows of several blocks."""
    distances = np.concatenate([one.distances for one in found], axis=1)
    rows = np.concatenate([one.rows for one in found], axis=1)
    order = np.lexsort((rows, distances), axis=-1)[:, :k]
    targets = None
    if found[0].targets is not None:
        every = np.concatenate([one.targets for one in found], axis=1)
        targets = np.take_along_axis(every, order if every.ndim == 2 else order[:, :, None], axis=1)
    return Found(np.take_along_axis(distances, order, axis=1), np.take_along_axis(rows, order, axis=1), targets)


def without_itself(found: Found, start: int) -> Found:
    """Drop each query, a training row, from its own neighbours, of which there is one more than requested.

    ``start`` is the number of the first query among the training rows.
    """
    keep = found.rows != start + np.arange(len(found.rows))[:, None]
    # With many duplicates a row may not be among its own neighbours; then drop one duplicate.
    keep[keep.all(axis=1), 0] = False
    shape = (len(found.rows), found.rows.shape[1] - 1)
    targets = found.targets
    if targets is not None:
        targets = targets[keep].reshape(*shape, *targets.shape[2:])
    return Found(found.distances[keep].reshape(shape), found.rows[keep].reshape(shape), targets)

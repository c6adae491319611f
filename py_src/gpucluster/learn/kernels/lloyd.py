"""k-means on one block: nearest centres, distances to them, sums and counts per cluster, inertia.

On CPU with scikit-learn's kernel, if the installed version behaves as expected; on GPUs with a kernel that reads each
row once (`on_gpu.lloyd`), for few columns and clusters; otherwise with two matrix products. Blocks are processed in
slices, so that float32 data are added up over at most `SLICE_ROWS` rows before the sums become float64.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Array, Dtype, Namespace, array_namespace_of, is_of_numpy, to_numpy
from ..rows.block import Block
from .on_gpu import lloyd as lloyd_on_gpu
from .slices import slices

ROUNDING = 8  # Squared distances below this multiple of the rounding error count as zero.


class Nearest:
    """Caches each block's distances to the nearest centre, to compute only new ones; copies start empty."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int | None], tuple[int, Array]] = {}
        self._squares: dict[tuple[int, int | None], Array] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {"_known": {}, "_squares": {}}

    def lengths(self, block: Block, offset: Array | None) -> Array:
        """Return squared lengths of the rows, relative to the offset: array of shape (n_rows,), of the type of X."""
        key = block.number, block.start
        if key not in self._squares:
            self._squares[key] = _lengths(block.X, offset)
        return self._squares[key]

    def distances(self, block: Block, centers: Array, offset: Array | None) -> Array:
        """Return squared distances to the nearest centre, of shape (n_rows,) and the type of X.

        The centres, relative to the offset, are those of the last call, and possibly further ones.
        """
        xp = array_namespace_of(block.X)
        key = block.number, block.start
        n_known, nearest = self._known.get(key, (0, None))
        if nearest is None:
            nearest = xp.full(len(block), np.inf, block.X.dtype)
        new = centers[n_known:]
        if len(new) and lloyd_on_gpu.is_taken(block.X, len(new), summed=False):
            xp.minimum(nearest, lloyd_on_gpu.pass_over(block.X, new, offset, distances=True).distances, out=nearest)
        elif len(new):
            for part, distances in distances_to(block.X, self.lengths(block, offset), new, offset):
                xp.minimum(nearest[part], distances.min(axis=1), out=nearest[part])
        self._known[key] = len(centers), nearest
        return nearest


def distances_to(X: Array, lengths: Array, centers: Array, offset: Array | None) -> Iterator[tuple[slice, Array]]:
    """Yield slices and squared distances to all centres, |x|² - 2 x·c + |c|²: one matrix product each."""
    xp = array_namespace_of(X)
    centers = xp.asarray(centers, dtype=X.dtype)
    own = (centers * centers).sum(axis=1)
    for part in slices(X):
        sizes = lengths[part, None] + own
        distances = _shifted(X[part], offset) @ centers.T
        distances *= -2
        distances += sizes
        sizes *= ROUNDING * np.finfo(X.dtype).eps
        distances[distances < sizes] = 0
        yield part, distances


def distances_between(X: Array, centers: Array, offset: Array | None) -> Array:
    """Return all squared distances: array of shape (n_rows, n_centers), of the type of X."""
    xp = array_namespace_of(X)
    result = xp.empty((len(X), len(centers)), X.dtype)
    for part, distances in distances_to(X, _lengths(X, offset), centers, offset):
        result[part] = distances
    return result


def _lengths(X: Array, offset: Array | None) -> Array:
    xp = array_namespace_of(X)
    lengths = xp.empty(len(X), X.dtype)
    for part in slices(X):
        values = _shifted(X[part], offset)
        lengths[part] = xp.einsum("ij,ij->i", values, values)
    return lengths


def _shifted(X: Array, offset: Array | None) -> Array:
    return X if offset is None else X - array_namespace_of(X).asarray(offset, dtype=X.dtype)


SLICE_ROWS = 1 << 18
GENERIC_BYTES = {"numpy": 1 << 22, "cupy": 1 << 28}  # Of the distances of one slice, with two matrix products.


class Sums(NamedTuple):
    """Sums over the points of each cluster, sent between ranks: ``8 k (d + 1)`` bytes for any number of rows.

    Those of a block on a GPU stay there, so that the next block starts before they are known.
    """

    sums: Array  # Array of shape (k, d), float64.
    weights: Array  # Array of shape (k,), float64; the number of points where all weigh 1.


def sums_of(block: Block, centers: Array, offset: Array | None, labels: Array | None = None) -> Sums:
    """Add up the points that are nearest to each centre.

    ``centers``, of shape (k, d) and the type of X, are relative to the offset, of shape (d,), which is subtracted from
    X slice by slice: for data far from zero. ``labels``, int32 of shape (n_rows,), gets each row's nearest centre; for
    NumPy arrays.
    """
    if lloyd_on_gpu.is_taken(block.X, len(centers)):
        found = lloyd_on_gpu.pass_over(block.X, centers, offset, block.weights, sums=True)
        return Sums(found.sums, found.weights)
    total = Sums(np.zeros(centers.shape), np.zeros(len(centers)))
    centers = array_namespace_of(block.X).asarray(centers, dtype=block.X.dtype)
    kernel = kernel_of(block.X, centers)
    scattered, start = False, 0
    for X, weights in _slices_of(block, offset, kernel.rows(centers)):
        # If all rows weigh 1, skip the search for the heaviest: it takes as long as ten small operations.
        heaviest = 1.0 if block.weights is None else float(weights.max())
        room = _scratch(len(X)) if labels is None else labels[start : start + len(X)]
        scattered = kernel.add(total, X, weights, heaviest, centers, scattered, room)
        start += len(X)
    # On a GPU, like the sums of other blocks.
    return Sums(*map(array_namespace_of(block.X).asarray, total))


def labels_of(X: Array, centers: Array, offset: Array | None = None, n_threads: int = 1) -> Array:
    """Return the number of the nearest centre of each row: array of shape (n_rows,), int32."""
    if lloyd_on_gpu.is_taken(X, len(centers), summed=False):
        return lloyd_on_gpu.pass_over(X, centers, offset, labels=True).labels
    xp = array_namespace_of(X)
    centers = xp.asarray(centers, dtype=X.dtype)
    kernel = kernel_of(X, centers)
    parts = _slices_of(Block(0, 0, X), offset, kernel.rows(centers))
    labels = [kernel.labels(part, centers, n_threads) for part, _ in parts]
    return xp.concatenate(labels) if labels else xp.empty(0, np.int32)


def inertia_of(
    block: Block, centers: Array, offset: Array | None, keep: dict[int, Array] | None = None, known: Array | None = None
) -> float:
    """Return the weighted sum of squared distances to the nearest centres, which are relative to the offset.

    ``keep`` gets the rows' labels by the number of the first row; not on another process. ``known``: the labels, int32.
    """
    if known is None and lloyd_on_gpu.is_taken(block.X, len(centers), summed=False):
        found = lloyd_on_gpu.pass_over(block.X, centers, offset, block.weights, labels=keep is not None, inertia=True)
        if keep is not None:
            keep[int(block.start or 0)] = found.labels
        return found.inertia
    centers = array_namespace_of(block.X).asarray(centers, dtype=block.X.dtype)
    kernel = kernel_of(block.X, centers)
    inertia, start, first = 0.0, 0, int(block.start or 0)
    for X, weights in _slices_of(block, offset, kernel.rows(centers)):
        labels = kernel.labels(X, centers) if known is None else known[start : start + len(X)]
        inertia += kernel.inertia(X, weights, centers, labels)
        if keep is not None:
            keep[first + start] = labels
        start += len(X)
    return inertia


def _slices_of(block: Block, offset: Array | None, n_rows: int) -> Iterator[tuple[Array, Array]]:
    """Yield slices of a block for the kernels: contiguous, relative to the offset, with weights."""
    xp = array_namespace_of(block.X)
    dtype = block.X.dtype
    shift = None if offset is None else xp.asarray(offset, dtype=dtype)
    given = block.weights
    for start in range(0, len(block), n_rows):
        X = block.X[start : start + n_rows]
        X = xp.ascontiguousarray(X) if shift is None else xp.subtract(X, shift, order="C")
        weights = (
            _ones(xp, min(n_rows, SLICE_ROWS), dtype)[: len(X)]
            if given is None
            else given[start : start + n_rows].astype(dtype)
        )
        yield X, weights


class _Generic:
    """Two matrix products; for arrays of NumPy and CuPy."""

    @staticmethod
    def rows(centers: Array) -> int:
        module = array_namespace_of(centers).__name__
        return max(256, min(SLICE_ROWS, GENERIC_BYTES.get(module, 1 << 28) // (8 * len(centers))))

    @staticmethod
    def labels(X: Array, centers: Array, n_threads: int = 1) -> Array:
        distances = X @ centers.T
        distances *= -2
        distances += (centers * centers).sum(axis=1)
        return distances.argmin(axis=1).astype(np.int32)

    @classmethod
    def add(
        cls, total: Sums, X: Array, weights: Array, heaviest: float, centers: Array, scattered: bool, room: Array
    ) -> bool:
        xp = array_namespace_of(X)
        labels = cls.labels(X, centers)
        if is_of_numpy(X):
            room[:] = labels
        # One row per cluster with the weights of its points, and zero elsewhere.
        belongs = (xp.arange(len(centers), dtype=np.int32)[:, None] == labels).astype(X.dtype)
        belongs *= weights
        np.add(total.sums, to_numpy(belongs @ X), out=total.sums)
        np.add(total.weights, to_numpy(belongs.sum(axis=1, dtype=np.float64)), out=total.weights)
        return scattered

    @staticmethod
    def inertia(X: Array, weights: Array, centers: Array, labels: Array) -> float:
        apart = X - centers[labels]
        apart *= apart
        return float(apart.sum(axis=1, dtype=np.float64) @ weights)


class _ScikitLearn:
    """The kernel of ``sklearn.cluster.KMeans`` on one thread, because the caller has threads."""

    @staticmethod
    def rows(centers: Array) -> int:
        return SLICE_ROWS

    @staticmethod
    def labels(X: Array, centers: Array, n_threads: int = 1) -> Array:
        return _ScikitLearn._label(X, np.empty(len(X), X.dtype), centers, np.empty(len(X), np.int32), n_threads)

    @staticmethod
    def _label(X: Array, weights: Array, centers: Array, labels: Array, n_threads: int) -> Array:
        from sklearn.cluster._k_means_lloyd import lloyd_iter_chunked_dense

        unused = np.empty(len(centers), X.dtype)
        lloyd_iter_chunked_dense(X, weights, centers, None, unused, labels, unused, n_threads, update_centers=False)
        return labels

    @classmethod
    def add(
        cls, total: Sums, X: Array, weights: Array, heaviest: float, centers: Array, scattered: bool, labels: Array
    ) -> bool:
        """Add to the total, and return whether the next slice probably has empty clusters.

        ``labels`` gets the numbers of the nearest centres: array of shape (n_rows,), int32.

        The kernel moves a far point to each cluster that is empty here, though it may have points in other slices.
        Where that may have happened, the sums are recomputed from the labels, which the kernel leaves unchanged.
        """
        from sklearn.cluster._k_means_lloyd import lloyd_iter_chunked_dense

        k = len(centers)
        # With fewer rows than clusters, the kernel would fail to move points.
        if scattered or len(X) < k:
            cls._label(X, weights, centers, labels, 1)
        else:
            means, counts, shift = np.empty_like(centers), np.empty(k, X.dtype), np.empty(k, X.dtype)
            # One thread: with several, OpenMP's sums depend on chance, and the caller has threads.
            lloyd_iter_chunked_dense(X, weights, centers, means, counts, labels, shift, 1)
            if counts.min() > heaviest:
                exact = counts.astype(np.float64)
                np.add(total.weights, exact, out=total.weights)
                np.add(total.sums, means * exact[:, None], out=total.sums)
                return False
        sums, points = added(X, weights, labels, k)
        np.add(total.sums, sums, out=total.sums)
        np.add(total.weights, points, out=total.weights)
        return bool((np.bincount(labels, minlength=k) == 0).any())

    @staticmethod
    def inertia(X: Array, weights: Array, centers: Array, labels: Array) -> float:
        from sklearn.cluster._k_means_common import _inertia_dense

        # In short pieces, because the kernel adds up in the type of the data.
        parts = (slice(start, start + 4096) for start in range(0, len(X), 4096))
        return float(sum(_inertia_dense(X[part], weights[part], centers, labels[part], 1) for part in parts))


def added(X: Array, weights: Array, labels: Array, n_clusters: int) -> tuple[Array, Array]:
    from scipy.sparse import csc_array

    counts = np.bincount(labels, weights=weights, minlength=n_clusters)  # refuses negative labels
    if len(counts) > n_clusters:
        # The product would write beyond its memory.
        raise ValueError("labels: must be from 0 to n_clusters - 1.")
    belongs = csc_array((weights, labels, np.arange(len(X) + 1, dtype=np.int32)), shape=(n_clusters, len(X)))
    return belongs @ X, counts


@lru_cache(maxsize=8)
def _ones(xp: Namespace, n: int, dtype: Dtype) -> Array:
    """Return weights of 1; cached, because Dask's workers return freed memory to the system."""
    return xp.ones(n, dtype)


_memory = threading.local()


def _scratch(n: int) -> Array:
    """Return a buffer for the labels of a slice, which each thread keeps for the same reason."""
    if getattr(_memory, "labels", None) is None:
        _memory.labels = np.empty(SLICE_ROWS, np.int32)
    return _memory.labels[:n]


def kernel_of(X: Array, centers: Array) -> type[_Generic] | type[_ScikitLearn]:
    on_cpu = is_of_numpy(X) and X.dtype in (np.float32, np.float64)
    return _ScikitLearn if on_cpu and centers.dtype == X.dtype and _scikit_learn_works() else _Generic


@cache
def _scikit_learn_works() -> bool:
    """Whether scikit-learn's private kernel behaves as expected."""
    points = np.array([[0, 0], [0, 2], [9, 9], [9, 7], [10, 8], [50, 50]])
    for dtype in (np.float32, np.float64):
        X, centers = points.astype(dtype), np.array([[0, 0], [9, 9], [100, 100]], dtype)
        weights = np.array([2, 1, 1, 1, 1, 1], dtype)
        try:
            labels = np.full(len(X), -1, np.int32)
            if not np.array_equal(_ScikitLearn._label(X, weights, centers, labels, 1), _Generic.labels(X, centers)):
                return False
            for k, scattered in ((3, False), (3, True), (2, False)):
                got, wanted = (Sums(np.zeros((k, 2)), np.zeros(k)) for _ in range(2))
                here, there = np.full(len(X), -1, np.int32), np.empty(len(X), np.int32)
                _ScikitLearn.add(got, X, weights, 2.0, centers[:k], scattered, here)
                _Generic.add(wanted, X, weights, 2.0, centers[:k], scattered, there)
                if not all(map(np.allclose, (*got, here), (*wanted, there))):
                    return False
            inertias = [kernel.inertia(X, weights, centers, labels) for kernel in (_ScikitLearn, _Generic)]
            if not np.isclose(inertias[0], inertias[1]):
                return False
        except (ImportError, TypeError, ValueError, AttributeError):
            return False
    return True

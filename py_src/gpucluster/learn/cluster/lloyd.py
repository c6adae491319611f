"""k-means: move the first centres until they no longer change.

Source: S. Lloyd, "Least Squares Quantization in PCM", IEEE Transactions on Information Theory 28 (1982). Parallel form:
I. S. Dhillon and D. S. Modha, "A Data-Clustering Algorithm on Distributed Memory Multiprocessors", 1999: every rank
adds up its own points per cluster, and an allreduce of sums and counts gives all ranks the same new centres.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..arrays import Array, Dtype, array_namespace_of
from ..checks import check_weight, total_weight
from ..errors import InvalidData
from ..kernels.bounds import FEWEST_ROWS, Bounds
from ..kernels.columns import Spread, merge_spreads, spread
from ..kernels.lloyd import inertia_of, sums_of
from ..rows.block import Block, Rows
from ..rows.shard import one_blas_thread
from .seeding import Picked, Start, farthest, first_centers, max_passes, smallest_of

FAR = 0.03  # Data are centred first where their mean is more than ``FAR / sqrt(precision)`` variances away from zero.
SAMPLED = 32  # Every 32nd row is enough to see how far data are from zero.
BAD_DATA = "X: has missing values (NaN), infinity, or values too large for its type. Drop or fill such rows first."
CLUSTERS_PER_PASS = 8  # Computing distances to this many centres takes as long as reading the rows once.


class Clustering(NamedTuple):
    """What k-means has found."""

    centers: Array  # Array of shape (k, d).
    inertia: float
    n_iter: int
    n_distinct: int  # How many clusters have points.


def kmeans(
    rows: Rows, *, start: Start, max_iter: int, tol: float, n_init: int, keep: dict[int, Array] | None = None
) -> Clustering:
    """Run k-means ``n_init`` times from different first centres, and return the result with the smallest inertia.

    A run stops when the squared distances that the centres move in one iteration sum to at most ``tol`` times the mean
    variance of the columns. ``keep`` gets the labels of this process's rows, by the number of each part's first row.
    """
    with one_blas_thread():
        rows = rows.with_starts()
        # Without a tolerance, the spread only serves to see whether data are far from zero.
        found = _checked(rows.total(spread, 1 if tol else SAMPLED, op=merge_spreads), start.n_clusters)
        dtype = found.dtype
        offset = _rounded(found.mean, dtype) if is_far(found.mean, found.variance.sum(), dtype) else None
        threshold = tol * float(found.variance.mean())
        start = start.broadcast(rows)
        # Labels are kept by the numbers of rows, which blocks that are joined do not know.
        larger = rows.in_larger_blocks(FEWEST_ROWS) if keep is None else rows
        best: Clustering | None = None
        for run in range(n_init):
            labels: dict[int, Array] | None = None if keep is None else {}
            centers = first_centers(rows, start, run, offset, dtype)
            result = lloyd(rows, larger, centers, offset, max_iter, threshold, labels)
            if best is None or result.inertia < best.inertia:
                best = result
                if keep is not None and labels is not None:
                    keep.clear()
                    keep.update(labels)
        assert best is not None
        return best if offset is None else best._replace(centers=(best.centers + offset).astype(dtype))


def lloyd(
    rows: Rows,
    larger: Rows,
    centers: Array,
    offset: Array | None,
    max_iter: int,
    threshold: float,
    keep: dict[int, Array] | None = None,
) -> Clustering:
    """Move centres until they no longer change. Everything is relative to the offset (``None``: zero).

    The same rows are given twice: in blocks that know their rows' numbers, and in larger blocks for the sums.

    When no point changes its cluster, the centres are the same bit by bit, because each rank adds up in the same order
    as before. So ``threshold=0`` stops where scikit-learn finds equal labels, without keeping any.
    """
    bounds = Bounds() if larger.stay else None
    sums, inertia = (sums_of, inertia_of) if bounds is None else (bounds.sums_of, bounds.inertia_of)
    n_iter = 0
    for n_iter in range(1, max_iter + 1):  # noqa: B007 (its last value is a result)
        found = larger.total(sums, centers, offset)
        weights = found.weights
        if weights.all():
            moved = found.sums / weights[:, None]
        else:
            _require_finite(found.sums)
            totals, weights = _without_empty(rows, centers, offset, found.sums, weights)
            moved = np.where(weights[:, None] > 0, totals / np.where(weights > 0, weights, 1)[:, None], centers)
        moved = moved.astype(centers.dtype, copy=False)
        movement = float(np.square(moved - centers, dtype=np.float64).sum())
        if not math.isfinite(movement):
            _require_finite(found.sums)
        centers = moved
        if movement <= threshold:
            break
    n_distinct = int(np.count_nonzero(weights))
    return Clustering(centers, float(larger.total(inertia, centers, offset, keep)), n_iter, n_distinct)


def _require_finite(sums: Array) -> None:
    if not np.isfinite(sums).all():
        raise InvalidData(BAD_DATA)


def most_passes(start: Start, max_iter: int, n_init: int) -> int:
    """Return the most passes that k-means makes, in units of passes with `CLUSTERS_PER_PASS` clusters."""
    share = max(1, -(-start.n_clusters // CLUSTERS_PER_PASS))
    return 1 + n_init * (max_passes(start) + share * (max_iter + 1))


def is_far(mean: Array, variance: float, dtype: Dtype) -> bool:
    """Whether distances would lose too many digits, because data lie far from zero compared with their spread."""
    return bool(np.square(mean, dtype=np.float64).sum() > FAR / np.sqrt(np.finfo(dtype).eps) * variance)


def _checked(found: Spread | None, n_clusters: int) -> Spread:
    n_rows = 0 if found is None else int(found.n_rows)
    if found is None or n_rows < n_clusters:
        raise InvalidData(
            f"X: n_samples={n_rows} should be >= n_clusters={n_clusters}. Use fewer clusters or more rows."
        )
    if not np.isfinite(found.mean).all() or not np.isfinite(found.squares).all():
        raise InvalidData(BAD_DATA)
    check_weight(found.weight)
    return found


def _without_empty(
    rows: Rows, centers: Array, offset: Array | None, sums: Array, weights: Array
) -> tuple[Array, Array]:
    """Give each empty cluster one of the points that are farthest from their centres, as scikit-learn does.

    Farthest among all rows; of equally far ones, the first. Where all points are on their centres, nothing changes.
    """
    empty = np.flatnonzero(weights == 0)
    if not len(empty):
        return sums, weights
    eps = float(np.finfo(centers.dtype).eps)
    found: Picked = rows.total(farthest, centers, offset, len(empty), op=smallest_of(len(empty)))
    for cluster, distance, point, weight, label in zip(
        empty, -found.keys, found.points, found.weights, found.labels, strict=False
    ):
        # Smaller distances are rounding errors of means: moving such points would never end.
        if distance <= eps * float(np.square(point, dtype=np.float64).sum()):
            continue
        point = point.astype(np.float64) * weight
        sums[label] -= point
        weights[label] -= weight
        sums[cluster], weights[cluster] = point, weight
    return sums, weights


def assess(rows: Rows, *, centers: Array) -> float:
    with one_blas_thread():
        found = rows.total(_inertia, centers)
    if found is None:
        return 0.0
    check_weight(found[1], negative=True)
    return float(found[0])


def _inertia(block: Block, centers: Array) -> Array:
    """Return the inertia of a block's rows, and their weight."""
    centers, offset = relative(block.X, centers)
    return np.asarray([inertia_of(block, centers, offset), total_weight(block)])


def relative(X: Array, centers: Array) -> tuple[Array, Array | None]:
    """Return centres of the type of X, relative to an offset, where they are far from zero; and the offset."""
    xp = array_namespace_of(X)
    exact = np.asarray(centers, dtype=np.float64)
    mean = exact.mean(axis=0)
    if not is_far(mean, float(exact.var(axis=0).sum()), X.dtype):
        return xp.asarray(exact, dtype=X.dtype), None
    mean = _rounded(mean, X.dtype)
    return xp.asarray(exact - mean, dtype=X.dtype), mean


def _rounded(mean: Array, dtype: Dtype) -> Array:
    """Round numbers to the type of the data, so that subtracting and adding them loses no digits."""
    return mean.astype(dtype).astype(np.float64)

"""Sums of k-means that skip rows far from the border of their cluster.

The gap of a row is a lower bound of how much nearer its centre is than any other. When centres move, gaps shrink by at
most that movement; while its gap is above zero, a row stays in its cluster. Only the others are compared with the
centres, and those that change their cluster are moved from one sum to another. Results are those of `sums_of`, apart
from rounding: gaps allow for rounding errors of distances.

Source: G. Hamerly, "Making k-means even faster", SIAM International Conference on Data Mining (2010). His two bounds
per row, from above for its own centre and from below for the next one, are one number here, their difference.
"""

from __future__ import annotations

import threading
from functools import cache

import numpy as np

from ..arrays import Array, Dtype, is_of_numpy
from ..rows.block import Block
from .lloyd import Sums, added, inertia_of, kernel_of, sums_of

FEWEST_ROWS = 100_000
"""Of a block, or of small ones that are joined; with fewer, the kernel is as fast as Python's overhead."""
SLICE_ROWS = 1 << 14
GAP_ROWS = 8192  # Rows that are compared at once: they and their distances fit into the processor's cache.
SAMPLED = 512  # Every 512th row is enough to estimate how many rows cannot be skipped.
START_COST, STOP_COST = 0.5, 0.8
"""Relative to a pass over all rows. Gaps are used once a pass with them would cost at most the first one, because
computing them takes two passes or more, and given up when a pass costs more than the second."""
FAR_SHARE, WAIT = 0.5, 1  # With a larger share of rows to compare, wait for this number of passes.


class _Kept:
    """State of a block's rows between two passes.

    * `centers`: array of shape (k, d); those of the last pass, for which the rest holds.
    * `labels`: array of shape (n_rows,), int32.
    * `gaps`: array of shape (n_rows,) of the type of the rows; ``None`` while gaps do not pay, as in the first passes.
    * `reach`: upper bound of all gaps.
    * `wait`: passes until the next check whether gaps pay.
    * `sample`: array of shape (n_rows / SAMPLED, d); every 512th row, relative to the offset: reading scattered rows
      takes a tenth of a pass.
    """

    def __init__(self, block: Block, centers: Array, offset: Array | None) -> None:
        self.centers = centers
        self.labels = np.empty(len(block), np.int32)
        self.gaps: Array | None = None
        self.reach = 0.0
        self.wait = 0
        self.sample = block.X[::SAMPLED] - (0 if offset is None else offset.astype(block.X.dtype))
        self.total = Sums(np.zeros(centers.shape), np.zeros(len(centers)))


class Bounds:
    """Bounds for the blocks of one run of k-means, which stay in this process."""

    def __init__(self) -> None:
        self._kept: dict[tuple[int, int | None], _Kept] = {}

    def sums_of(self, block: Block, centers: Array, offset: Array | None) -> Sums:
        """Do the same as `lloyd.sums_of`; the offset is the same in all passes."""
        if not _are_worth_it(block, centers):
            return sums_of(block, centers, offset)
        centers = np.asarray(centers, dtype=block.X.dtype)
        place = block.number, block.start
        kept = self._kept.get(place)
        if kept is None:
            kept = self._kept[place] = _Kept(block, centers, offset)
            _look_at_all(kept, block, offset)
        else:
            self._follow(kept, block, centers, offset)
        return Sums(kept.total.sums.copy(), kept.total.weights.copy())

    def inertia_of(
        self, block: Block, centers: Array, offset: Array | None, keep: dict[int, Array] | None = None
    ) -> float:
        """Do the same as `gpucluster.learn.kernels.lloyd.inertia_of`."""
        kept = self._kept.get((block.number, block.start))
        if kept is None or kept.gaps is None:
            return inertia_of(block, centers, offset, keep)
        self._follow(kept, block, np.asarray(centers, dtype=block.X.dtype), offset)
        return inertia_of(block, centers, offset, keep, kept.labels)

    # Numbers whose squares overflow give no gap, so these rows are compared each time.
    @np.errstate(over="ignore", invalid="ignore")
    def _follow(self, kept: _Kept, block: Block, centers: Array, offset: Array | None) -> None:
        """Update the state of a block for new centres."""
        shrinking = _shrinking(kept, centers)
        kept.centers = centers
        if kept.gaps is not None:
            without = _shrink(kept.gaps, kept.labels, shrinking)
            if len(without) * _cost(len(centers)) <= STOP_COST * len(block):
                _look(kept, block, offset, without)
                return
            kept.gaps = None
        elif _are_few(kept, shrinking):
            kept.gaps, kept.reach = np.empty(len(block), block.X.dtype), 0.0
            _look(kept, block, offset, None)
            return
        _look_at_all(kept, block, offset)


def _are_worth_it(block: Block, centers: Array) -> bool:
    X = block.X
    return (
        # Sums of fractional weights would not return to exactly zero.
        block.weights is None
        and len(block) >= FEWEST_ROWS
        and len(centers) > 1
        and is_of_numpy(X)
        and X.dtype in (np.float32, np.float64)
        # At most half as much memory again.
        and X.shape[1] * X.dtype.itemsize >= 2 * (4 + X.dtype.itemsize)
    )


def _parts(n_rows: int, size: int) -> list[slice]:
    return [slice(start, start + size) for start in range(0, n_rows, size)]


def _shrinking(kept: _Kept, centers: Array) -> Array:
    """Return the most that the gap of a row of each cluster shrinks: array of shape (k,)."""
    eps = float(np.finfo(centers.dtype).eps)
    moved = np.sqrt(np.square(centers - kept.centers, dtype=np.float64).sum(axis=1))
    order = np.argsort(moved)
    others = np.full(len(moved), moved[order[-1]])
    others[order[-1]] = moved[order[-2]]
    # Plus the rounding error of the subtraction.
    return np.asarray((moved + others) * (1 + 4 * eps) + 2 * eps * kept.reach, dtype=centers.dtype)


def _shrink(gaps: Array, labels: Array, shrinking: Array) -> Array:
    """Shrink gaps in place, and return the numbers of the rows whose gap is gone."""
    found = _room("without", 1 << len(gaps).bit_length(), np.dtype(np.intp))
    given, n_found = _room("shrinking", SLICE_ROWS, gaps.dtype), 0
    for part in _parts(len(gaps), SLICE_ROWS):
        here = gaps[part]
        # Any mode but the default one spares NumPy a copy.
        here -= np.take(shrinking, labels[part], out=given[: len(here)], mode="clip")
        numbers = np.flatnonzero(np.less(here, 0, out=_room("negative", SLICE_ROWS, np.dtype(bool))[: len(here)]))
        np.add(numbers, part.start, out=found[n_found : n_found + len(numbers)])
        n_found += len(numbers)
    return found[:n_found]


def _are_few(kept: _Kept, shrinking: Array) -> bool:
    """Whether each pass would compare few rows if centres moved on as in the last pass.

    A row whose gap lasts for n such moves is compared in each n-th pass.
    """
    if kept.wait:
        kept.wait -= 1
        return False
    X, labels = kept.sample, kept.labels[::SAMPLED]
    lasting = gaps_of(X, kept.centers, labels) / np.maximum(shrinking.take(labels), np.finfo(X.dtype).tiny)
    share = float(np.mean(1 / np.maximum(lasting, 1)))
    # Centres slow down within some iterations, not at once.
    kept.wait = WAIT if share > FAR_SHARE else 0
    return share * _cost(len(kept.centers)) <= START_COST


def _cost(n_clusters: int) -> float:
    """Return the time to compare a row and update its gap, relative to a row of a plain pass.

    Measured are 3.2 with two clusters and 1.3 with 64 (``benchmarks.kmeans_bounds``). With few clusters more is
    assumed: starting too early costs up to a sixth of a fit, starting late costs little.
    """
    return 1.5 + 12 / n_clusters


def _look_at_all(kept: _Kept, block: Block, offset: Array | None) -> None:
    kept.total = sums_of(block, kept.centers, offset, kept.labels)


def _look(kept: _Kept, block: Block, offset: Array | None, without: Array | None) -> None:
    """Recompute the gaps of these rows, ``None`` for all, and move rows with a new nearest centre to its sum."""
    assert kept.gaps is not None
    kernel = kernel_of(block.X, kept.centers)
    X, shift = block.X, None if offset is None else offset.astype(block.X.dtype)
    room = _room("rows", (GAP_ROWS, X.shape[1]), X.dtype)
    moved: list[tuple[Array, Array, Array]] = []
    for part in _parts(len(block if without is None else without), GAP_ROWS):
        chosen = part if without is None else without[part]
        rows, before = _rows(X, chosen, shift, room), kept.labels[chosen]
        fresh = gaps_of(rows, kept.centers, before)
        # Most rows keep their centre. Only the others are compared with all centres.
        unsure = np.flatnonzero(fresh < 0)
        if len(unsure):
            rows, before = rows[unsure], before[unsure]
            found = kernel.labels(rows, kept.centers)
            fresh[unsure] = gaps_of(rows, kept.centers, found)
            kept.labels[chosen.start + unsure if isinstance(chosen, slice) else chosen[unsure]] = found
            changed = np.flatnonzero(found != before)
            moved.append((rows[changed], found[changed], before[changed]))
        kept.gaps[chosen] = fresh
        kept.reach = max(kept.reach, float(fresh.max()))
    if any(len(rows) for rows, _, _ in moved):
        rows, there, here = map(np.concatenate, zip(*moved, strict=True))
        rows, ones = rows.astype(np.float64), np.ones(len(rows))
        for labels, add in ((there, np.add), (here, np.subtract)):
            sums, counts = added(rows, ones, labels, len(kept.centers))
            add(kept.total.sums, sums, out=kept.total.sums)
            add(kept.total.weights, counts, out=kept.total.weights)


def _rows(X: Array, chosen: Array | slice, shift: Array | None, room: Array) -> Array:
    """Return some rows relative to the shift, contiguous and aligned; copied into ``room`` where necessary.

    Data that Dask has sent often begin at an odd address; NumPy would copy all of them first.
    """
    if isinstance(chosen, slice):
        rows = X[chosen]
        if shift is None and rows.flags.c_contiguous and rows.flags.aligned:
            return rows
        room = room[: len(rows)]
        room[...] = rows
    else:
        room = room[: len(chosen)]
        if X.flags.c_contiguous:
            X.view(np.uint8).take(chosen, axis=0, out=room.view(np.uint8), mode="clip")
        else:
            room[...] = X[chosen]
    if shift is not None:
        room -= shift
    return room


@np.errstate(over="ignore", invalid="ignore")
def gaps_of(X: Array, centers: Array, labels: Array) -> Array:
    """Return how much nearer each row's own centre is at least than any other; of shape (n_rows,) and the type of X.

    Negative where rounding leaves no certainty, and where a distance is NaN. X, of shape (n_rows, d), is contiguous and
    aligned; there are two centres or more, of the type of X, and labels are int32.
    """
    n_rows, (k, d), dtype = len(X), centers.shape, X.dtype
    eps = float(np.finfo(dtype).eps)
    gaps, ones = np.empty(n_rows, dtype), np.ones(d, dtype)
    lengths, factors = (centers * centers).sum(axis=1), -2 * centers
    longest = float(lengths.max())
    room, squared = _room("distances", (k, GAP_ROWS), dtype), _room("squared", (GAP_ROWS, d), dtype)
    columns = _columns(GAP_ROWS)
    for start in range(0, n_rows, GAP_ROWS):
        rows = X[start : start + GAP_ROWS]
        n = len(rows)
        places, nearest, others, squares, error = (
            _room(name, GAP_ROWS, np.dtype(np.intp) if name == "places" else dtype)[:n]
            for name in ("places", "nearest", "others", "squares", "error")
        )
        # Squared distances without the rows' squares: one row per centre, which NumPy compares faster.
        apart = room.reshape(-1)[: k * n].reshape(k, n)
        np.matmul(factors, rows.T, out=apart)
        apart += lengths[:, None]
        np.multiply(labels[start : start + n], n, out=places)
        places += columns[:n]
        np.take(apart.reshape(-1), places, out=nearest, mode="clip")
        apart.reshape(-1)[places] = np.inf
        np.min(apart, axis=0, out=others)
        np.matmul(np.multiply(rows, rows, out=squared[:n]), ones, out=squares)
        # A product of d numbers has at most d rounding errors, each of half an eps.
        np.add(squares, longest, out=error)
        error *= (d + 4) * eps
        others += squares
        others -= error
        np.sqrt(np.maximum(others, 0, out=others), out=others)
        nearest += squares
        np.maximum(nearest, 0, out=nearest)
        nearest += error
        np.sqrt(nearest, out=nearest)
        others *= 1 - 4 * eps
        nearest *= 1 + 4 * eps
        np.subtract(others, nearest, out=gaps[start : start + n])
    np.copyto(gaps, -1, where=~(gaps > 0))
    return gaps


@cache
def _columns(n: int) -> Array:
    return np.arange(n)


_memory = threading.local()


def _room(name: str, shape: int | tuple[int, int], dtype: Dtype) -> Array:
    """Return a buffer that each thread keeps.

    Dask's workers return freed memory to the system at once; allocating it again takes longer than the computation.
    """
    kept: dict[tuple[str, Dtype], Array] = _memory.__dict__.setdefault("rooms", {})
    room = kept.get((name, dtype))
    if room is None or room.shape != (shape if isinstance(shape, tuple) else (shape,)):
        room = kept[name, dtype] = np.empty(shape, dtype)
    return room

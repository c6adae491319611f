"""Sums of k-means without looking at all rows in each iteration: most are far from the border of their cluster.

Of each row it is kept how much nearer its centre is than any other, at least: its gap. When centres move, gaps shrink
by what they have moved at most; as long as a row's gap is above zero, it stays in its cluster, whatever its numbers
are. The others are looked at, and those that change their cluster are moved from one sum to another. Results are those
of `sums_of`, apart from rounding: gaps allow for what distances may be wrong by.

Source: G. Hamerly, "Making k-means even faster", SIAM International Conference on Data Mining (2010). His two bounds
per row, from above for its own centre and from below for the next one, are one number here, their difference.
"""

from __future__ import annotations

import threading

import numpy as np

from ..arrays import Array, Dtype, is_of_numpy
from ..rows.block import Block
from .lloyd import Sums, added, inertia_of, kernel_of, slices_of, sums_of

FEWEST_ROWS = 8192
"""Of a block; with fewer, the kernel is as fast."""
SLICE_ROWS = 1 << 16
LOOK_BYTES = 1 << 20
"""So much of the rows that are looked at is copied at once, to stay in the processor's cache."""
GAP_ROWS = 4096
"""So many rows' distances from all centres are written down at once."""
SAMPLED = 256
"""Every so many rows are enough to see how many would have to be looked at."""
START_SHARE, STOP_SHARE = 0.2, 0.35
"""A row that is looked at takes as long as three of which only sums are made, and writing down all gaps one more pass:
it begins once this share of rows at most has to be looked at, and ends when it is more than the other one."""
FAR_SHARE, WAIT = 0.6, 3
"""With a larger share, so many passes go by before one looks again."""


class _Kept:
    """What is known of a block's rows.

    Attributes
    ----------
    centers : array of shape (k, d)
        Those of the last pass; what follows holds for them.
    labels : array of shape (n_rows,), int32
    gaps : array of shape (n_rows,) or None
        Of the type of the rows; ``None`` while gaps are not worth it.
    reach : float
        No gap is larger.
    wait : int
        So many passes are to go by until one sees whether gaps are worth it.
    total : Sums
        Of the labels.
    """

    def __init__(self, n_rows: int, centers: Array) -> None:
        self.centers = centers
        self.labels = np.empty(n_rows, np.int32)
        self.gaps: Array | None = None
        self.reach = 0.0
        self.wait = 0
        self.total = Sums(np.zeros(centers.shape), np.zeros(len(centers)))


class Bounds:
    """Of the blocks of one run of k-means, which stay in this process; each pass has other centres."""

    def __init__(self) -> None:
        self._kept: dict[tuple[int, int | None], _Kept] = {}

    def sums_of(self, block: Block, centers: Array, offset: Array | None) -> Sums:
        """Do the same as `gpucluster.learn.kernels.lloyd.sums_of`.

        Parameters
        ----------
        block : Block
        centers : array of shape (k, d)
        offset : array of shape (d,) or None
            The same in all passes.
        """
        if not _are_worth_it(block, centers):
            return sums_of(block, centers, offset)
        centers = np.asarray(centers, dtype=block.X.dtype)
        place = block.number, block.start
        kept = self._kept.get(place)
        if kept is None:
            # After the first pass centres move most: gaps would help with nothing in the second one.
            self._kept[place] = _Kept(len(block), centers)
            return sums_of(block, centers, offset)
        return self._follow(kept, block, centers, offset)

    def inertia_of(
        self, block: Block, centers: Array, offset: Array | None, keep: dict[int, Array] | None = None
    ) -> float:
        """Do the same as `gpucluster.learn.kernels.lloyd.inertia_of`."""
        kept = self._kept.get((block.number, block.start))
        if kept is None or kept.gaps is None:
            return inertia_of(block, centers, offset, keep)
        self._follow(kept, block, np.asarray(centers, dtype=block.X.dtype), offset)
        return inertia_of(block, centers, offset, keep, kept.labels)

    # Numbers that are too large to be squared give no gap, so these rows are looked at each time.
    @np.errstate(over="ignore", invalid="ignore")
    def _follow(self, kept: _Kept, block: Block, centers: Array, offset: Array | None) -> Sums:
        """Bring what is kept up to date with other centres, and return the sums."""
        shrinking = _shrinking(kept, centers)
        kept.centers = centers
        if kept.gaps is not None:
            for part in _parts(len(block)):
                kept.gaps[part] -= shrinking.take(kept.labels[part])
            if np.count_nonzero(kept.gaps < 0) > STOP_SHARE * len(block):
                kept.gaps = None
            else:
                _look(kept, block, offset)
        if kept.gaps is None and kept.wait:
            kept.wait -= 1
            return sums_of(block, centers, offset)
        if kept.gaps is None:
            kept.total = sums_of(block, centers, offset, kept.labels)
            _write_down_gaps(kept, block, offset, shrinking)
        return Sums(kept.total.sums.copy(), kept.total.weights.copy())


def _are_worth_it(block: Block, centers: Array) -> bool:
    X = block.X
    return (
        # Sums of weights that are not whole numbers would not come back to zero.
        block.weights is None
        and len(block) >= FEWEST_ROWS
        and len(centers) > 1
        and is_of_numpy(X)
        and X.dtype in (np.float32, np.float64)
        # At most half as much memory again.
        and X.shape[1] * X.dtype.itemsize >= 2 * (4 + X.dtype.itemsize)
    )


def _parts(n_rows: int, size: int = SLICE_ROWS) -> list[slice]:
    return [slice(start, start + size) for start in range(0, n_rows, size)]


def _shrinking(kept: _Kept, centers: Array) -> Array:
    """Return by how much the gap of a row of each cluster becomes smaller at most: array of shape (k,)."""
    eps = float(np.finfo(centers.dtype).eps)
    moved = np.sqrt(np.square(centers - kept.centers, dtype=np.float64).sum(axis=1))
    order = np.argsort(moved)
    others = np.full(len(moved), moved[order[-1]])
    others[order[-1]] = moved[order[-2]]
    # What subtracting may round away is added.
    return np.asarray((moved + others) * (1 + 4 * eps) + 2 * eps * kept.reach, dtype=centers.dtype)


def _look(kept: _Kept, block: Block, offset: Array | None) -> None:
    """Find the nearest centres of rows without a gap, and move those that have another one now."""
    assert kept.gaps is not None
    kernel = kernel_of(block.X, kept.centers)
    X, without, shift = block.X, np.flatnonzero(kept.gaps < 0), None if offset is None else offset.astype(block.X.dtype)
    row_bytes = X.shape[1] * X.dtype.itemsize
    room = _room("rows", (max(GAP_ROWS, LOOK_BYTES // row_bytes), X.shape[1]), X.dtype)
    moved: list[tuple[Array, Array, Array]] = []
    for part in _parts(len(without), len(room)):
        chosen = without[part]
        # Any mode but the default one spares NumPy a copy.
        rows = X.take(chosen, axis=0, out=room[: len(chosen)], mode="clip")
        if shift is not None:
            rows -= shift
        fresh = gaps_of(rows, kept.centers, kept.labels[chosen])
        # Most are still where they were. Only of the others all centres are compared.
        unsure = np.flatnonzero(fresh < 0)
        rows, at, before = rows[unsure], chosen[unsure], kept.labels[chosen[unsure]]
        found = kernel.labels(rows, kept.centers)
        fresh[unsure] = gaps_of(rows, kept.centers, found)
        kept.gaps[chosen], kept.labels[at] = fresh, found
        kept.reach = max(kept.reach, float(fresh.max()))
        changed = np.flatnonzero(found != before)
        moved.append((rows[changed], found[changed], before[changed]))
    if any(len(rows) for rows, _, _ in moved):
        rows, there, here = map(np.concatenate, zip(*moved, strict=True))
        signs = np.repeat([1.0, -1.0], len(rows))
        clusters = np.concatenate([there, here])
        sums, counts = added(np.tile(rows.astype(np.float64), (2, 1)), signs, clusters, len(kept.centers))
        kept.total.sums[...] += sums
        kept.total.weights[...] += counts


def _write_down_gaps(kept: _Kept, block: Block, offset: Array | None, shrinking: Array) -> None:
    """Write down all gaps, if few of them would be below zero after centres have moved as far as they just did."""
    X = block.X[::SAMPLED]
    X = np.ascontiguousarray(X) if offset is None else X - np.asarray(offset, dtype=X.dtype)
    labels = kept.labels[::SAMPLED]
    share = np.count_nonzero(gaps_of(X, kept.centers, labels) < shrinking.take(labels)) / len(X)
    if share > START_SHARE:
        # Centres slow down within some iterations, not at once.
        kept.wait = WAIT if share > FAR_SHARE else 0
        return
    kept.gaps, start = np.empty(len(block), block.X.dtype), 0
    for X, _ in slices_of(block, offset, SLICE_ROWS):
        part = slice(start, start + len(X))
        kept.gaps[part] = gaps_of(X, kept.centers, kept.labels[part])
        start += len(X)
    kept.reach = max(0.0, float(kept.gaps.max()))


@np.errstate(over="ignore", invalid="ignore")
def gaps_of(X: Array, centers: Array, labels: Array) -> Array:
    """Return how much nearer each row's own centre is than any other, at least.

    Parameters
    ----------
    X : array of shape (n_rows, d)
        Contiguous.
    centers : array of shape (k, d)
        Two or more; of the type of X.
    labels : array of shape (n_rows,), int32
        Numbers of the rows' own centres.

    Returns
    -------
    array of shape (n_rows,)
        Of the type of X. Negative where rounding leaves no certainty, and where a distance is no number.
    """
    n_rows, (k, d), dtype = len(X), centers.shape, X.dtype
    eps = float(np.finfo(dtype).eps)
    gaps, numbers, ones = np.empty(n_rows, dtype), np.arange(GAP_ROWS), np.ones(d, dtype)
    lengths, factors = (centers * centers).sum(axis=1), np.ascontiguousarray(-2 * centers.T)
    longest = float(lengths.max())
    products, squared = _room("products", (GAP_ROWS, k), dtype), _room("squares", (GAP_ROWS, d), dtype)
    apart = _room("distances", (k, GAP_ROWS), dtype)
    for start in range(0, n_rows, GAP_ROWS):
        part = slice(start, start + GAP_ROWS)
        rows, n = X[part], len(X[part])
        # Squared distances, but for the rows' squares: one row per centre, which NumPy compares faster.
        np.add(np.matmul(rows, factors, out=products[:n]).T, lengths[:, None], out=apart[:, :n])
        places = numbers[:n] + labels[part] * np.intp(GAP_ROWS)
        nearest = apart.reshape(-1)[places]
        apart.reshape(-1)[places] = np.inf
        others = apart[:, :n].min(axis=0)
        squares = np.multiply(rows, rows, out=squared[:n]) @ ones
        nearest += squares
        others += squares
        # A product of d numbers is wrong by d roundings at most, each of half an eps.
        error = (squares + longest) * ((d + 4) * eps)
        others -= error
        far = np.sqrt(np.maximum(others, 0, out=others), out=others)
        near = np.sqrt(np.maximum(nearest, 0, out=nearest) + error)
        gaps[part] = far * (1 - 4 * eps) - near * (1 + 4 * eps)
    gaps[~(gaps > 0)] = -1
    return gaps


_memory = threading.local()


def _room(name: str, shape: tuple[int, int], dtype: Dtype) -> Array:
    """Return room for numbers, one per thread: Dask's workers give freed memory back to the system, which is slow."""
    kept: dict[str, Array] = _memory.__dict__
    room = kept.get(name)
    if room is None or room.shape != shape or room.dtype != dtype:
        room = kept[name] = np.empty(shape, dtype)
    return room

"""Sums and products of the columns of a block on a GPU, which reads each row once.

With CuPy's operations, shifting the rows would write a copy of all of them, which would then be read twice.
"""

from functools import cache

import numpy as np

from ...arrays import Array, Dtype, array_namespace_of, to_numpy
from . import cuda

MOST_COLUMNS = 64  # With more, the products take longer than reading the rows, and CuPy is faster.
THREADS = 64  # Of a block: two warps, which work independently.
BYTES_AHEAD = 96  # Prefetched by each thread: with some twenty warps, 60 kB for each multiprocessor.


def is_taken(X: Array, work: Dtype) -> bool:
    """Whether the kernel supports these rows: with few columns, on a GPU where it computes correctly."""
    return 0 < int(X.shape[1]) <= MOST_COLUMNS and cuda.are_taken(X) and _is_right(cuda.device_of(X), X.dtype, work)


def products_of(X: Array, shift: Array, weights: Array | None, work: Dtype) -> tuple[Array, Array]:
    """Return the sums of rows relative to a shift, float64 of shape (d,), and of their outer products, (d, d).

    X is on a GPU, see `is_taken`; the results are in host memory. ``work`` is the type of the products of a few hundred
    rows, which are then added up in float64; not smaller than that of X.
    """
    number = cuda.device_of(X)
    with cuda.device(number):
        xp = array_namespace_of(X)
        n_rows, n_features = X.shape
        launch = launch_for(X.dtype, n_features, work, weighted=weights is not None)
        padded = launch.value("TILES") * cuda.TILE
        n_blocks = cuda.n_blocks_for(launch, -(-n_rows // rows_at_a_time(work)), number)
        inputs = [cuda.on_device(values, X, X.dtype) for values in (weights, shift)]
        total = xp.zeros((padded + 1, padded))
        for part, rows in cuda.pieces(X, max(1, n_rows)):
            made = xp.empty((n_blocks, padded + 1, padded))
            own = None if inputs[0] is None else inputs[0][part]
            cuda.run(launch, n_blocks, number, [rows, own, inputs[1], np.int64(len(rows)), made])
            total = total + made.sum(axis=0) if part.start else made.sum(axis=0)
        found = to_numpy(total)[:, :n_features]
        return found[0], found[1 : n_features + 1]


@cache
def _is_right(number: int, dtype: Dtype, work: Dtype) -> bool:
    rows = np.random.default_rng(0).normal(size=(100, 9)).astype(dtype)
    apart = rows.astype(np.float64) - rows[0]

    def is_right() -> bool:
        sums, products = products_of(cuda.to_gpu(rows), rows[0], None, work)
        return np.allclose(sums, apart.sum(axis=0), atol=1e-3) and np.allclose(products, apart.T @ apart, atol=1e-3)

    return cuda.agrees("moments", number, is_right)


def rows_at_a_time(work: Dtype) -> int:
    """Return the rows of a block per turn: tensor cores multiply eight of float32, or four of float64."""
    return THREADS // 32 * (8 if work.itemsize == 4 else 4)


@cache
def launch_for(dtype: Dtype, n_features: int, work: Dtype, *, weighted: bool) -> cuda.Launch:
    real = cuda.REALS[dtype.name]
    step, tiles = cuda.tiles_of(n_features, real.n_bytes)
    depth = 2 if work.itemsize == 4 else 1
    ahead = cuda.turns_ahead(BYTES_AHEAD, depth * tiles * real.n_bytes)
    given = cuda.macros(
        REAL=real.name, REAL_BYTES=real.n_bytes, WORK=cuda.REALS[work.name].name, WORK_BYTES=work.itemsize,
        COLUMNS=n_features, STEP=step, TILES=tiles, AHEAD=ahead, WEIGHTED=weighted, THREADS=THREADS,
    )  # fmt: skip
    pairs = sum(tiles - first for first in range(0, tiles, depth))
    sums = pairs * 2 * depth + tiles
    return cuda.Launch("moments", given, THREADS, THREADS * (sums * 8 + ahead * depth * tiles * real.n_bytes))

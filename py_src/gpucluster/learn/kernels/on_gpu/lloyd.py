"""One pass of Lloyd's algorithm over a block on a GPU, which reads each row once.

With two matrix products, each row would be read twice, and its distances from all centres would be written and read
several times: for few columns that is five times the memory traffic.

There are two kernels: `lloyd_few.cu` uses tensor cores, and each warp has the sums of all clusters in registers;
`lloyd.cu` has room for more.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from ...arrays import Array, Dtype, array_namespace_of, to_numpy
from . import cuda

MOST_COLUMNS = 128
THREADS = 128  # Of a block, and rows of a tile: with two rows per thread, occupancy is lower (measured).
CENTERS_AT_ONCE = 16  # As in both kernels.
FEW_THREADS = 64  # Of a block for few clusters: two warps, which work independently.
FEW_ROWS = 16  # Of a warp's turn.
MOST_TILES, MOST_SUMS = 8, 16
"""Most tiles of 8 columns; and most pairs of such a tile and 16 clusters, each of which takes 4 registers."""
BYTES_AHEAD = 6144  # Of prefetched rows of a warp.
MOST_ROWS = 1 << 17  # Most rows that are added up in the type of the data before the sums become float64.
MOST_ROWS_OF_FEW = 1 << 14  # The same for few clusters, where each of the two warps of a block adds up half of them.


class Pass(NamedTuple):
    """Results of one pass; those that were not requested are empty or zero."""

    sums: Array  # Of the points of each cluster: (k, d), float64, on the GPU, possibly still being computed.
    weights: Array  # Array of shape (k,), float64, on the GPU.
    labels: Array  # Array of shape (n_rows,), int32, on the GPU.
    inertia: float
    distances: Array  # Squared, of each row to its nearest centre: (n_rows,), of the type of X, on the GPU.


def is_taken(X: Array, n_clusters: int, *, summed: bool = True) -> bool:
    """Whether the kernel supports these rows: on a GPU, with few columns, and clusters that fit into shared memory.

    ``summed``: with sums of the points of each cluster, which need memory as well.
    """
    n_features = int(X.shape[1])
    if not (fits(X.dtype, n_features, n_clusters, summed=summed) and cuda.are_taken(X)):
        return False
    launch = launch_for(X.dtype, n_features, n_clusters, summed=summed, shifted=True, weighted=True, apart=True)
    return _is_right(cuda.device_of(X), X.dtype, launch.name)


def fits(dtype: Dtype, n_features: int, n_clusters: int, *, summed: bool = True) -> bool:
    """Whether the kernel supports these numbers of columns and clusters."""
    if dtype.name not in cuda.REALS or not 0 < n_features <= MOST_COLUMNS:
        return False
    launch = launch_for(dtype, n_features, n_clusters, summed=summed, shifted=True, weighted=True, apart=True)
    return launch.shared_bytes <= cuda.MOST_SHARED_BYTES


@cache
def _is_right(number: int, dtype: Dtype, kernel: str) -> bool:
    """Whether a kernel computes an example correctly on a GPU."""
    random = np.random.default_rng(0)
    n_clusters = 130 if kernel == "lloyd" and dtype.name == "float32" else 20  # 130 are too many for "lloyd_few".
    rows, centers = (random.normal(size=(n, 9)).astype(dtype) for n in (100, n_clusters))
    weights = random.random(len(rows)).astype(dtype)
    offset = rows.mean(axis=0)
    near = rows.astype(np.float64) - offset
    apart = ((near[:, None] - centers.astype(np.float64)) ** 2).sum(axis=2)
    belongs = (apart.argmin(axis=1) == np.arange(n_clusters)[:, None]) * weights.astype(np.float64)
    expected = belongs @ near, belongs.sum(axis=1), apart.argmin(axis=1), apart.min(axis=1) @ weights, apart.min(axis=1)

    def is_right() -> bool:
        X, theirs, shift, own = map(cuda.to_gpu, (rows, centers, offset, weights))
        found = pass_over(X, theirs, shift, own, sums=True, labels=True, inertia=True, distances=True)
        return all(np.allclose(to_numpy(one), other, atol=1e-3) for one, other in zip(found, expected, strict=True))

    return cuda.agrees(kernel, number, is_right)


def pass_over(
    X: Array,
    centers: Array,
    offset: Array | None = None,
    weights: Array | None = None,
    *,
    sums: bool = False,
    labels: bool = False,
    inertia: bool = False,
    distances: bool = False,
) -> Pass:
    """Make one pass over the rows of a block on a GPU that `is_taken`; centres are relative to the offset.

    The flags choose the results.
    """
    number = cuda.device_of(X)
    with cuda.device(number):
        xp = array_namespace_of(X)
        (n_rows, n_features), k, dtype = X.shape, len(centers), X.dtype
        launch = launch_for(
            dtype, n_features, k, summed=sums, shifted=offset is not None, weighted=weights is not None,
            apart=inertia or distances,
        )  # fmt: skip
        inputs = [cuda.on_device(values, X, dtype) for values in (weights, offset, centers)]
        found, apart = xp.empty(n_rows if labels else 0, np.int32), xp.empty(n_rows if distances else 0, dtype)
        n_blocks = cuda.n_blocks_for(launch, -(-n_rows // rows_at_a_time(launch)), number)
        total, cost = xp.zeros(k * (n_features + 1)), 0.0
        most = MOST_ROWS if launch.name == "lloyd" else MOST_ROWS_OF_FEW
        for part, rows in cuda.pieces(X, n_blocks * max(rows_at_a_time(launch), most)):
            own = None if inputs[0] is None else inputs[0][part]
            made = [xp.empty((n_blocks, len(total))) if sums else None, xp.empty(n_blocks) if inertia else None]
            cuda.run(launch, n_blocks, number, [
                rows, own, *inputs[1:], np.int64(len(rows)), np.int32(k), *made,
                found[part] if labels else None, apart[part] if distances else None,
            ])  # fmt: skip
            if made[0] is not None:
                total = total + made[0].sum(axis=0) if part.start else made[0].sum(axis=0)
            if made[1] is not None:
                cost += float(made[1].sum())
        return Pass(total[: k * n_features].reshape(k, n_features), total[k * n_features :], found, cost, apart)


def rows_at_a_time(launch: cuda.Launch) -> int:
    return launch.n_threads if launch.name == "lloyd" else launch.n_threads // 32 * FEW_ROWS


@cache
def launch_for(
    dtype: Dtype, n_features: int, n_clusters: int, *, summed: bool, shifted: bool, weighted: bool, apart: bool
) -> cuda.Launch:
    """Return the launch for these numbers of columns and clusters; ``apart``: inertia or distances are requested."""
    if dtype.name == "float32":
        few = _launch_for_few(n_features, n_clusters, summed, shifted, weighted, apart)
        tiles, groups = few.value("TILES"), few.value("GROUPS")
        in_registers = tiles <= MOST_TILES and (not summed or groups * tiles <= MOST_SUMS)
        if in_registers and few.shared_bytes <= cuda.MOST_SHARED_BYTES:
            return few
    return _launch_for_many(dtype, n_features, n_clusters, summed, shifted, weighted)


def _launch_for_few(
    n_features: int, n_clusters: int, summed: bool, shifted: bool, weighted: bool, apart: bool
) -> cuda.Launch:
    n_bytes = cuda.REALS["float32"].n_bytes
    step, tiles = cuda.tiles_of(n_features, n_bytes)
    groups = -(-n_clusters // CENTERS_AT_ONCE)
    padded, centers = tiles * cuda.TILE, groups * CENTERS_AT_ONCE
    ahead = cuda.turns_ahead(BYTES_AHEAD, FEW_ROWS * n_features * n_bytes)
    given = cuda.macros(
        COLUMNS=n_features, STEP=step, TILES=tiles, GROUPS=groups, AHEAD=ahead,
        SHIFTED=shifted, WEIGHTED=weighted, SUMMED=summed, APART=apart, THREADS=FEW_THREADS,
    )  # fmt: skip
    numbers = 8 * groups * tiles * 32 + centers * (padded + 1)
    numbers += FEW_THREADS // 32 * ahead * FEW_ROWS * (padded + cuda.TILE)
    in_the_end = (FEW_THREADS + (centers * (padded + 1) if summed else 0)) * 8
    return cuda.Launch("lloyd_few", given, FEW_THREADS, max(numbers * n_bytes, in_the_end))


def _launch_for_many(
    dtype: Dtype, n_features: int, n_clusters: int, summed: bool, shifted: bool, weighted: bool
) -> cuda.Launch:
    """Return the launch of the kernel for more columns and clusters, and for float64."""
    real = cuda.REALS[dtype.name]
    groups, packed = THREADS // n_features, cuda.ALIGNED_BYTES // real.n_bytes
    stride = n_features | 1 if n_features % packed else (n_features // packed | 1) * packed
    padded = -(-n_clusters // CENTERS_AT_ONCE) * CENTERS_AT_ONCE
    numbers = padded * (n_features + 1) + THREADS * stride + (n_features if shifted else 0)
    numbers += groups * n_clusters * (n_features + weighted) if summed else 0
    given = cuda.macros(
        REAL=real.name, REAL_BYTES=real.n_bytes, LARGEST=real.largest, COLUMNS=n_features, THREADS=THREADS,
        SHIFTED=shifted, WEIGHTED=weighted,
    )  # fmt: skip
    return cuda.Launch("lloyd", given, THREADS, numbers * real.n_bytes + (THREADS + n_clusters) * 4)

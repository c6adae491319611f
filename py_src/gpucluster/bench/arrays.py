"""Workloads on Dask arrays."""

from __future__ import annotations

import math
from typing import Any

from .workload import Context, Outcome, Parameters, Workload, by_size, expect, persisted

SEED = 20130101


def random_rows(context: Context, rows: int, columns: int, dtype: str, seed: int = SEED) -> Any:
    """Return a persisted array of uniform random numbers from 0 to 1, chunked along its rows only."""
    import dask.array as da

    n_blocks = min(rows, context.blocks_for(rows * columns * (8 if dtype == "float64" else 4)))
    # By the generator of Dask's array library, NumPy or CuPy.
    made = da.random.default_rng(seed).random((rows, columns), chunks=(-(-rows // n_blocks), columns))
    return persisted(made.astype(dtype))[0]


# -- sum of an array and its transpose -----------------------------------------------------------


def _square(context: Context, parameters: Parameters) -> Any:
    import dask.array as da

    n = parameters["n"]
    across = math.ceil(math.sqrt(context.blocks_for(n * n * 8)))
    (x,) = persisted(da.random.default_rng(SEED).random((n, n), chunks=-(-n // across)))
    return x, 2 * float(x.sum().compute())


def _transpose_sum(data: Any) -> Outcome:
    x, known = data
    found = float((x + x.T).sum().compute())
    expect(found, known, "The sum of an array and its transpose")
    return Outcome(found)


TRANSPOSE_SUM = Workload(
    "transpose-sum",
    "Sum of a square array and its transpose (float64)",
    by_size(n=(1_000, 4_000, 10_000, 30_000)),
    prepare=_square,
    run=_transpose_sum,
    memory_bytes=lambda parameters: 3 * 8 * parameters["n"] ** 2,
    amount=lambda parameters: parameters["n"] ** 2,
    unit="elements",
)


# -- singular value decomposition ----------------------------------------------------------------

SVD_COLUMNS = 64


def _svd(x: Any) -> Outcome:
    import dask.array as da
    from dask.base import compute

    u, s, _ = da.linalg.svd(x)
    # Compute the left vectors as well, but not in the client: the sum of their squares is the number of columns.
    singular, squares = compute(s.sum(), (u**2).sum())
    expect(float(squares), SVD_COLUMNS, "The sum of squares of the left singular vectors", 1e-6)
    return Outcome(float(singular))


SVD = Workload(
    "svd",
    "Singular value decomposition of a tall array with 64 columns (dask.array.linalg.svd, float64)",
    by_size(rows=(20_000, 200_000, 1_000_000, 10_000_000)),
    prepare=lambda context, parameters: random_rows(context, parameters["rows"], SVD_COLUMNS, "float64"),
    run=_svd,
    memory_bytes=lambda parameters: 4 * 8 * SVD_COLUMNS * parameters["rows"],
    amount=lambda parameters: parameters["rows"],
)

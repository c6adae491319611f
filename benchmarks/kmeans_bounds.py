"""What k-means pays for a row whose distances it bounds, compared with one that it only adds up.

``python -m benchmarks.kmeans_bounds`` measures ``gpucluster.learn.kernels.bounds`` in one thread, in seconds of the
processor: the least of some turns, as others take from the caches. Its model of costs is made from these figures.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
from gpucluster.learn.kernels import bounds
from gpucluster.learn.kernels.lloyd import sums_of
from gpucluster.learn.rows.block import Block
from gpucluster.learn.rows.shard import one_blas_thread

from benchmarks.recording import record

ROWS, TURNS, LOOKED_AT = 150_000, 7, 5
FEATURES, CLUSTERS, TYPES = (3, 8, 32, 64), (2, 3, 8, 16, 32, 64), ("float64", "float32")


def seconds(function: Callable[[], Any]) -> float:
    """Return the least time of the processor; the first turn does not count."""
    taken = []
    for _ in range(TURNS + 1):
        began = time.thread_time()
        function()
        taken.append(time.thread_time() - began)
    return min(taken[1:])


def measured(dtype: str, d: int, k: int) -> dict[str, Any]:
    """Return nanoseconds per row, of a pass over all and of rows that are looked at: all of them, and each fifth."""
    random = np.random.default_rng(0)
    X = (random.normal(size=(k, d))[random.integers(0, k, ROWS)] + 0.5 * random.normal(size=(ROWS, d))).astype(dtype)
    block, centers = Block(0, 0, X), X[:k].copy()
    kept = bounds._Kept(block, centers, None)
    passing = seconds(lambda: sums_of(block, centers, None, kept.labels))
    kept.gaps = np.empty(ROWS, dtype)
    some = np.sort(random.choice(ROWS, ROWS // LOOKED_AT, replace=False))
    all_rows = seconds(lambda: bounds._look(kept, block, None, None))
    some_rows = seconds(lambda: bounds._look(kept, block, None, some)) * LOOKED_AT
    found = {"pass": passing, "looked at, all": all_rows, "looked at, a fifth": some_rows}
    row = {what: round(taken / ROWS * 1e9, 1) for what, taken in found.items()}
    return {"type": dtype, "d": d, "k": k, **row, "ratio": round(some_rows / passing, 2)}


def main() -> None:
    """Measure, print and write down."""
    with one_blas_thread():
        rows = [measured(*each) for each in product(TYPES, FEATURES, CLUSTERS)]
    ratios = {k: float(np.median([row["ratio"] for row in rows if row["k"] == k])) for k in CLUSTERS}
    record({"ns_per_row": rows, "median_ratio_by_k": ratios}, name="kmeans-bounds", packages=["numpy", "scikit-learn"])


if __name__ == "__main__":
    main()

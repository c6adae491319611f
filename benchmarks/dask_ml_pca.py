"""dask-ml's PCA, to compare with ours: run by ``benchmarks.pca`` with the Python of an environment that has dask-ml.

Reads lines from standard input, fits once for each, and answers with the seconds it took.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np


def main() -> None:
    """Load the rows, persist them on two workers, and wait for orders."""
    import dask.array as da
    from dask_ml.decomposition import PCA
    from distributed import Client, LocalCluster, wait

    path, n_blocks, n_components = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    solvers: list[Any] = sys.argv[4:]
    table = np.load(path, mmap_mode="r")
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0")
    with cluster, Client(cluster):
        X = da.from_array(np.asarray(table), chunks=(len(table) // n_blocks, -1), name=False).persist()
        wait(X)
        print("ready", flush=True)
        for line in sys.stdin:
            start = time.perf_counter()
            PCA(n_components, svd_solver=solvers[int(line)], random_state=0).fit(X)
            print(time.perf_counter() - start, flush=True)


if __name__ == "__main__":
    main()

"""k-means of dask-ml on two workers with one thread each, as a program for a Python that has dask-ml.

``python benchmarks/kmeans_dask_ml.py FOLDER NAME ITERATIONS REPEATS`` prints seconds, inertia and versions as JSON.
"""

from __future__ import annotations

import json
import sys
import time
from importlib.metadata import version
from pathlib import Path

import dask.array as da
import numpy as np
from dask.distributed import Client, LocalCluster, wait
from dask_ml.cluster import KMeans


def main() -> None:
    """Measure."""
    folder, name, n_iter, repeats = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    whole = np.load(folder / f"{name}.npy", mmap_mode="r")
    start = np.load(folder / f"{name}-start.npy")
    seconds, inertia = [], 0.0
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster):
        X = da.from_array(whole, chunks=(-(-len(whole) // 4), whole.shape[1]), name=False).persist()
        wait(X)
        for _ in range(repeats):
            began = time.perf_counter()
            model = KMeans(len(start), init=start, max_iter=n_iter, tol=0).fit(X)
            seconds.append(time.perf_counter() - began)
            inertia = float(model.inertia_)
    versions = {package: version(package) for package in ("dask-ml", "distributed", "scikit-learn", "numpy")}
    print(json.dumps({"seconds": seconds, "inertia": inertia, "versions": versions}))


if __name__ == "__main__":
    main()

"""k-means with mpi4py and scikit-learn's kernel, and nothing else: what a fit on a cluster is compared with.

``mpiexec -n 2 python -m benchmarks.kmeans_mpi FOLDER`` waits for files ``turn-1.json``, ``turn-2.json``, … in the
folder, and answers each with ``turn-1.answer.json``. Ranks sleep in between, so that they take no time from others.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from mpi4py import MPI
from sklearn.cluster._k_means_common import _inertia_dense
from sklearn.cluster._k_means_lloyd import lloyd_iter_chunked_dense

LOOK_SECONDS = 0.01


def fit(comm: MPI.Comm, X: Any, start: Any, n_iter: int) -> tuple[Any, float]:
    """Return centres and inertia after some iterations; X are this rank's rows."""
    centers, k = start.copy(), len(start)
    weights, labels = np.ones(len(X), X.dtype), np.empty(len(X), np.int32)
    means, counts, shift = np.empty_like(centers), np.empty(k, X.dtype), np.empty(k, X.dtype)
    mine, total = np.empty((k, X.shape[1] + 1)), np.empty((k, X.shape[1] + 1))
    for _ in range(n_iter):
        lloyd_iter_chunked_dense(X, weights, centers, means, counts, labels, shift, 1)
        mine[:, :-1], mine[:, -1] = means * counts[:, None].astype(np.float64), counts
        comm.Allreduce(mine, total)
        centers = (total[:, :-1] / total[:, -1:]).astype(X.dtype)
    lloyd_iter_chunked_dense(X, weights, centers, None, counts, labels, shift, 1, update_centers=False)
    inertia = comm.allreduce(float(_inertia_dense(X, weights, centers, labels, 1)))
    return centers, inertia


def main() -> None:
    """Answer turn after turn, until the last one."""
    comm, folder = MPI.COMM_WORLD, Path(sys.argv[1])
    loaded: dict[str, Any] = {}
    for turn in range(1, 1_000_000):
        task = folder / f"turn-{turn}.json"
        while not task.exists():
            time.sleep(LOOK_SECONDS)
        wanted = json.loads(task.read_text())
        if "data" not in wanted:
            return
        name = wanted["data"]
        if name not in loaded:
            whole = np.load(folder / f"{name}.npy", mmap_mode="r")
            ends = [len(whole) * rank // comm.size for rank in range(comm.size + 1)]
            loaded[name] = np.array(whole[ends[comm.rank] : ends[comm.rank + 1]]), np.load(folder / f"{name}-start.npy")
        X, start = loaded[name]
        comm.Barrier()
        began = time.perf_counter()
        _, inertia = fit(comm, X, start, wanted["iterations"])
        comm.Barrier()
        seconds = time.perf_counter() - began
        if comm.rank == 0:
            answer = folder / f"turn-{turn}.answer"
            answer.write_text(json.dumps({"seconds": seconds, "inertia": inertia}))
            answer.rename(answer.with_suffix(".answer.json"))


if __name__ == "__main__":
    main()

"""Coroutines in a notebook, whose own event loop is busy with the cell; and k-means, timed in several ways."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Coroutine
from typing import Any

import numpy as np

from ...material.conversion import as_numpy


def run_coroutine(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Run a coroutine to its end, in a thread with its own event loop, and return its result.

    In a separate program, ``asyncio.run`` does the same.
    """
    found: dict[str, Any] = {}

    def work() -> None:
        try:
            found["result"] = asyncio.run(coroutine)
        except BaseException as error:
            found["error"] = error

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join()
    if "error" in found:
        raise found["error"]
    return found["result"]


def sums_of(points: Any, centroids: Any) -> Any:
    """Return the sums and counts of one part, as in lesson 06: array of shape (n_clusters, n_features + 1)."""
    scores = (centroids**2).sum(axis=1) - 2 * points @ centroids.T
    own = np.eye(len(centroids))[as_numpy(scores).argmin(axis=1)]
    return np.column_stack([own.T @ as_numpy(points), own.sum(axis=0)])


def kmeans_seconds(comm: Any, points: Any, start: Any, repeats: int) -> tuple[list[float], Any]:
    """On one rank, run ten iterations, several times; return the seconds of each time, and the last centroids."""
    seconds = []
    centroids = start
    for _ in range(repeats):
        comm.barrier()
        began, centroids = time.perf_counter(), start
        for _ in range(10):
            total = comm.allreduce(sums_of(points, centroids))
            centroids = total[:, :-1] / np.maximum(total[:, -1:], 1)
        seconds.append(time.perf_counter() - began)
    return seconds, centroids


def kmeans_futures(client: Any, points: Any, n_parts: int, start: Any, repeats: int) -> tuple[list[float], Any]:
    """Do the same with one task per part and iteration, merged in the notebook."""
    import dask.array as da

    rows = -(-len(points) // n_parts)
    parts = client.compute(list(da.from_array(points, chunks=(rows, -1)).to_delayed().ravel()))
    seconds = []
    centroids = start
    for _ in range(repeats):
        began, centroids = time.perf_counter(), start
        for _ in range(10):
            total = sum(client.gather(client.map(sums_of, parts, centroids=centroids, pure=False)))
            centroids = total[:, :-1] / np.maximum(total[:, -1:], 1)
        seconds.append(time.perf_counter() - began)
    return seconds, centroids

"""Fits on 2 CPU workers compared with scikit-learn with two threads, in turns: ``python -m benchmarks.fits``.

``--source PATH`` takes another checkout's package, to compare two versions.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .turns import by_turns, seconds, two_workers

Case = tuple[Callable[[], Any], Callable[[], Any] | None]


def main() -> None:
    """Print a line for each case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--source", help="the folder py_src of another checkout")
    parser.add_argument("--only", nargs="*")
    given = parser.parse_args()
    if given.source:
        # Workers are new processes: they find it by the variable.
        os.environ["PYTHONPATH"] = given.source
        sys.path.insert(0, given.source)
    with two_workers() as client:
        for name, (ours, theirs) in cases(client).items():
            if not given.only or any(part in name for part in given.only):
                print(measured(name, ours, theirs, given.runs), flush=True)


def cases(client: Any) -> dict[str, Case]:
    """Return what is fitted, on data that the workers keep."""
    import dask.array as da
    import gpucluster.learn as learn
    import sklearn.cluster
    import sklearn.linear_model
    import sklearn.neighbors
    import sklearn.preprocessing
    from distributed import wait

    def kept(array: Any, n_blocks: int = 8) -> Any:
        lazy = da.from_array(array, chunks=(-(-len(array) // n_blocks), *array.shape[1:]), name=False).persist()
        wait(lazy)
        return lazy

    random = np.random.default_rng(0)
    few, tall = random.random((80, 4)), random.random((400_000, 32))
    target = tall @ random.random(32) + random.random(len(tall))
    points = random.random((20_000, 32))
    spots = np.concatenate([random.normal(centre, 0.3, (4000, 2)) for centre in random.uniform(-10, 10, (5, 2))])
    random.shuffle(spots)
    lazy_few, lazy_tall, lazy_target, lazy_points, lazy_spots = map(kept, (few, tall, target, points, spots))

    def neighbours() -> Any:
        model = learn.NearestNeighbors(n_neighbors=5).fit(lazy_points)
        return client.gather(client.compute(list(model.kneighbors(lazy_points))))

    return {
        "StandardScaler, 80 rows in 8 blocks": (lambda: learn.StandardScaler().fit(lazy_few), None),
        "StandardScaler, 400,000 x 32": (
            lambda: learn.StandardScaler().fit(lazy_tall),
            lambda: sklearn.preprocessing.StandardScaler().fit(tall),
        ),
        "Ridge, 400,000 x 32": (
            lambda: learn.Ridge().fit(lazy_tall, lazy_target),
            lambda: sklearn.linear_model.Ridge().fit(tall, target),
        ),
        "NearestNeighbors, 20,000 x 32, k = 5": (
            neighbours,
            lambda: sklearn.neighbors.NearestNeighbors(n_neighbors=5, n_jobs=2).fit(points).kneighbors(points),
        ),
        "DBSCAN, 20,000 x 2": (
            lambda: learn.DBSCAN(eps=0.1, min_samples=10).fit(lazy_spots),
            lambda: sklearn.cluster.DBSCAN(eps=0.1, min_samples=10, n_jobs=2).fit(spots),
        ),
    }


def measured(name: str, ours: Callable[[], Any], theirs: Callable[[], Any] | None, runs: int) -> str:
    """Return a line with medians and smallest times, in milliseconds."""
    fits = {"ours": ours, "theirs": theirs} if theirs else {"ours": ours}
    taken = by_turns({name: partial(seconds, fit) for name, fit in fits.items()}, runs)
    medians = {name: statistics.median(each) for name, each in taken.items()}
    found = [f"{medians[name] * 1e3:.0f} ms ({min(each) * 1e3:.0f})" for name, each in taken.items()]
    ratio = f"; {medians['ours'] / medians['theirs']:.2f} x" if theirs else ""
    return f"{name}: {', scikit-learn '.join(found)}{ratio}"


if __name__ == "__main__":
    main()

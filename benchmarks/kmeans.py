"""k-means on 2 CPU workers against scikit-learn, dask-ml and mpi4py: ``python -m benchmarks.kmeans``.

Same data, same first centres, same number of iterations; ours includes scheduling. scikit-learn has 2 threads, the
others two processes with one thread each. All but dask-ml take turns. ``--cluster gpucluster`` uses gpucluster's
own cluster, with unix sockets, instead of Dask's ``LocalCluster``.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
from distributed import Client, wait
from gpucluster.learn import KMeans
from sklearn.cluster import KMeans as LocalKMeans
from sklearn.datasets import load_sample_image

from benchmarks import turns
from benchmarks.recording import record

LARGE = {"rows": 2_000_000, "features": 32, "clusters": 16, "iterations": 20}
PAUSE_SECONDS = 0.05
"""Before each turn: threads of the one before spin for a while after their work, and would take time from it."""
SMALL_CLUSTERS, SMALL_ITERATIONS = 8, 30
GROWTH = (500_000, 1_000_000, 1_500_000, 2_000_000)


class Ranks:
    """Two waiting MPI processes; see `benchmarks.kmeans_mpi`."""

    def __init__(self, folder: Path, mpiexec: str) -> None:
        self._folder, self._turn = folder, 0
        command = [mpiexec, "-n", "2", sys.executable, "-m", "benchmarks.kmeans_mpi", str(folder)]
        self._process = subprocess.Popen(command, env=one_thread(), stdin=subprocess.DEVNULL)

    def fit(self, name: str, iterations: int) -> dict[str, float]:
        """Return seconds and inertia of one fit."""
        self._ask({"data": name, "iterations": iterations})
        answer = self._folder / f"turn-{self._turn}.answer.json"
        while not answer.exists():
            if self._process.poll() is not None:
                raise RuntimeError(f"mpiexec ended with {self._process.returncode}.")
            time.sleep(0.01)
        found: dict[str, float] = json.loads(answer.read_text())
        return found

    def close(self) -> None:
        """Let the processes end."""
        self._ask({})
        self._process.wait(30)

    def _ask(self, task: dict[str, Any]) -> None:
        self._turn += 1
        path = self._folder / f"turn-{self._turn}"
        path.write_text(json.dumps(task))
        path.rename(path.with_suffix(".json"))


def one_thread() -> dict[str, str]:
    """Return an environment in which BLAS and OpenMP have one thread, as Dask's workers have."""
    import os

    return {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def timed(fit: Callable[[], Any]) -> tuple[float, Any]:
    """Return seconds and what was fitted."""
    began = time.perf_counter()
    model = fit()
    return time.perf_counter() - began, model


def large_data(folder: Path) -> None:
    """Write points around 16 centres in 32 dimensions, with overlap, so that 20 iterations do not suffice."""
    random = np.random.default_rng(0)
    true = random.normal(size=(LARGE["clusters"], LARGE["features"])).astype(np.float32)
    X = true[random.integers(0, LARGE["clusters"], LARGE["rows"])]
    for part in np.array_split(X, 20):
        part += random.normal(size=part.shape).astype(np.float32)
    np.save(folder / "large.npy", X)
    np.save(folder / "large-start.npy", X[: LARGE["clusters"]])


def small_data(folder: Path) -> None:
    """Write the pixels of lesson 06, and 8 of its colours."""
    pixels = load_sample_image("china.jpg").reshape(-1, 3) / 255
    colours = np.unique(pixels, axis=0)
    np.save(folder / "small.npy", pixels)
    np.save(folder / "small-start.npy", np.random.default_rng(10).choice(colours, SMALL_CLUSTERS, replace=False))


def compared(folder: Path, name: str, iterations: int, repeats: int, ranks: Ranks | None) -> dict[str, Any]:
    """Measure turn by turn: scikit-learn, gpucluster on two workers, gpucluster without a cluster, MPI."""
    whole, start = np.load(folder / f"{name}.npy"), np.load(folder / f"{name}-start.npy")
    parameters: dict[str, Any] = {"init": start, "n_init": 1, "max_iter": iterations, "tol": 0}
    X = on_workers(folder, name, len(whole))
    seconds: dict[str, list[float]] = {"gpucluster": [], "gpucluster in process": [], "scikit-learn": []}
    inertia: dict[str, float] = {}
    fits: dict[str, Callable[[], Any]] = {
        "scikit-learn": lambda: LocalKMeans(len(start), **parameters).fit(whole),
        "gpucluster": lambda: KMeans(len(start), **parameters).fit(X),
        "gpucluster in process": lambda: KMeans(len(start), **parameters).fit(whole),
    }
    for turn in range(repeats + 1):
        for peer, fit in fits.items():
            time.sleep(PAUSE_SECONDS)
            spent, model = timed(fit)
            inertia[peer] = float(model.inertia_)
            if turn:  # the first one is for warming up
                seconds[peer].append(spent)
        if ranks is not None:
            found = ranks.fit(name, iterations)
            inertia["mpi4py"] = found["inertia"]
            if turn:
                seconds.setdefault("mpi4py", []).append(found["seconds"])
    return {"rows": len(whole), "features": whole.shape[1], "clusters": len(start), "iterations": iterations,
            "seconds": turns.compared(seconds, "gpucluster"), "inertia": inertia}  # fmt: skip


def on_workers(folder: Path, name: str, n_rows: int) -> Any:
    """Return the first rows as a Dask array of four blocks, on the workers."""
    whole = np.load(folder / f"{name}.npy", mmap_mode="r")[:n_rows]
    X = da.from_array(whole, chunks=(-(-len(whole) // 4), whole.shape[1]), name=False).persist()
    wait(X)
    return X


def growth(folder: Path, client: Client, repeats: int) -> dict[str, Any]:
    """Measure how time and the scheduler's work grow with rows and iterations."""
    start = np.load(folder / "large-start.npy")
    medians: list[float] = []
    counts: dict[str, int] = {}
    for n_rows in GROWTH:
        X = on_workers(folder, "large", n_rows)
        spent = []
        for n_iter in (10, 30, *([20] * repeats)):
            before = transitions(client)
            model = KMeans(len(start), init=start, max_iter=n_iter, tol=0)
            seconds, _ = timed(partial(model.fit, X))
            counts[f"{n_rows} rows, {n_iter} iterations"] = transitions(client) - before
            spent.append(seconds)
        medians.append(statistics.median(spent[2:]))
        del X
    rows = np.asarray(GROWTH, dtype=float)
    line = np.polyfit(rows, medians, 1)
    measured = np.asarray(medians)
    rest = np.square(measured - np.polyval(line, rows)).sum()
    squared = 1 - rest / np.square(measured - measured.mean()).sum()
    return {
        "rows": GROWTH,
        "median_seconds": [round(value, 4) for value in medians],
        "r_squared": round(float(squared), 5),
        "seconds_at_0_rows": round(float(line[1]), 4),
        "scheduler_transitions": counts,
    }


def transitions(client: Client) -> int:
    """Return how often a task has changed its state, once the scheduler has forgotten the tasks of the last fit."""
    while (count := client.run_on_scheduler(_settled)) is None:
        time.sleep(0.02)
    return int(count)


def _settled(dask_scheduler: Any = None) -> int | None:
    if any("gpucluster-rank" in str(key) for key in dask_scheduler.tasks):
        return None
    return int(dask_scheduler.transition_counter)


@contextmanager
def own_workers() -> Iterator[Client]:
    """Start two workers of gpucluster's own."""
    import gpucluster

    with gpucluster.create("local", n_workers=2, threads_per_worker=1) as mine, mine.get_client() as client:
        yield client


def main() -> None:
    """Measure, print and write down."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kmeans", description=__doc__)
    parser.add_argument("--peer-python", help="Python with dask-ml.")
    parser.add_argument("--mpiexec", help="The mpiexec of mpi4py's MPI library.")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--only", nargs="+", choices=["large", "small", "growth"], default=["large", "small", "growth"])
    parser.add_argument("--cluster", choices=["LocalCluster", "gpucluster"], default="LocalCluster")
    options = parser.parse_args()
    found: dict[str, Any] = {"cluster": options.cluster}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        large_data(folder)
        small_data(folder)
        with own_workers() if options.cluster == "gpucluster" else turns.two_workers() as client:
            ranks = Ranks(folder, options.mpiexec) if options.mpiexec else None
            if "small" in options.only:
                found["small"] = compared(folder, "small", SMALL_ITERATIONS, options.repeats, ranks)
            if "large" in options.only:
                found["large"] = compared(folder, "large", LARGE["iterations"], options.repeats, ranks)
            if ranks is not None:
                ranks.close()
            if "growth" in options.only:
                found["growth"] = growth(folder, client, options.repeats)
        if options.peer_python and "large" in found:
            program = [options.peer_python, str(Path(__file__).with_name("kmeans_dask_ml.py"))]
            answer = subprocess.run(
                [*program, name, "large", str(LARGE["iterations"]), str(min(options.repeats, 3))],
                env=one_thread(), check=True, capture_output=True, text=True,
            )  # fmt: skip
            peer = json.loads(answer.stdout.splitlines()[-1])
            ours = found["large"]["seconds"]["gpucluster"]["median"]
            found["large"]["dask-ml"] = {**peer, "times_faster": round(statistics.median(peer["seconds"]) / ours, 1)}
    packages = ["distributed", "scikit-learn", "numpy", *(["mpi4py"] if options.mpiexec else [])]
    record({"kmeans": found}, name="kmeans", packages=packages)


if __name__ == "__main__":
    main()

"""``python -m benchmarks.pca --peer-python …/python``: PCA against scikit-learn and dask-ml, out of memory, by size.

``--peer-python`` is the Python of an environment with dask-ml; without it, dask-ml is left out.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from .recording import record
from .turns import seconds, summary, two_workers

N_ROWS, N_FEATURES, N_COMPONENTS, N_BLOCKS = 1_000_000, 64, 8, 8
PEER_SOLVERS = ("auto",)
PATCH, WORKER_MEMORY = 16, "900MiB"


def rows(n_rows: int) -> np.ndarray[Any, Any]:
    """Return correlated columns of float32."""
    rng = np.random.default_rng(0)
    mixed = rng.standard_normal((N_FEATURES, N_FEATURES), dtype=np.float32) * np.linspace(0.2, 2, N_FEATURES)
    return rng.standard_normal((n_rows, N_FEATURES), dtype=np.float32) @ mixed.astype(np.float32)


class Peer:
    """dask-ml in a separate process."""

    def __init__(self, python: str, path: Path) -> None:
        script = Path(__file__).with_name("dask_ml_pca.py")
        command = [python, "-W", "ignore", str(script), str(path), str(N_BLOCKS), str(N_COMPONENTS), *PEER_SOLVERS]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._answer()

    def fit(self, solver: int) -> float:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{solver}\n")
        self._process.stdin.flush()
        return float(self._answer())

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def _answer(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline().strip()
        if not line:
            raise RuntimeError("dask-ml's process has ended.")
        return line


def speed(repeats: int, peer_python: str | None) -> dict[str, Any]:
    """Fit in turns: ours, scikit-learn with two threads, dask-ml."""
    import dask.array as da
    from distributed import wait
    from gpucluster.learn import PCA
    from sklearn.decomposition import PCA as Reference
    from threadpoolctl import threadpool_limits

    table = rows(N_ROWS)
    with tempfile.TemporaryDirectory() as folder, two_workers():
        X = da.from_array(table, chunks=(N_ROWS // N_BLOCKS, -1), name=False).persist()
        wait(X)
        path = Path(folder) / "rows.npy"
        np.save(path, table)
        peer = Peer(peer_python, path) if peer_python else None
        runs: dict[str, Any] = {"gpucluster": lambda: PCA(N_COMPONENTS).fit(X)}
        reference = Reference(N_COMPONENTS, svd_solver="covariance_eigh")
        runs["scikit-learn covariance_eigh"] = lambda: reference.fit(table)
        times: dict[str, list[float]] = {name: [] for name in runs}
        with threadpool_limits(2):
            for turn in range(repeats + 1):
                for name, run in runs.items():
                    times[name].append(seconds(run))
                for number, solver in enumerate(PEER_SOLVERS if peer else ()):
                    if turn <= 5:
                        times.setdefault(f"dask-ml {solver}", []).append(peer.fit(number))  # type: ignore[union-attr]
        if peer:
            peer.close()
        ours = PCA(N_COMPONENTS).fit(X)
        apart = float(np.abs(ours.components_ - reference.components_).max())
    found = {name: summary(values[1:]) for name, values in times.items()}
    mine = found["gpucluster"]["median"]
    ratios = {name: round(mine / other["median"], 3) for name, other in found.items()}
    return {"seconds": found, "ours_divided_by": ratios, "largest_difference_of_components": apart}


def out_of_memory(repeats: int) -> dict[str, Any]:
    """Fit on patches that do not fit into the workers, and on as many as do."""
    from distributed import wait
    from gpucluster.datasets import patches
    from gpucluster.learn import PCA

    with two_workers(memory_limit=WORKER_MEMORY):
        X = patches(PATCH)
        some = int(np.searchsorted(np.cumsum(X.chunks[0]), len(X) // 6, side="right"))
        kept = X[: sum(X.chunks[0][:some])].persist()
        wait(kept)
        PCA(N_COMPONENTS).fit(kept)
        times: dict[str, list[float]] = {"all, made on the way": [], "some, resident": []}
        with peak_growth() as growth:
            for _ in range(repeats):
                times["some, resident"].append(seconds(lambda: PCA(N_COMPONENTS).fit(kept)) / len(kept))
                model = PCA(N_COMPONENTS)
                times["all, made on the way"].append(seconds(lambda model=model: model.fit(X)) / len(X))
    found = {name: summary([value * 1e6 for value in values]) for name, values in times.items()}
    return {
        "bytes": X.nbytes, "rows": len(X), "rows_resident": len(kept), "microseconds_per_row": found,
        "ratio": round(found["all, made on the way"]["median"] / found["some, resident"]["median"], 3),
        "client_growth_mb": round(growth[0], 1), "first_ratio": float(model.explained_variance_ratio_[0]),
    }  # fmt: skip


@contextmanager
def peak_growth() -> Iterator[list[float]]:
    """Yield a list that afterwards holds by how many megabytes this process has grown at most."""
    import psutil

    process, growth, done = psutil.Process(), [0.0], threading.Event()
    before = process.memory_info().rss

    def watch() -> None:
        while not done.wait(0.01):
            growth[0] = max(growth[0], (process.memory_info().rss - before) / 1e6)

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        yield growth
    finally:
        done.set()
        watching.join()


def cost_growth(repeats: int) -> dict[str, Any]:
    """Fit on four numbers of rows; count the messages of an iterative fit to the scheduler."""
    import dask.array as da
    from distributed import wait
    from gpucluster.learn import PCA, LogisticRegression

    sizes = [250_000, 500_000, 1_000_000, 2_000_000]
    times: dict[int, list[float]] = {size: [] for size in sizes}
    messages: dict[int, dict[str, float]] = {}
    with two_workers() as client:
        table = rows(sizes[0])
        base = da.from_array(table, chunks=(len(table) // 2, -1), name=False).persist()
        tables = {size: da.concatenate([base] * (size // sizes[0])).map_blocks(np.copy).persist() for size in sizes}
        wait(list(tables.values()))
        for _ in range(repeats + 1):
            for size, X in tables.items():
                times[size].append(seconds(lambda X=X: PCA(N_COMPONENTS).fit(X)))
        for size in sizes[:3]:
            X = tables[size]
            y = (X[:, 0] + X[:, 1] > 0.5).astype(np.int64).persist()
            wait(y)
            counts = []
            for most in (5, 25):
                before = client.run_on_scheduler(_tasks_so_far)
                model = LogisticRegression(max_iter=most, tol=1e-12).fit(X, y)
                counts.append((int(model.n_iter_[0]), client.run_on_scheduler(_tasks_so_far) - before))
            (few, less), (many, more) = counts
            messages[size] = {"transitions_of_one_fit": more, "per_iteration": (more - less) / max(1, many - few)}
    medians = np.asarray([np.median(times[size][1:]) for size in sizes])
    line = np.polyfit(sizes, medians, 1)
    residual = np.sum((np.polyval(line, sizes) - medians) ** 2) / np.sum((medians - medians.mean()) ** 2)
    return {
        "seconds": {size: summary(values[1:]) for size, values in times.items()},
        "r_squared": round(float(1 - residual), 5), "seconds_per_million_rows": round(line[0] * 1e6, 4),
        "fixed_seconds": round(line[1], 4), "scheduler": messages,
    }  # fmt: skip


def _tasks_so_far(dask_scheduler: Any) -> int:
    """Return how many changes of tasks' states the scheduler has handled."""
    return int(dask_scheduler.transition_counter)


def main() -> None:
    """Measure and write down."""
    every: dict[str, Callable[..., dict[str, Any]]] = {"speed": speed, "memory": out_of_memory, "growth": cost_growth}
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pca", description=__doc__)
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--peer-python")
    parser.add_argument("--only", nargs="+", choices=every, default=list(every))
    options = parser.parse_args()
    results: dict[str, Any] = {}
    for part in options.only:
        more = (options.peer_python,) if part == "speed" else ()
        print(f"{part} …", flush=True)
        results[part] = every[part](options.repeats, *more)
    record(results, name="pca", packages=("distributed", "dask", "numpy", "scikit-learn"))


if __name__ == "__main__":
    main()

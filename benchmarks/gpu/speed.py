"""How fast: our API on a GPU cluster, ``cuml.dask`` used directly, the CPU cluster, and what the memory can do.

The share of the roofline is the least traffic that a workload needs (its data, read once per pass) by the time it took,
over the copy bandwidth that is measured on the same GPU in the same run.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import gpucluster
from gpucluster.backends.cuda.spec import CudaSpec
from gpucluster.backends.local import LocalSpec
from gpucluster.bench import bench
from gpucluster.bench.target import created

from .clusters import own_registry
from .piece import write_json
from .watching import watched

GIB = 2**30
WORKLOADS = ("transpose-sum", "merge", "kmeans", "pca", "truncated-svd", "flights-etl")
ROWS, COLUMNS, CLUSTERS, ITERATIONS, COMPONENTS = 20_000_000, 32, 16, 10, 8
MANY_ROWS = 120_000_000
"""15 GB: a small part of a GPU's memory, as cuML joins all blocks and needs as much again."""
MOST_ROWS = 400_000_000
"""51 GB, for this package alone."""
WIDE_ROWS, WIDE_COLUMNS, MANY_CLUSTERS = 4_000_000, 256, 200
"""More columns and clusters than the kernels take."""
BLOCKS = 8
REPEATS = 5
VIEWERS = 5
SAMPLING_REPEATS = 5
FEWER_REPEATS = 3
"""Of what takes long."""
FITS_PER_TURN = 40
"""So that a turn takes some seconds, and there are several samples in it."""
NO_TOLERANCE = 1e-30
"""cuML refuses zero."""
PASSES = {"kmeans": ITERATIONS + 1, "pca": 1, "truncated-svd": 1}
"""How often the algorithm has to read the data at least; k-means once more in the end, for the inertia."""


def copy_bandwidth(n_bytes: int = 4 * GIB, repeats: int = 20) -> float:
    """Return the bytes per second that a copy within the GPU's memory reads and writes; run in a worker."""
    import cupy

    source = cupy.zeros(n_bytes // 8, dtype="f8")
    target = cupy.empty_like(source)
    return 2 * n_bytes / device_seconds(lambda: cupy.copyto(target, source), repeats)


def device_seconds(work: Callable[[], Any], repeats: int) -> float:
    """Return the median of the seconds that work takes on the device; run in a worker."""
    import cupy

    seconds = []
    for _ in range(repeats + 2):
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record()
        work()
        end.record()
        end.synchronize()
        seconds.append(cupy.cuda.get_elapsed_time(begin, end) / 1000)
    return float(statistics.median(seconds[2:]))


def rows(seed: int, n_rows: int, n_columns: int) -> Any:
    """Return one block of random rows on the device; run in a worker."""
    import cupy

    return cupy.random.default_rng(seed).random((n_rows, n_columns), dtype="float32")


def through_us() -> dict[str, Callable[[Any], Any]]:
    """Return the same estimators, fitted by cuML through this package."""
    from gpucluster.learn import config_context

    def by_cuml(fit: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def fitted(X: Any) -> Any:
            with config_context(engine="cuml"):
                return fit(X)

        return fitted

    return {name: by_cuml(fit) for name, fit in ours().items()}


def ours() -> dict[str, Callable[[Any], Any]]:
    """Return the estimators of `gpucluster.learn`, with what they fit."""
    from gpucluster import learn

    start = _start()
    chosen = {"init": "k-means||", "n_init": 1, "max_iter": ITERATIONS, "tol": 0, "random_state": 0}
    return {
        "kmeans": lambda X: learn.KMeans(CLUSTERS, init=start, n_init=1, max_iter=ITERATIONS, tol=0).fit(X),
        "kmeans with k-means||": lambda X: learn.KMeans(CLUSTERS, **chosen).fit(X),
        "kmeans of many clusters": lambda X: learn.KMeans(MANY_CLUSTERS, **{**chosen, "init": "random"}).fit(X),
        "pca": lambda X: learn.PCA(COMPONENTS).fit(X),
        "truncated-svd": lambda X: learn.TruncatedSVD(COMPONENTS).fit(X),
    }


def direct(client: Any) -> dict[str, Callable[[Any], Any]]:
    """Return the same estimators as ``cuml.dask`` has them."""
    from cuml.dask.cluster import KMeans
    from cuml.dask.decomposition import PCA, TruncatedSVD

    start = _start()
    chosen = {"n_init": 1, "max_iter": ITERATIONS, "tol": NO_TOLERANCE, "random_state": 0, "client": client}
    return {
        "kmeans": lambda X: KMeans(
            n_clusters=CLUSTERS, init=start, n_init=1, max_iter=ITERATIONS, tol=NO_TOLERANCE, client=client
        ).fit(X),
        "kmeans with k-means||": lambda X: KMeans(n_clusters=CLUSTERS, init="k-means||", **chosen).fit(X),
        "kmeans of many clusters": lambda X: KMeans(n_clusters=MANY_CLUSTERS, init="random", **chosen).fit(X),
        "pca": lambda X: PCA(n_components=COMPONENTS, client=client).fit(X),
        "truncated-svd": lambda X: TruncatedSVD(n_components=COMPONENTS, client=client).fit(X),
    }


def _start() -> Any:
    import cupy

    return cupy.random.default_rng(0).random((CLUSTERS, COLUMNS), dtype="float32")


def against_direct(file: Path) -> dict[str, Any]:
    """Time ours and ``cuml.dask``'s in turn on the same data and cluster, and compare both with the roofline."""
    from distributed import futures_of

    found: dict[str, Any] = {}
    with gpucluster.create("cuda", rmm_pool_size=0.85, rmm_allocator_external_lib_list=["cupy"]) as cluster:
        client = cluster.get_client()
        try:
            bandwidth = client.submit(copy_bandwidth, pure=False).result(timeout=300)
            found["copy_bytes_per_second"] = bandwidth
            found["kernels"] = client.submit(kernel_rates, pure=False).result(timeout=300)
            print("kernels", {name: f"{rate / bandwidth:.2f}" for name, rate in found["kernels"].items()}, flush=True)
            all_ways = {
                "gpucluster.learn": ours(),
                "cuml.dask": direct(client),
                "cuML through gpucluster": through_us(),
            }
            own = {"gpucluster.learn": ours()}
            fits = ("kmeans", "kmeans with k-means||", "pca", "truncated-svd")
            for n_rows, n_columns, names, ways, repeats in (
                (ROWS, COLUMNS, fits, all_ways, REPEATS),
                (MOST_ROWS, COLUMNS, fits, own, REPEATS),
                (WIDE_ROWS, WIDE_COLUMNS, ("kmeans of many clusters", "pca"), all_ways, FEWER_REPEATS),
                (MANY_ROWS, COLUMNS, ("kmeans", "pca"), all_ways, FEWER_REPEATS),
            ):
                X = data(n_rows, n_columns)
                if n_columns == COLUMNS:
                    blocks = client.submit(block_rates, futures_of(X), pure=False)
                    found.setdefault("blocks", {})[f"{n_rows} x {n_columns}"] = blocks.result(timeout=300)
                    del blocks
                for name in names:
                    measured = _in_turn(name, ways, X, repeats)
                    least = 4 * n_rows * n_columns * PASSES.get(name, 0) / bandwidth
                    shares = {label: least / seconds for label, seconds in measured["median"].items()}
                    measured |= {"roofline_share": shares} if least else {}
                    found.setdefault(name, {})[f"{n_rows} x {n_columns}"] = measured
                    write_json(file, found)
                    print(n_rows, n_columns, name, measured, flush=True)
                del X
                time.sleep(1)  # until workers have let it go: the next one may need that room
        finally:
            client.close()
    return found


def _in_turn(name: str, ways: dict[str, dict[str, Callable[[Any], Any]]], X: Any, repeats: int) -> dict[str, Any]:
    """Time a fit in several ways in turn, and return the seconds, their medians, ratios, and how good each model is."""
    times: dict[str, list[float]] = {label: [] for label in ways}
    quality: dict[str, float] = {}
    failed: dict[str, str] = {}
    for run in range(repeats + 1):
        for label, fits in ways.items():
            if label in failed:
                continue
            began = time.perf_counter()
            try:
                model = fits[name](X)
            except Exception as error:  # out of memory, say: the others are worth having
                failed[label] = f"{type(error).__name__}: {error}"[:500]
                continue
            if run:  # the first one compiles kernels and makes communicators
                times[label].append(time.perf_counter() - began)
            quality[label] = _quality(model)
    medians = {label: statistics.median(each) for label, each in times.items() if each}
    base = medians.get("cuml.dask")
    ratios = {label: seconds / base for label, seconds in medians.items()} if base else {}
    return {"seconds": times, "median": medians, "by_cuml_dask": ratios, "quality": quality, "failed": failed}


def _quality(model: Any) -> float:
    """Return the inertia of k-means, or the variance that components explain: equal where models are equally good."""
    model = vars(model).get("internal_model", model)
    model = model.result() if hasattr(model, "result") else model
    found = model.inertia_ if hasattr(model, "inertia_") else sum(map(float, model.explained_variance_))
    return float(found)


def kernel_rates(n_rows: int = ROWS, repeats: int = 10) -> dict[str, float]:
    """Return the bytes per second that the kernels of k-means and PCA read in one pass; run in a worker."""
    X = rows(0, n_rows, COLUMNS)
    passes = {**_passes([X]), "pca by cuBLAS": lambda: X.T @ X}
    return {name: float(X.nbytes) / device_seconds(go, repeats) for name, go in passes.items()}


def block_rates(blocks: list[Any], repeats: int = 5) -> dict[str, float]:
    """Return the same of all blocks of a table, one after the other: what a fit could do without its messages."""
    n_bytes = float(sum(block.nbytes for block in blocks))
    return {name: n_bytes / device_seconds(go, repeats) for name, go in _passes(blocks).items()}


def _passes(blocks: list[Any]) -> dict[str, Callable[[], Any]]:
    """Return the passes of estimators over blocks."""
    import numpy as np
    from gpucluster.learn.kernels.on_gpu import lloyd, moments

    centers, shift = rows(1, CLUSTERS, COLUMNS), blocks[0][0]

    def over_all(one: Callable[[Any], Any]) -> Callable[[], Any]:
        return lambda: [one(X) for X in blocks]

    return {
        "kmeans": over_all(lambda X: lloyd.pass_over(X, centers, sums=True)),
        "labels": over_all(lambda X: lloyd.pass_over(X, centers, labels=True)),
        "inertia": over_all(lambda X: lloyd.pass_over(X, centers, inertia=True)),
        "pca": over_all(lambda X: moments.products_of(X, shift, None, np.dtype("float32"))),
        "truncated-svd": over_all(lambda X: moments.products_of(X, shift, None, np.dtype("float64"))),
    }


def data(n_rows: int = ROWS, n_columns: int = COLUMNS) -> Any:
    """Return the random rows as a Dask array whose blocks are on the device."""
    import cupy
    import dask.array as da
    from dask.delayed import delayed
    from distributed import wait

    shape, meta = (n_rows // BLOCKS, n_columns), cupy.empty((0, n_columns), dtype="float32")
    blocks = [da.from_delayed(delayed(rows)(seed, *shape), shape, dtype="float32", meta=meta) for seed in range(BLOCKS)]
    X = da.concatenate(blocks).persist()
    wait(X)
    return X


def sampling() -> dict[str, Any]:
    """Time k-means with and without viewers of the gauges, in turn."""
    seconds: dict[str, list[float]] = {"no viewers": [], f"{VIEWERS} viewers": []}
    with gpucluster.create("cuda", rmm_pool_size=0.5, rmm_allocator_external_lib_list=["cupy"]) as cluster:
        client = cluster.get_client()
        try:
            X, fit = data(), ours()["kmeans"]
            fit(X)
            for _ in range(SAMPLING_REPEATS):
                for name, n_viewers in zip(seconds, (0, VIEWERS), strict=True):
                    with watched(cluster, n_viewers) if n_viewers else nullcontext():
                        began = time.perf_counter()
                        for _ in range(FITS_PER_TURN):
                            fit(X)
                        seconds[name].append(time.perf_counter() - began)
        finally:
            client.close()
    without, with_viewers = seconds.values()
    ratios = [one / other for one, other in zip(with_viewers, without, strict=True)]
    print(f"with {VIEWERS} viewers {statistics.median(ratios):.3f} times as long", flush=True)
    return {"seconds": seconds, "ratio": {"median": statistics.median(ratios), "values": ratios}}


def against_cpu(file: Path, size: str) -> dict[str, Any]:
    """Run the product's own benchmark on the GPU and on CPU workers of the same machine."""
    found: dict[str, Any] = {}
    specs: dict[str, Any] = {
        "gpu": CudaSpec(rmm_pool_size=0.5, rmm_allocator_external_lib_list=["cupy"]),
        "cpu": LocalSpec(),
    }
    for name, spec in specs.items():
        with created(spec) as target:
            result = bench(target, only=WORKLOADS, size=size, say=print)  # type: ignore[arg-type]
        found[name] = result.model_dump(mode="json")
        write_json(file, found)
    gpu, cpu = ({one["workload"]: one for one in found[name]["measurements"]} for name in ("gpu", "cpu"))
    found["cpu_seconds_by_gpu_seconds"] = {
        name: statistics.median(cpu[name]["seconds"]) / statistics.median(gpu[name]["seconds"])
        for name in gpu
        if name in cpu and cpu[name]["parameters"] == gpu[name]["parameters"]
    }
    return found


def not_compared(found: dict[str, Any]) -> list[str]:
    """Return in sentences which of the workloads could not be compared, and why the GPU's figures are none of a GPU."""
    told = []
    for name in ("gpu", "cpu"):
        told += [f"{one['workload']}, {name}: {one['why']}" for one in found[name]["left_out"]]
    facts = found["gpu"]["cluster"]
    if (facts["backend"], facts["arrays"], facts["frames"]) != ("cuda", "cupy", "cudf"):
        told.append(f"The GPU cluster had {facts['backend']} workers, {facts['arrays']} and {facts['frames']}.")
    missing = sorted(set(WORKLOADS) - found["cpu_seconds_by_gpu_seconds"].keys())
    return told + [f"{name} was not compared on data of the same size" for name in missing]


def main() -> int:
    """Measure and write the figures down."""
    parser = argparse.ArgumentParser(description="Measure how fast a GPU cluster is.")
    parser.add_argument("what", choices=("direct", "cpu", "sampling"))
    parser.add_argument("--figures", type=Path, required=True)
    parser.add_argument("--size", choices=("tiny", "small", "medium", "large"), default="medium")
    options = parser.parse_args()
    with own_registry():
        if options.what == "cpu":
            found = against_cpu(options.figures, options.size)
        else:
            found = against_direct(options.figures) if options.what == "direct" else sampling()
    wrong = not_compared(found) if options.what == "cpu" else []
    write_json(options.figures, {**found, "not_compared": wrong} if wrong else found)
    for sentence in wrong:
        print(sentence)
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())

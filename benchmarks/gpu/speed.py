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
from gpucluster.bench import bench
from gpucluster.bench.target import created
from gpucluster.protocol.spec import CudaSpec, LocalSpec

from .clusters import own_registry
from .piece import write_json
from .watching import watched

GIB = 2**30
WORKLOADS = ("transpose-sum", "merge", "kmeans", "pca", "truncated-svd", "flights-etl")
ROWS, COLUMNS, CLUSTERS, ITERATIONS, COMPONENTS = 20_000_000, 32, 16, 10, 8
BLOCKS = 8
REPEATS = 5
VIEWERS = 5
SAMPLING_REPEATS = 5
FITS_PER_TURN = 5
"""So that a turn takes some seconds, and there are several samples in it."""
NO_TOLERANCE = 1e-30
"""cuML refuses zero."""
PASSES = {"kmeans": ITERATIONS, "pca": 1, "truncated-svd": 1}
"""How often the algorithm has to read the data at least."""


def copy_bandwidth(n_bytes: int = 4 * GIB, repeats: int = 20) -> float:
    """Return the bytes per second that a copy within the GPU's memory reads and writes; run in a worker."""
    import cupy

    source = cupy.zeros(n_bytes // 8, dtype="f8")
    target = cupy.empty_like(source)
    seconds = []
    for _ in range(repeats + 2):
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record()
        cupy.copyto(target, source)
        end.record()
        end.synchronize()
        seconds.append(cupy.cuda.get_elapsed_time(begin, end) / 1000)
    return float(2 * n_bytes / statistics.median(seconds[2:]))


def rows(seed: int, n_rows: int) -> Any:
    """Return one block of random rows on the device; run in a worker."""
    import cupy

    return cupy.random.default_rng(seed).random((n_rows, COLUMNS), dtype="float32")


def own() -> dict[str, Callable[[Any], Any]]:
    """Return the same estimators with this package's own algorithms on CuPy."""
    from gpucluster.learn import config_context

    def by_us(fit: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def fitted(X: Any) -> Any:
            with config_context(engine="gpucluster"):
                return fit(X)

        return fitted

    return {name: by_us(fit) for name, fit in ours().items()}


def ours() -> dict[str, Callable[[Any], Any]]:
    """Return the estimators of `gpucluster.learn`, with what they fit."""
    from gpucluster import learn

    start = _start()
    return {
        "kmeans": lambda X: learn.KMeans(CLUSTERS, init=start, n_init=1, max_iter=ITERATIONS, tol=0).fit(X),
        "pca": lambda X: learn.PCA(COMPONENTS).fit(X),
        "truncated-svd": lambda X: learn.TruncatedSVD(COMPONENTS).fit(X),
    }


def direct(client: Any) -> dict[str, Callable[[Any], Any]]:
    """Return the same estimators as ``cuml.dask`` has them."""
    from cuml.dask.cluster import KMeans
    from cuml.dask.decomposition import PCA, TruncatedSVD

    start = _start()
    return {
        "kmeans": lambda X: KMeans(
            n_clusters=CLUSTERS, init=start, n_init=1, max_iter=ITERATIONS, tol=NO_TOLERANCE, client=client
        ).fit(X),
        "pca": lambda X: PCA(n_components=COMPONENTS, client=client).fit(X),
        "truncated-svd": lambda X: TruncatedSVD(n_components=COMPONENTS, client=client).fit(X),
    }


def _start() -> Any:
    import cupy

    return cupy.random.default_rng(0).random((CLUSTERS, COLUMNS), dtype="float32")


def against_direct(file: Path) -> dict[str, Any]:
    """Time ours and ``cuml.dask``'s in turn on the same data of the same cluster, and put both beside the roofline."""
    found: dict[str, Any] = {"rows": ROWS, "columns": COLUMNS, "repeats": REPEATS}
    with gpucluster.create("cuda", rmm_pool_size=0.5, rmm_allocator_external_lib_list=["cupy"]) as cluster:
        client = cluster.get_client()
        try:
            bandwidth = client.submit(copy_bandwidth, pure=False).result(timeout=300)
            found["copy_bytes_per_second"] = bandwidth
            X = data()
            ways = {"gpucluster.learn": ours(), "cuml.dask": direct(client), "own algorithms": own()}
            for name in PASSES:
                times: dict[str, list[float]] = {label: [] for label in ways}
                for run in range(REPEATS + 1):
                    for label, fits in ways.items():
                        began = time.perf_counter()
                        fits[name](X)
                        if run:  # the first one compiles kernels and makes communicators
                            times[label].append(time.perf_counter() - began)
                medians = {label: statistics.median(each) for label, each in times.items()}
                least = PASSES[name] * 4 * ROWS * COLUMNS / bandwidth
                found[name] = {
                    "seconds": times,
                    "median": medians,
                    "ratio": medians["gpucluster.learn"] / medians["cuml.dask"],
                    "roofline_share": {label: least / seconds for label, seconds in medians.items()},
                }
                write_json(file, found)
                print(name, found[name]["median"], f"ratio {found[name]['ratio']:.2f}", flush=True)
        finally:
            client.close()
    return found


def data() -> Any:
    """Return the random rows as a Dask array whose blocks are on the device."""
    import cupy
    import dask.array as da
    from dask.delayed import delayed
    from distributed import wait

    shape, meta = (ROWS // BLOCKS, COLUMNS), cupy.empty((0, COLUMNS), dtype="float32")
    blocks = [
        da.from_delayed(delayed(rows)(seed, shape[0]), shape, dtype="float32", meta=meta) for seed in range(BLOCKS)
    ]
    X = da.concatenate(blocks).persist()
    wait(X)
    return X


def sampling() -> dict[str, Any]:
    """Time k-means while nobody looks at the gauges and while some do, in turn."""
    seconds: dict[str, list[float]] = {"nobody looks": [], f"{VIEWERS} viewers": []}
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

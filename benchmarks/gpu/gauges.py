"""Whether the gauges tell the truth: allocate known amounts, and compare every figure with NVML's and RMM's own.

Each step allocates in one place (a worker through RMM, CuPy or plain ``cudaMalloc``; this process, which is not of the
cluster; results that Dask keeps), waits for the next sample, and writes down what was expected to change by how much,
and what did.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import gpucluster
from gpucluster.client.cluster import Cluster

from .clusters import own_registry
from .devicememory import occupation
from .piece import write_json

MIB = 2**20
ALLOCATED = 512 * MIB
TOLERANCE = 64 * MIB
"""Contexts and modules that CUDA loads at first use count as used memory too."""
POOL = 2048 * MIB
FIGURES = (
    "vram_used_bytes",
    "vram_cluster_bytes",
    "rmm_used_bytes",
    "rmm_pool_bytes",
    "tier_device_bytes",
    "tier_host_bytes",
    "cudf_spilled_bytes",
    "gpu_utilization_percent",
)
_held: dict[str, Any] = {}
"""What is allocated in this process: in a worker or in the one that measures."""


@dataclass(frozen=True)
class Step:
    """One allocation.

    Attributes
    ----------
    name : str
    expected : dict
        By how many bytes which figure rises.
    before, after : dict
        The gauges' figures; ``None`` where there is none.
    nvml_bytes : int
        By how much NVML's own figure of the device rose.
    wrong : list of str
        Figures that did not rise as expected.
    """

    name: str
    expected: dict[str, int]
    before: dict[str, float | None]
    after: dict[str, float | None]
    nvml_bytes: int
    wrong: list[str]


def by_rmm() -> None:
    """Allocate through RMM."""
    import rmm

    _held["rmm"] = rmm.DeviceBuffer(size=ALLOCATED)


def by_cupy() -> None:
    """Allocate by CuPy's own pool, past RMM."""
    import cupy

    with cupy.cuda.using_allocator(cupy.cuda.MemoryPool().malloc):
        _held["cupy"] = cupy.empty(ALLOCATED, dtype="u1")


def by_cuda_malloc() -> None:
    """Allocate by ``cudaMalloc``, past all pools."""
    import cupy

    _held["malloc"] = cupy.cuda.Memory(ALLOCATED)


def let_go() -> None:
    """Free everything that was allocated in this process."""
    _held.clear()


def begin() -> None:
    """Make the context, so that it is not counted with the first allocation."""
    import cupy

    cupy.cuda.runtime.free(0)
    cupy.arange(10).sum().item()


def kept_result() -> Any:
    """Return an array that Dask keeps as a result."""
    import cupy

    return cupy.ones(ALLOCATED // 8, dtype="f8")


def figures(cluster: Cluster) -> dict[str, float | None]:
    """Return the gauges' figures of the one worker, from a sample that was made after this call."""
    earliest = time.time()
    while True:
        sample = cluster.telemetry()
        if sample.workers and _taken_at(sample) > earliest + 1:
            return {name: sample.column(name)[0] for name in FIGURES}
        time.sleep(0.2)


def _taken_at(sample: Any) -> float:
    age = sample.column("age_seconds")[0] or 0.0
    return datetime.fromisoformat(sample.at).timestamp() - age


def step(cluster: Cluster, name: str, act: Callable[[], Any], expected: dict[str, int]) -> Step:
    """Do one allocation and compare."""
    before, nvml = figures(cluster), occupation().used_bytes
    act()
    after, nvml_after = figures(cluster), occupation().used_bytes
    wrong = []
    for figure, rise in expected.items():
        first, second = before[figure], after[figure]
        if second is None or abs((second - (first or 0)) - rise) > TOLERANCE:
            wrong.append(figure)
    done = Step(name, expected, before, after, nvml_after - nvml, wrong)
    print(name, "wrong:" if wrong else "right", *wrong, flush=True)
    return done


@contextmanager
def cluster_with(**options: Any) -> Iterator[tuple[Cluster, Any]]:
    """Give a cluster with one GPU worker that has its context, and a client."""
    cluster = gpucluster.create("cuda", n_workers=1, **options)
    try:
        client = cluster.get_client()
        try:
            client.submit(begin, pure=False).result(timeout=120)
            yield cluster, client
        finally:
            client.close()
    finally:
        cluster.stop()


def in_worker(client: Any, work: Callable[[], Any]) -> Callable[[], Any]:
    """Return what does some work in the worker."""
    return lambda: client.submit(work, pure=False).result(timeout=120)


def compare() -> list[Step]:
    """Go through all steps, with a tracked pool and without one."""
    found = []
    with cluster_with() as (cluster, client):
        both = {"vram_used_bytes": ALLOCATED, "vram_cluster_bytes": ALLOCATED}
        found.append(step(cluster, "worker, cudaMalloc", in_worker(client, by_cuda_malloc), both))
        found.append(step(cluster, "worker, CuPy's pool", in_worker(client, by_cupy), both))
        gone = {name: -2 * rise for name, rise in both.items()}
        found.append(step(cluster, "worker, all freed", in_worker(client, let_go), gone))
        begin()
        others = {"vram_used_bytes": ALLOCATED, "vram_cluster_bytes": 0}
        found.append(step(cluster, "this process, cudaMalloc", by_cuda_malloc, others))
        found.append(step(cluster, "this process, freed", let_go, {"vram_used_bytes": -ALLOCATED}))
        kept: list[Any] = []
        keep = lambda: kept.append(_finished(client.submit(kept_result, pure=False)))  # noqa: E731
        found.append(step(cluster, "a result that Dask keeps", keep, {"tier_device_bytes": ALLOCATED}))
        kept.clear()
    with cluster_with(rmm_pool_size=POOL, rmm_maximum_pool_size=POOL) as (cluster, client):
        within = {"rmm_used_bytes": ALLOCATED, "rmm_pool_bytes": 0, "vram_used_bytes": 0}
        found.append(step(cluster, "worker, RMM, tracked pool", in_worker(client, by_rmm), within))
        outside = {"rmm_used_bytes": 0, "vram_used_bytes": ALLOCATED}
        found.append(step(cluster, "worker, cudaMalloc beside the pool", in_worker(client, by_cuda_malloc), outside))
    with cluster_with(rmm_async=True, rmm_maximum_pool_size=POOL) as (cluster, client):
        found.append(step(cluster, "worker, RMM, async", in_worker(client, by_rmm), {"rmm_used_bytes": ALLOCATED}))
    with cluster_with(device_memory_limit=ALLOCATED * 2) as (cluster, client):
        results: list[Any] = []

        def four() -> None:
            results.extend(_finished(client.submit(kept_result, pure=False)) for _ in range(4))

        found.append(step(cluster, "four results, room for two", four, {"tier_host_bytes": 2 * ALLOCATED}))
        results.clear()
    return found


def _finished(future: Any) -> Any:
    from distributed import wait

    wait(future, timeout=120)
    return future


def table(steps: list[Step]) -> str:
    """Return the comparison as a table in Markdown."""
    lines = ["| Allocation | Figure | Expected | Gauge | NVML, device | |", "|---|---|---|---|---|---|"]
    for each in steps:
        for figure, rise in each.expected.items():
            first, second = each.before[figure], each.after[figure]
            told = "none" if second is None else f"{(second - (first or 0)) / MIB:+,.0f} MiB"
            verdict = "differs" if figure in each.wrong else ""
            name = figure.removesuffix("_bytes").replace("_", " ")
            nvml = f"{each.nvml_bytes / MIB:+,.0f} MiB"
            lines.append(f"| {each.name} | {name} | {rise / MIB:+,.0f} MiB | {told} | {nvml} | {verdict} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Compare, write figures and table, and fail if a gauge differs."""
    parser = argparse.ArgumentParser(description="Compare the gauges with known allocations.")
    parser.add_argument("--figures", type=Path, required=True)
    options = parser.parse_args()
    with own_registry(preload=False):
        steps = compare()
    write_json(options.figures, [asdict(each) for each in steps])
    options.figures.with_name("gauges.md").write_text(table(steps), encoding="utf-8")
    return 1 if any(each.wrong for each in steps) else 0


if __name__ == "__main__":
    raise SystemExit(main())

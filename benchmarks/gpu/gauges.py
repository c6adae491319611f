"""Whether the gauges tell the truth: allocate known amounts, and compare every figure with NVML's and RMM's own.

Each step allocates in one place (a worker through RMM, CuPy or plain ``cudaMalloc``; this process, which is not of the
cluster; results that Dask keeps), waits for the next sample, and writes down what was expected to change by how much,
what did, and what NVML and RMM say themselves. The last step keeps the GPU busy.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, cast

import gpucluster
from gpucluster.client.cluster import Cluster

from .clusters import own_registry
from .devicememory import occupation, utilization_percent
from .piece import write_json
from .watching import watched

MIB = 2**20
SIZE = 512 * MIB
TOLERANCE = 64 * MIB
"""Contexts and modules that CUDA loads at first use count as used memory too."""
POOL = 2048 * MIB
BUSY_SECONDS = 20
"""Longer than it takes until a sample is settled, even when NVML answers slowly."""
BUSY_BEFORE_SECONDS = 4
SETTLED_SECONDS = 2.5
"""A sample must show an allocation within this time: a slow NVML answer comes with the next sample."""
PATIENCE_SECONDS = 30.0
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
    rmm_bytes : int or None
        By how much RMM's own figure of the worker rose; ``None`` where it keeps none.
    wrong : list of str
        Figures that did not rise as expected.
    untold : list of str
        Figures that are not available here: in containers, drivers do not report the memory of each process.
    """

    name: str
    expected: dict[str, int]
    before: dict[str, float | None]
    after: dict[str, float | None]
    nvml_bytes: int
    rmm_bytes: int | None
    wrong: list[str]
    untold: list[str]


def by_rmm() -> None:
    """Allocate through RMM."""
    import rmm

    _held["rmm"] = rmm.DeviceBuffer(size=SIZE)


def by_cupy() -> None:
    """Allocate by CuPy's own pool, past RMM."""
    import cupy

    with cupy.cuda.using_allocator(cupy.cuda.MemoryPool().malloc):
        _held["cupy"] = cupy.empty(SIZE, dtype="u1")


def by_cuda_malloc() -> None:
    """Allocate by ``cudaMalloc``, past all pools."""
    import cupy

    _held["malloc"] = cupy.cuda.Memory(SIZE)


def by_cudf_spill() -> None:
    """Make a data frame, and let cuDF move it to host memory."""
    import cudf
    import cupy
    from cudf.core.buffer.spill_manager import get_global_manager

    _held["frame"] = cudf.DataFrame({"x": cupy.ones(SIZE // 8)})
    get_global_manager().spill_to_device_limit(device_limit=0)


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

    return cupy.ones(SIZE // 8, dtype="f8")


def rmm_allocated() -> int | None:
    """Return the bytes that are allocated in this worker, as RMM itself counts them; ``None`` where it does not."""
    from rmm import mr

    resource = mr.get_current_device_resource()
    while resource is not None:
        if isinstance(resource, mr.TrackingResourceAdaptor):
            return int(resource.get_allocated_bytes())
        resource = getattr(resource, "upstream_mr", None)
    return None


def busy() -> None:
    """Keep the GPU busy until NVML's mean over a second is 100 %."""
    import cupy

    factor = cupy.ones((2048, 2048), dtype="f4")
    end = time.monotonic() + BUSY_SECONDS
    while time.monotonic() < end:
        for _ in range(50):
            factor @ factor
        cupy.cuda.runtime.deviceSynchronize()


def figures(cluster: Cluster) -> dict[str, float | None]:
    """Return the gauges' figures of the one worker, from a sample that was made after this call."""
    earliest = time.time()
    while time.time() < earliest + PATIENCE_SECONDS:
        sample = cluster.telemetry()
        if sample.workers and _taken_at(sample) > earliest + SETTLED_SECONDS:
            return {name: cast("float | None", sample.column(name)[0]) for name in FIGURES}
        time.sleep(0.2)
    raise TimeoutError(f"No sample of a worker came within {PATIENCE_SECONDS:.0f} s.")


def _taken_at(sample: Any) -> float:
    age = sample.column("age_seconds")[0] or 0.0
    return datetime.fromisoformat(sample.at).timestamp() - age


class Comparison:
    """Steps on one cluster.

    Parameters
    ----------
    cluster : Cluster
        With one worker.
    client : distributed.Client
    steps : list of Step
        Is added to.
    """

    def __init__(self, cluster: Cluster, client: Any, steps: list[Step]) -> None:
        self.cluster = cluster
        self._client = client
        self._steps = steps
        self._tells_processes = occupation().by_pid.get(self.in_worker(os.getpid)) is not None

    def in_worker(self, work: Callable[[], Any]) -> Any:
        """Do some work in the worker."""
        return self._client.submit(work, pure=False).result(timeout=120)

    def keep(self) -> Any:
        """Return a future of a result that Dask keeps as long as the future exists."""
        from distributed import wait

        future = self._client.submit(kept_result, pure=False)
        wait(future, timeout=120)
        return future

    def worker_step(self, name: str, work: Callable[[], Any], **expected: int) -> None:
        """Do one allocation in the worker, and compare; ``expected``: by how many bytes each figure rises."""
        self.step(name, lambda: self.in_worker(work), **expected)

    def step(self, name: str, act: Callable[[], Any], **expected: int) -> None:
        """Do one allocation from here, and compare."""
        before, nvml, rmm = figures(self.cluster), occupation().used_bytes, self.in_worker(rmm_allocated)
        act()
        after, nvml_after, rmm_after = figures(self.cluster), occupation().used_bytes, self.in_worker(rmm_allocated)
        wrong: list[str] = []
        untold: list[str] = []
        for figure, rise in expected.items():
            first, second = before[figure], after[figure]
            if figure == "vram_cluster_bytes" and not self._tells_processes:
                (untold if second is None else wrong).append(figure)
            elif second is None or abs((second - (first or 0)) - rise) > TOLERANCE:
                wrong.append(figure)
        own = None if rmm is None or rmm_after is None else rmm_after - rmm
        self._steps.append(Step(name, expected, before, after, nvml_after - nvml, own, wrong, untold))
        print(name, "wrong:" if wrong else "right", *wrong, flush=True)

    def utilization(self) -> dict[str, float | None]:
        """Return the gauge's utilization of the idle and of the busy GPU, and NVML's own, in per cent."""
        idle, nvml_idle = figures(self.cluster)["gpu_utilization_percent"], utilization_percent()
        task = self._client.submit(busy, pure=False)
        time.sleep(BUSY_BEFORE_SECONDS)
        found, nvml = figures(self.cluster)["gpu_utilization_percent"], utilization_percent()
        assert not task.done(), "the task has ended before the GPU was looked at"
        task.result(timeout=120)
        return {"idle": idle, "idle, NVML": nvml_idle, "busy": found, "busy, NVML": nvml}


@contextmanager
def cluster_with(steps: list[Step], **options: Any) -> Iterator[Comparison]:
    """Give a cluster with one GPU worker that has its context."""
    with gpucluster.create("cuda", n_workers=1, **options) as cluster:
        client = cluster.get_client()
        try:
            client.submit(begin, pure=False).result(timeout=120)
            with watched(cluster):
                yield Comparison(cluster, client, steps)
        finally:
            client.close()


def plain(steps: list[Step]) -> dict[str, float | None]:
    """Allocate inside and outside a worker that has no pool; return the utilization."""
    with cluster_with(steps) as on:
        on.worker_step("worker, cudaMalloc", by_cuda_malloc, vram_used_bytes=SIZE, vram_cluster_bytes=SIZE)
        on.worker_step("worker, CuPy's pool", by_cupy, vram_used_bytes=SIZE, vram_cluster_bytes=SIZE)
        on.worker_step("worker, all freed", let_go, vram_used_bytes=-2 * SIZE, vram_cluster_bytes=-2 * SIZE)
        begin()
        on.step("this process, cudaMalloc", by_cuda_malloc, vram_used_bytes=SIZE, vram_cluster_bytes=0)
        on.step("this process, freed", let_go, vram_used_bytes=-SIZE, vram_cluster_bytes=0)
        kept: list[Any] = []
        on.step("a result that Dask keeps", lambda: kept.append(on.keep()), tier_device_bytes=SIZE)
        kept.clear()
        return on.utilization()


def pooled(steps: list[Step]) -> None:
    """Allocate in a worker with a tracked pool, and in one with asynchronous allocation."""
    with cluster_with(steps, rmm_pool_size=POOL, rmm_maximum_pool_size=POOL) as on:
        on.worker_step("worker, RMM, tracked pool", by_rmm, rmm_used_bytes=SIZE, rmm_pool_bytes=0, vram_used_bytes=0)
        on.worker_step("worker, cudaMalloc beside the pool", by_cuda_malloc, rmm_used_bytes=0, vram_used_bytes=SIZE)
    with cluster_with(steps, rmm_async=True, rmm_maximum_pool_size=POOL) as on:
        on.worker_step("worker, RMM, async", by_rmm, rmm_used_bytes=SIZE)


def spilled(steps: list[Step]) -> None:
    """Let Dask, and cuDF, move results to host memory."""
    with cluster_with(steps, device_memory_limit=2 * SIZE) as on:
        results: list[Any] = []
        fill = lambda: results.extend(on.keep() for _ in range(4))  # noqa: E731
        on.step("four results, room for two", fill, tier_host_bytes=2 * SIZE)
        results.clear()
    with cluster_with(steps, enable_cudf_spill=True, cudf_spill_stats=1) as on:
        on.worker_step("worker, a frame that cuDF spills", by_cudf_spill, cudf_spilled_bytes=SIZE)


def tells_load(found: dict[str, float | None]) -> bool:
    """Return whether the gauge distinguishes an idle GPU from a busy one, and agrees with NVML about the busy one."""
    idle, busy_one, nvml = found.get("idle"), found.get("busy"), found.get("busy, NVML")
    return None not in (idle, busy_one, nvml) and idle <= 20 and abs(busy_one - nvml) <= 20 and busy_one >= 50  # type: ignore[operator]


def table(steps: list[Step]) -> str:
    """Return the comparison as a table in Markdown."""
    lines = ["| Allocation | Figure | Expected | Gauge | NVML, device | RMM | |", "|---|---|---|---|---|---|---|"]
    for each in steps:
        for figure, rise in each.expected.items():
            first, second = each.before[figure], each.after[figure]
            told = "none" if second is None else f"{(second - (first or 0)) / MIB:+,.0f} MiB"
            verdict = "differs" if figure in each.wrong else "the driver does not tell" if figure in each.untold else ""
            name = figure.removesuffix("_bytes").replace("_", " ")
            nvml = f"{each.nvml_bytes / MIB:+,.0f} MiB"
            rmm = "" if each.rmm_bytes is None else f"{each.rmm_bytes / MIB:+,.0f} MiB"
            lines.append(f"| {each.name} | {name} | {rise / MIB:+,.0f} MiB | {told} | {nvml} | {rmm} | {verdict} |")
    return "\n".join(lines) + "\n"


def page(steps: list[Step], load: dict[str, float | None], smi: tuple[int, int], troubles: list[str]) -> str:
    """Return the table, and below it the utilization, nvidia-smi's own figure, and what failed."""
    told = ", ".join(f"{name} {'none' if each is None else f'{each:.0f} %'}" for name, each in load.items())
    lines = [
        table(steps),
        f"Utilization: {told or 'not measured'}.",
        f"Used memory before, as `nvidia-smi` tells it: {smi[0] / MIB:,.0f} MiB; as we do: {smi[1] / MIB:,.0f} MiB.",
        *(f"Failed: {trouble}" for trouble in troubles),
    ]
    return "\n\n".join(lines) + "\n"


def nvidia_smi() -> tuple[int, int]:
    """Return the used bytes of the first GPU as ``nvidia-smi`` and as we report them."""
    query = ["nvidia-smi", "--id=0", "--query-gpu=memory.used", "--format=csv,noheader,nounits"]
    told = subprocess.run(query, capture_output=True, text=True, check=True, timeout=60).stdout
    return int(told.strip()) * MIB, occupation().used_bytes


def main() -> int:
    """Compare, write figures and table, and fail if a gauge differs."""
    parser = argparse.ArgumentParser(description="Compare the gauges with known allocations.")
    parser.add_argument("--figures", type=Path, required=True)
    options = parser.parse_args()
    steps: list[Step] = []
    load: dict[str, float | None] = {}
    troubles: list[str] = []
    smi = nvidia_smi()
    with own_registry():
        for part in (plain, pooled, spilled):
            try:
                load = part(steps) or load
            except Exception as error:  # the other parts are worth having
                troubles.append(f"{part.__name__}: {type(error).__name__}: {error}")
                print(troubles[-1], flush=True)
            found = {"steps": [asdict(each) for each in steps], "utilization_percent": load, "troubles": troubles}
            write_json(options.figures, {**found, "before": {"nvidia-smi": smi[0], "NVML": smi[1]}})
            options.figures.with_name("gauges.md").write_text(page(steps, load, smi, troubles), encoding="utf-8")
    right = not troubles and not any(each.wrong for each in steps) and tells_load(load)
    return 0 if right and abs(smi[0] - smi[1]) <= TOLERANCE else 1


if __name__ == "__main__":
    # By its own name: workers then import this module, and keep in it what they hold.
    from benchmarks.gpu.gauges import main as main_by_name

    raise SystemExit(main_by_name())

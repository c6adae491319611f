"""One sampler per cluster: reads what the workers' heartbeats have brought to the scheduler.

Nothing is asked of the workers, and nothing is sampled unless somebody looks.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any

from ..protocol.telemetry import TelemetrySample
from ..registry.store import now

if TYPE_CHECKING:
    from distributed import Scheduler

INTERVAL_SECONDS = 1.0


def _number(metrics: Mapping[str, Any], key: str) -> int | None:
    value = metrics.get(key)
    return int(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _share(metrics: Mapping[str, Any], key: str) -> float | None:
    value = metrics.get(key)
    return round(float(value), 1) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def take_sample(scheduler: Scheduler, cluster_id: str) -> TelemetrySample:
    """Read all workers' last heartbeats.

    A figure that a worker does not measure is ``None``. Three honest states of RMM: no pool figure (no RMM), a
    pool without a used figure (allocations are not tracked), both.
    """
    clock = time.time()
    workers = sorted(scheduler.workers.values(), key=lambda worker: str(worker.name))
    columns: defaultdict[str, list[Any]] = defaultdict(list)
    for worker in workers:
        metrics: Mapping[str, Any] = worker.metrics or {}
        rmm = metrics.get("rmm")
        rmm = rmm if isinstance(rmm, Mapping) else {}
        on_gpu = _number(metrics, "gpu_memory_used") is not None
        spilled = metrics.get("spilled_bytes")
        columns["workers"].append(str(worker.name))
        columns["age_seconds"].append(round(max(0.0, clock - worker.last_seen), 2))
        columns["memory_bytes"].append(_number(metrics, "memory"))
        columns["memory_limit_bytes"].append(worker.memory_limit or None)
        # Dask's figure is always 0 for CUDA workers, whose spilled data is elsewhere: not measured.
        columns["tier_disk_bytes"].append(
            _number(spilled, "disk") if isinstance(spilled, Mapping) and not on_gpu else None
        )
        columns["cpu_percent"].append(_share(metrics, "cpu"))
        columns["n_threads"].append(worker.nthreads)
        columns["processing"].append(len(worker.processing))
        columns["vram_used_bytes"].append(_number(metrics, "gpu_memory_used"))
        columns["vram_total_bytes"].append(_number(metrics, "gpu-memory-total"))
        columns["gpu_utilization_percent"].append(_share(metrics, "gpu_utilization"))
        pool = _number(rmm, "rmm-total") or None
        columns["rmm_pool_bytes"].append(pool)
        columns["rmm_used_bytes"].append(
            (_number(rmm, "rmm-used") or None) if pool is None else _number(rmm, "rmm-used")
        )
    tasks: Counter[str] = Counter()
    for prefix in scheduler.task_prefixes.values():
        tasks.update({state: number for state, number in prefix.states.items() if number})
    return TelemetrySample(id=cluster_id, at=now(), tasks=dict(tasks), **columns)


class Sampler:
    """Samples once a second while somebody listens.

    Parameters
    ----------
    scheduler : distributed.Scheduler
    cluster_id : str
    """

    def __init__(self, scheduler: Scheduler, cluster_id: str) -> None:
        self._scheduler = scheduler
        self._id = cluster_id
        self._latest: TelemetrySample | None = None
        self._changed = asyncio.Condition()
        self._listeners = 0
        self._task: asyncio.Task[None] | None = None

    async def listen(self) -> AsyncIterator[TelemetrySample]:
        """Yield samples. A slow listener misses some; it always gets the newest next."""
        self._listeners += 1
        if self._task is None:
            self._task = asyncio.create_task(self._run())
        try:
            while True:
                async with self._changed:
                    await self._changed.wait()
                    sample = self._latest
                if sample is not None:
                    yield sample
        finally:
            self._listeners -= 1
            if not self._listeners and self._task is not None:
                self._task.cancel()
                self._task = None

    async def _run(self) -> None:
        while True:
            sample = take_sample(self._scheduler, self._id)
            async with self._changed:
                self._latest = sample
                self._changed.notify_all()
            await asyncio.sleep(INTERVAL_SECONDS)

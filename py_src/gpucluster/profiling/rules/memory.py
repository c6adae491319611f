"""Rules about memory: spilling, workers close to their limit, and fragmentation."""

from __future__ import annotations

import re

from ...protocol.durations import seconds
from ...protocol.sizes import MEBIBYTE, format_size
from ..model import Finding, ReportFigures, share
from .gpu import on_gpu

SPILLED_BYTES = 64 * MEBIBYTE  # Less is written quickly.
PRESSURE_SHARE = 0.8  # Above this share of its limit, a Dask worker pauses by default.
FREE_SHARE = 0.1  # An allocation failed although at least this share of GPU memory was always free.
_EXHAUSTED = re.compile(r"out[_ ]?of[_ ]?memory|MemoryError|bad_alloc|cudaErrorMemoryAllocation", re.IGNORECASE)


def spilling(report: ReportFigures) -> Finding | None:
    """``SPILLED_BYTES`` or more went to host memory or disk to make room."""
    spilled = report.spilled_bytes
    if spilled is None or spilled < SPILLED_BYTES:
        return None
    waited = f" Reading it back and writing took {seconds(report.disk_seconds)}." if report.disk_seconds else ""
    gpu = any(worker.vram_total_bytes for worker in report.workers)
    where = "out of GPU memory or to disk" if gpu else "to disk"
    more = " Data frames on GPUs spill best with enable_cudf_spill=True." if gpu else ""
    return Finding(
        rule="spilling",
        title="Results were spilled",
        evidence=f"{format_size(spilled)} were moved {where} because memory ran short.{waited}",
        advice="Use smaller partitions, more workers or more memory each, drop what is not needed (del, persist less), "
        f"and choose narrower types.{more}",
    )


def memory_pressure(report: ReportFigures) -> Finding | None:
    """A worker that reached ``PRESSURE_SHARE`` of its memory limit despite spilling."""
    tight = [
        worker
        for worker in report.workers
        if worker.memory_limit_bytes
        and worker.peak_memory_bytes
        and worker.peak_memory_bytes >= PRESSURE_SHARE * worker.memory_limit_bytes
    ]
    if not tight:
        return None
    worst = max(tight, key=lambda worker: (worker.peak_memory_bytes or 0) / (worker.memory_limit_bytes or 1))
    assert worst.peak_memory_bytes is not None and worst.memory_limit_bytes is not None
    used = worst.peak_memory_bytes / worst.memory_limit_bytes
    return Finding(
        rule="memory_pressure",
        title="Workers were close to their memory limit",
        evidence=f"{len(tight)} of {len(report.workers)} workers used {share(PRESSURE_SHARE)} of their host memory or "
        f"more; {worst.title} {format_size(worst.peak_memory_bytes)} of {format_size(worst.memory_limit_bytes)} "
        f"({share(used)}). Dask pauses such a worker, and terminates it at 95 %.",
        advice="Use smaller partitions, fewer threads per worker, or a larger memory_limit.",
    )


def out_of_memory(report: ReportFigures) -> Finding | None:
    """Tasks ran out of memory; on a GPU with ``FREE_SHARE`` free, that is fragmentation."""
    texts = [text for text in report.failures.values() if _EXHAUSTED.search(text)]
    if not texts:
        return None
    free = [
        (worker, worker.vram_total_bytes - worker.peak_vram_bytes)
        for worker in on_gpu(report)
        if worker.vram_total_bytes and worker.peak_vram_bytes is not None
    ]
    roomy = [(worker, room) for worker, room in free if room >= FREE_SHARE * (worker.vram_total_bytes or 0)]
    if roomy and len(roomy) == len(free):
        worker, room = min(roomy, key=lambda item: item[1])
        pool = any(worker.peak_rmm_pool_bytes for worker, _ in free)
        evidence = f"{texts[0]}. Yet {worker.title} had at least {format_size(room)} of GPU memory free."
        if not pool:
            advice = (
                "Many small allocations leave gaps, and one large allocation may be more than is free. Create the "
                "cluster with an RMM pool (rmm_pool_size='80%'), and make partitions smaller."
            )
        else:
            advice = "The pool may be full or in pieces: make it larger (rmm_maximum_pool_size), use rmm_async=True, "
            advice += "or make partitions smaller."
        return Finding(rule="fragmentation", title="Out of memory with memory free", evidence=evidence, advice=advice)
    return Finding(
        rule="out_of_memory",
        title="Out of memory",
        evidence=f"Tasks ran out of memory: {texts[0]}",
        advice="Make partitions smaller, let data frames spill (enable_cudf_spill=True), or use more workers.",
    )

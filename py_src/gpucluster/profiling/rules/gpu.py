"""Rules about GPUs: waiting, small kernels, memory that is there but cannot be had."""

from __future__ import annotations

import re

from ...protocol.sizes import format_size
from ..model import Finding, WorkerFigures
from ..report import ProfileReport
from ..units import share

LOW_UTILIZATION_PERCENT = 50.0
"""Below this mean the GPUs wait, though tasks run …"""
BUSY_SHARE = 0.5
"""… on threads that are busy for at least this share of the time."""
HIGH_UTILIZATION_PERCENT = 70.0
"""A kernel ran nearly always …"""
LOW_POWER_SHARE = 0.4
"""… but the GPU drew less than this share of its power limit: the kernels filled little of it."""
FREE_SHARE = 0.1
"""An allocation failed though at least this share of the GPU's memory was free at its fullest."""
_SECONDS = 2.0
_EXHAUSTED = re.compile(r"out[_ ]?of[_ ]?memory|MemoryError|bad_alloc|cudaErrorMemoryAllocation", re.IGNORECASE)


def _on_gpu(report: ProfileReport) -> list[WorkerFigures]:
    return [worker for worker in report.workers if worker.vram_total_bytes]


def gpu_waits(report: ProfileReport) -> Finding | None:
    """GPUs below ``LOW_UTILIZATION_PERCENT`` while the workers' threads are busy."""
    mean, submitted = report.mean_gpu_utilization_percent, report.submitted_seconds
    if mean is None or not submitted or submitted < _SECONDS:
        return None
    # Kernels run for tasks: the time without any is not the GPUs'.
    busy = min(100.0, mean * report.wall_seconds / submitted)
    if busy >= LOW_UTILIZATION_PERCENT or report.idle_share is None or 1 - report.idle_share < BUSY_SHARE:
        return None
    return Finding(
        rule="gpu_waits",
        title="The GPUs wait",
        evidence=f"While there were tasks, a kernel ran on the GPUs {busy:.0f} % of the time, and the workers' threads "
        f"were busy {share(1 - report.idle_share)} of it.",
        advice="The tasks spend their time elsewhere: on the CPU (numpy, pandas, Python loops), on loading, or on "
        "copies over PCIe. Keep data on the GPU (cuDF, CuPy), read with cuDF or DALI, and prefetch.",
    )


def busy_gpu_at_low_power(report: ProfileReport) -> Finding | None:
    """GPUs above ``HIGH_UTILIZATION_PERCENT`` that draw less than ``LOW_POWER_SHARE`` of their power limit."""
    found = [
        (worker, worker.mean_gpu_power_watts / worker.gpu_power_limit_watts)
        for worker in _on_gpu(report)
        if worker.mean_gpu_power_watts
        and worker.gpu_power_limit_watts
        and (worker.mean_gpu_utilization_percent or 0) >= HIGH_UTILIZATION_PERCENT
    ]
    low = [(worker, power) for worker, power in found if power < LOW_POWER_SHARE]
    if not low or report.wall_seconds < _SECONDS:
        return None
    worker, power = min(low, key=lambda item: item[1])
    return Finding(
        rule="small_kernels",
        title="The GPUs are busy with little",
        evidence=f"{len(low)} of {len(_on_gpu(report))} GPUs ran kernels nearly all the time, but at low power: "
        f"worker {worker.name} {worker.mean_gpu_utilization_percent:.0f} % of the time with {share(power)} of its "
        "power limit.",
        advice="Utilization says that a kernel ran, not that it filled the GPU. Use larger partitions or batches, "
        "float32 where it suffices, and fewer, larger operations. Nsight Compute shows a kernel's occupancy.",
    )


def out_of_memory(report: ProfileReport) -> Finding | None:
    """Tasks failed for want of memory; on a GPU with ``FREE_SHARE`` free, that is fragmentation."""
    texts = [text for text in report.failures.values() if _EXHAUSTED.search(text)]
    if not texts:
        return None
    free = [
        (worker, worker.vram_total_bytes - worker.peak_vram_bytes)
        for worker in _on_gpu(report)
        if worker.vram_total_bytes and worker.peak_vram_bytes is not None
    ]
    roomy = [(worker, room) for worker, room in free if room >= FREE_SHARE * (worker.vram_total_bytes or 0)]
    if roomy and len(roomy) == len(free):
        worker, room = min(roomy, key=lambda item: item[1])
        pool = any(worker.peak_rmm_pool_bytes for worker, _ in free)
        evidence = f"{texts[0]}. Yet worker {worker.name} had at least {format_size(room)} of GPU memory free."
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
        evidence=f"Tasks failed for want of memory: {texts[0]}",
        advice="Make partitions smaller, let data frames spill (enable_cudf_spill=True), or use more workers.",
    )

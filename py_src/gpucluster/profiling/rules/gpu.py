"""Rules about GPUs: waiting and small kernels."""

from __future__ import annotations

from ..model import Finding, ReportFigures, WorkerFigures, share

LOW_UTILIZATION_PERCENT = 50.0  # Below this mean the GPUs wait although tasks run …
BUSY_SHARE = 0.5  # … on threads that are busy for at least this share of the time.
HIGH_UTILIZATION_PERCENT = 70.0  # A kernel ran nearly always …
LOW_POWER_SHARE = 0.4  # … but drew less than this share of the power limit: the kernels used little of the GPU.
_SECONDS = 2.0


def on_gpu(report: ReportFigures) -> list[WorkerFigures]:
    return [worker for worker in report.workers if worker.vram_total_bytes]


def gpu_waits(report: ReportFigures) -> Finding | None:
    """GPUs below ``LOW_UTILIZATION_PERCENT`` while the workers' threads are busy."""
    mean, submitted = report.mean_gpu_utilization_percent, report.submitted_seconds
    if mean is None or not submitted or submitted < _SECONDS:
        return None
    # Without the time that had no tasks.
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


def busy_gpu_at_low_power(report: ReportFigures) -> Finding | None:
    """GPUs above ``HIGH_UTILIZATION_PERCENT`` that draw less than ``LOW_POWER_SHARE`` of their power limit."""
    found = [
        (worker, worker.mean_gpu_power_watts / worker.gpu_power_limit_watts)
        for worker in on_gpu(report)
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
        title="The GPUs are busy but underused",
        evidence=f"{len(low)} of {len(on_gpu(report))} GPUs ran kernels nearly all the time, but at low power: "
        f"{worker.title} {worker.mean_gpu_utilization_percent:.0f} % of the time with {share(power)} of its "
        "power limit.",
        advice="Utilization shows that a kernel ran, not that it filled the GPU. Use larger partitions or batches, "
        "float32 where it suffices, and fewer, larger operations. Nsight Compute shows a kernel's occupancy.",
    )

"""Rules about memory: spilling, and workers close to their limit."""

from __future__ import annotations

from ...protocol.sizes import MEBIBYTE, format_size
from ..model import Finding
from ..report import ProfileReport
from ..units import seconds, share

SPILLED_BYTES = 64 * MEBIBYTE
"""Less than this is written in a moment."""
PRESSURE_SHARE = 0.8
"""Above this share of its memory limit, a Dask worker pauses by default: it starts no new task."""


def spilling(report: ProfileReport) -> Finding | None:
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


def memory_pressure(report: ProfileReport) -> Finding | None:
    """A worker that came to ``PRESSURE_SHARE`` of its memory limit, where spilling did not help."""
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
        f"more; worker {worst.name} {format_size(worst.peak_memory_bytes)} of "
        f"{format_size(worst.memory_limit_bytes)} ({share(used)}). Dask pauses such a worker, and ends it at 95 %.",
        advice="Use smaller partitions, fewer threads per worker, or a larger memory_limit.",
    )

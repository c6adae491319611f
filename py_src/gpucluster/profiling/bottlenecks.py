"""Find bottlenecks: apply all rules to a report, in order of importance."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from ..protocol.durations import seconds
from ..protocol.sizes import format_size
from .model import Finding, ReportFigures, share
from .rules import gpu, memory, tasks, traffic
from .rules.tasks import SHORT_SECONDS

Rule: TypeAlias = Callable[[ReportFigures], Finding | None]

IDLE_SHARE = 0.5  # Workers idle for more of the time are underused.
BUSY_CORES_SHARE = 0.8  # Cores busier than this have no room for more workers.

RULES: tuple[Rule, ...] = (
    tasks.lost_workers, memory.out_of_memory, tasks.failed_tasks, tasks.busy_machine, memory.spilling,
    memory.memory_pressure, tasks.imports, tasks.tiny_tasks, tasks.few_partitions, tasks.skew, traffic.to_notebook,
    traffic.between_workers, traffic.from_notebook, tasks.data_loading, gpu.gpu_waits, gpu.busy_gpu_at_low_power,
    traffic.hardly_used,
)  # fmt: skip

IMPLIED_BY = {"unused": "tiny_tasks", "skew": "few_partitions"}
"""Findings that the other finding implies: threads are idle between tiny tasks, and one giant partition is skew."""


def find_bottlenecks(report: ReportFigures) -> list[Finding]:
    """Apply all rules. If none matches, the finding is that workers were idle, or that there is no bottleneck."""
    if report.n_tasks is None:
        return []
    found = [finding for rule in RULES if (finding := rule(report)) is not None]
    names = {finding.rule for finding in found}
    found = [finding for finding in found if IMPLIED_BY.get(finding.rule, "") not in names]
    return found or [idle(report) or fine(report)]


def idle(report: ReportFigures) -> Finding | None:
    """No other finding, but workers were idle for ``IDLE_SHARE`` of their threads' time with tasks."""
    if report.idle_share is None or report.idle_share < IDLE_SHARE:
        return None
    if report.wall_seconds < SHORT_SECONDS or (report.submitted_seconds or report.wall_seconds) < SHORT_SECONDS:
        return None
    return Finding(
        rule="idle",
        title="Workers were idle",
        evidence=f"While there were tasks, workers were idle {share(report.idle_share)} of the time: "
        f"{report.n_tasks:,} tasks computed {seconds(report.compute_seconds or 0)} on {report.n_threads} threads in "
        f"{seconds(report.submitted_seconds or report.wall_seconds)}.",
        advice="Give them more at once: more partitions, several computations in one dask.compute(a, b), or data "
        "prefetched while others compute. Or use fewer workers.",
    )


def fine(report: ReportFigures) -> Finding:
    """No bottleneck."""
    if report.wall_seconds < SHORT_SECONDS:
        evidence = f"The code took {seconds(report.wall_seconds)}: too short to show where the time goes."
        return Finding(rule="fine", title="Too short to tell", evidence=evidence, advice="Profile a larger piece.")
    moved = report.transfers.between_workers_bytes
    parts = [f"Workers were busy {share(1 - (report.idle_share or 0))} of the time with tasks"]
    if report.mean_task_seconds is not None:
        parts.append(f"a task took {seconds(report.mean_task_seconds)} on average")
    if moved is not None:
        parts.append(f"{format_size(moved)} moved between workers")
    return Finding(rule="fine", title="No bottleneck found", evidence=", ".join(parts) + ".", advice=_faster(report))


def _faster(report: ReportFigures) -> str:
    if (report.cores_busy_share or 0.0) >= BUSY_CORES_SHARE:
        return (
            f"To be faster, make the tasks themselves faster. All cores are busy ({share(report.cores_busy_share or 0)}"
            "): more workers would help only on another machine."
        )
    return "To be faster, use more workers, or make the tasks themselves faster."

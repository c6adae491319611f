"""What limits of workers mean for jobs: for their cores, and for the job, or pod, of a scheduler."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..protocol.durations import DEFAULT_SCHEDULER_WALLTIME, slurm_clock, walltime_seconds
from ..protocol.spec_base import SpecBase
from .amounts import amount

CORES = ("cores", "scheduler_cores")


def has_scheduler_job(fields: Mapping[str, Any]) -> bool:
    """Return whether the scheduler has a job, or pod, of its own; where nobody can choose that, it has."""
    return bool(fields.get("scheduler", "job") == "job")


def most_cores(field: str, threads: int, before: Mapping[str, Any]) -> tuple[int, str]:
    """Return how many cores a job, or the scheduler's, may have on a node, and why, as the end of a sentence.

    Parameters
    ----------
    field : str
        One of ``CORES``.
    threads : int
        Most threads of a worker.
    before : mapping
        The fields before it.
    """
    if field != "cores":
        return threads, ""
    nodes = before.get("nodes_per_job") or 1
    workers = before.get("gpus_per_node") or max(1, (before.get("workers_per_job") or nodes) // nodes)
    whose = "a worker" if workers == 1 else f"each of the {workers} workers on a node"
    return threads * workers, f": {whose} may have {amount('threads_per_worker', threads)}"


def narrow_scheduler(spec: SpecBase, memory: int | None, threads: int | None, walltime: int | None) -> dict[str, Any]:
    """Return what of a scheduler's job changes where nobody may have more than that."""
    given = {name: getattr(spec, name) for name in type(spec).model_fields if name.startswith("scheduler")}
    if not has_scheduler_job(given):
        return {}
    bounds = {"scheduler_memory": memory, "scheduler_cores": threads}
    changes: dict[str, Any] = {
        field: most
        for field, most in bounds.items()
        if most is not None and isinstance(given.get(field), int) and given[field] > most
    }
    if walltime is not None and "scheduler_walltime" in given:
        wanted = given["scheduler_walltime"] or DEFAULT_SCHEDULER_WALLTIME
        if walltime_seconds(wanted) > walltime:
            changes["scheduler_walltime"] = slurm_clock(walltime)
    return changes

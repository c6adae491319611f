"""The metrics that Dask itself puts into a worker's heartbeat: ``WorkerState.metrics`` on the scheduler."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def figures(metrics: Mapping[str, Any]) -> dict[str, int | float | None]:
    """Return the figures that a worker reports without gpucluster; None for missing ones.

    Relies on ``WorkerState.metrics`` with ``task_counts`` and ``spilled_bytes`` (dictionaries), ``cpu`` and ``memory``;
    with a GPU ``gpu_memory_used``, ``gpu-memory-total`` and ``gpu_utilization``; with RMM the dictionary ``rmm`` with
    ``rmm-used`` and ``rmm-total`` (2023.4).
    """
    tasks, spilled, rmm = (_part(metrics, name) for name in ("task_counts", "spilled_bytes", "rmm"))
    return {
        "executing": _number(tasks, "executing"),
        "cpu_percent": _number(metrics, "cpu"),
        "memory_bytes": _number(metrics, "memory"),
        "spilled_bytes": _number(spilled, "disk"),
        "gpu_total_bytes": _number(metrics, "gpu-memory-total"),
        "gpu_used_bytes": _number(metrics, "gpu_memory_used"),
        "gpu_utilization_percent": _number(metrics, "gpu_utilization"),
        "rmm_pool_bytes": _number(rmm, "rmm-total"),
        "rmm_used_bytes": _number(rmm, "rmm-used"),
    }


def _part(metrics: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    part = metrics.get(key)
    return part if isinstance(part, Mapping) else {}


def _number(metrics: Mapping[str, Any], key: str) -> int | float | None:
    value = metrics.get(key)
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None

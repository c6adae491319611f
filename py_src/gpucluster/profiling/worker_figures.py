"""The figures of one worker, from three sources, and of the workers' machines."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from .model import ReportFigures, WorkerFigures
from .telemetry import TelemetryReadings, WorkerTelemetry


def weighted_mean(moments: Iterable[float], values: Iterable[float | None]) -> float | None:
    """Return the mean of readings, weighted by the time since the previous one."""
    times, known = list(moments), list(values)
    total = weight = 0.0
    for (before, moment), value in zip(pairwise(times), known[1:], strict=False):
        if value is not None:
            total += value * (moment - before)
            weight += moment - before
    return total / weight if weight > 0 else None


def clipped(value: float) -> float:
    """Return a share between 0 and 1: clocks differ a little."""
    return min(1.0, max(0.0, value))


def most(*values: float | None) -> int | None:
    """Return the largest measured value as a whole number; ``None`` if there is none."""
    return max((int(value) for value in values if value is not None), default=None)


_ROUNDING = 1.0001  # Telemetry has five significant digits.


def worker_figures(
    facts: dict[str, Any], found: dict[str, Any] | None, telemetry: TelemetryReadings | None, span: tuple[float, float],
    submitted: float,
) -> WorkerFigures:  # fmt: skip
    """Return the figures of one worker.

    ``facts`` is from the scheduler's recorder, ``found`` from the worker's own; ``span`` is start and end of the
    measurement by the scheduler's clock, ``submitted`` the share of it with submitted tasks.
    """
    seconds = submitted * thread_seconds(facts, *span)
    busy = facts["compute_seconds"] + importing_seconds(facts, found)
    live = telemetry.workers.get(facts["name"]) if telemetry else None
    figures: dict[str, Any] = {
        "name": facts["name"],
        "n_threads": facts["n_threads"],
        "n_tasks": facts["n_tasks"],
        "busy_seconds": facts["compute_seconds"],
        "idle_share": clipped(1 - busy / seconds) if seconds > 0 else None,
        "joined_later": facts["joined_later"],
        "lost": facts["left"] is not None and facts["expected"] is not True,
    }
    if live is not None:
        figures |= _of_telemetry(live)
    if found is not None:
        figures |= _of_worker(found, live)
    return WorkerFigures(**figures)


def _of_telemetry(live: WorkerTelemetry) -> dict[str, Any]:
    return {
        "device_index": most(live.peaks.get("device_index")),
        "peak_vram_bytes": most(live.peaks.get("vram_used_bytes")),
        "vram_total_bytes": most(live.peaks.get("vram_total_bytes")),
        "peak_rmm_bytes": most(live.peaks.get("rmm_used_bytes")),
        "peak_rmm_pool_bytes": most(live.peaks.get("rmm_pool_bytes")),
        "mean_gpu_utilization_percent": live.mean("gpu_utilization_percent"),
        "mean_gpu_power_watts": live.mean("gpu_power_watts"),
        "gpu_power_limit_watts": live.peaks.get("gpu_power_limit_watts"),
    }


def _of_worker(found: dict[str, Any], live: WorkerTelemetry | None) -> dict[str, Any]:
    readings = found["readings"]
    peaks = live.peaks if live is not None else {}
    figures: dict[str, Any] = {
        "peak_memory_bytes": most(*readings.get("memory", ())),
        "memory_limit_bytes": found["memory_limit_bytes"] or None,
        "mean_cpu_percent": weighted_mean(readings["time"], readings.get("cpu", ())),
        "sent_bytes": None if found["sent_bytes"] is None else found["sent_bytes"] + (found["shuffled_bytes"] or 0),
        "received_bytes": found["received_bytes"],
        "import_seconds": found["import_seconds"],
        "n_readings": found["n_readings"],
        "spilled_bytes": int(found["written_bytes"]) if found["counts_spilling"] else live and live.spilled_growth,
    }
    # Both read the same device; the monitor twice a second, the telemetry also before and after the worker's life.
    exact, rounded = most(*readings.get("vram_used", ())), most(peaks.get("vram_used_bytes"))
    vram = most(exact, rounded if exact is None or (rounded or 0) > exact * _ROUNDING else None)
    if vram is not None:
        figures["peak_vram_bytes"] = vram
        figures["vram_total_bytes"] = found["vram_total_bytes"] or most(peaks.get("vram_total_bytes"))
    busy = weighted_mean(readings["time"], readings.get("gpu_utilization", ()))
    if busy is not None:
        figures["mean_gpu_utilization_percent"] = busy
    used = [item.get("rmm-used") or None for item in found["rmm"]] + [peaks.get("rmm_used_bytes")]
    pool = [item.get("rmm-total") or None for item in found["rmm"]] + [peaks.get("rmm_pool_bytes")]
    return figures | {"peak_rmm_bytes": most(*used), "peak_rmm_pool_bytes": most(*pool)}


def thread_seconds(facts: dict[str, Any], begin: float, end: float) -> float:
    """Return the lifetime of a worker times its threads."""
    left = end if facts["left"] is None else min(facts["left"], end)
    seconds: float = max(0.0, left - max(facts["joined"], begin)) * facts["n_threads"]
    return seconds


def importing_seconds(facts: dict[str, Any], found: dict[str, Any] | None) -> float:
    """Return the time for which all threads of a worker waited for imports of the next task."""
    seconds: float = found["import_seconds_between_tasks"] * facts["n_threads"] if found is not None else 0.0
    return seconds


def busy_cores(report: ReportFigures, workers: dict[str, dict[str, Any]]) -> float | None:
    """Return the busy share of the cores on the least busy machine.

    It is the larger of two figures: the use by all processes of the machine, and the workers' use of their allowed
    cores (a container may have fewer than the machine) while there were tasks.
    """
    machines: dict[str, list[dict[str, Any]]] = {}
    for found in workers.values():
        machines.setdefault(found["machine"], []).append(found)
    return min((_of_machine(there, report.submitted_seconds or 0.0) for there in machines.values()), default=None)


def _of_machine(there: list[dict[str, Any]], submitted: float) -> float:
    computed = sum(found["cpu_seconds"] for found in there)
    of_own_cores = computed / there[0]["n_cores"] / submitted if submitted else 0.0
    return clipped(max(of_own_cores, *[found["machine_busy_share"] or 0.0 for found in there]))

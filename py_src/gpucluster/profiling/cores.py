"""How busy the cores of the workers' machines were."""

from __future__ import annotations

from typing import Any

from .knownvalues import clipped, weighted_mean
from .report import ProfileReport


def busy_cores(report: ProfileReport, workers: dict[str, dict[str, Any]]) -> float | None:
    """Return the busy share of the cores on the machine that has most room.

    Of two figures the larger one counts: what all processes of the machine used, and what the workers used of the cores
    that they may use (a container may have fewer than the machine) while there were tasks.

    Parameters
    ----------
    report : ProfileReport
        Has its times already.
    workers : dict
        What the workers' recorders brought back.
    """
    machines: dict[str, list[dict[str, Any]]] = {}
    for found in workers.values():
        machines.setdefault(found["machine"], []).append(found)
    submitted = (report.submitted_seconds or 0.0) / report.wall_seconds if report.wall_seconds else 0.0
    return min((_of_machine(there, submitted) for there in machines.values()), default=None)


def _of_machine(there: list[dict[str, Any]], submitted: float) -> float:
    readings = [found["readings"] for found in there]
    percent = sum(weighted_mean(each["time"], each.get("cpu", ())) or 0.0 for each in readings)
    of_own_cores = percent / 100 / there[0]["n_cores"] / submitted if submitted else 0.0
    return clipped(max(of_own_cores, *[found["machine_busy_share"] or 0.0 for found in there]))

"""The targets for a class, and what was measured."""

from __future__ import annotations

from typing import Any

PROCESSORS = 2
AT_REST = ("server", "standby", "supervisor", "forkserver")
"""A learner's own share of the machine while nothing runs; kernel and worker are there for the work."""


def judged(figures: dict[str, Any]) -> dict[str, list[Any]]:
    """Return for each target what was measured, what was wanted, and whether it was reached."""
    seconds, learners = figures["seconds"], figures["learners"]
    most = 1.2 * learners * figures["one_create"]["cpu_seconds"]["p50"] / PROCESSORS
    settled = figures["settled"]
    rightly = min(learners, figures["slots"])
    found = {
        "failures": _at_most(len(figures["failures"]), 0),
        "devices that two have": _at_most(len(figures["devices"]["double"]), 0),
        "left over": _at_most(len(figures["left"]), 0),
        "run or stand in line rightly": [settled, rightly, settled.get("running", 0) == rightly],
        "seconds until all see it, largest": _at_most(seconds["to_sight"].get("largest"), 1.0),
        "seconds to running, p95": _at_most(seconds["to_running"].get("p95"), round(most, 1)),
        "/api/status, p95 of the slowest server, ms": _at_most(
            figures["api_status"]["all of it"]["p95_of_the_slowest_server_ms"], 100
        ),
    }
    rest = figures.get("memory_at_rest")
    if rest is not None:
        found["MB of a resting learner"] = _at_most(
            round(sum(rest["mean_mb"].get(kind, 0) for kind in AT_REST), 1), 200
        )
    return found


def _at_most(value: float | None, limit: float) -> list[Any]:
    return [value, limit, value is not None and value <= limit]

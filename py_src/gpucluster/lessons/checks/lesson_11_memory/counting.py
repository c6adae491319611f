"""Lesson 11, counting: what a tracer of allocations knows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...examination import Examination, describe
from ...simulations.pool import Event
from .. import exercise
from ..answers import number

NAMES = ("current_bytes", "current_count", "peak_bytes", "peak_count", "total_bytes", "total_count")


def random_events(rng: np.random.Generator, n_events: int) -> list[Event]:
    """Return requests in which names come again, and some memory is never given back."""
    live: list[str] = []
    names = [f"array {number}" for number in range(max(2, n_events // 3))]
    events: list[Event] = []
    sizes: dict[str, int] = {}
    while len(events) < n_events:
        unused = [name for name in names if name not in live]
        if unused and (not live or rng.random() < 0.55):
            name = str(rng.choice(unused))
            sizes[name] = int(rng.integers(0, 10_000)) if rng.random() < 0.9 else int(rng.integers(10**6, 10**9))
            live.append(name)
            events.append(("allocate", name, sizes[name]))
        else:
            name = live.pop(int(rng.integers(len(live))))
            events.append(("free", name))
    return events


def true_statistics(events: list[Event]) -> dict[str, int]:
    """Return the six numbers."""
    live: dict[str, int] = {}
    found = dict.fromkeys(NAMES, 0)
    for action, name, *size in events:
        if action == "allocate":
            live[name] = size[0]
            found["total_bytes"] += size[0]
            found["total_count"] += 1
        else:
            del live[name]
        found["peak_bytes"] = max(found["peak_bytes"], sum(live.values()))
        found["peak_count"] = max(found["peak_count"], len(live))
    return {**found, "current_bytes": sum(live.values()), "current_count": len(live)}


@exercise("11.2", "statistics")
def check_statistics(exam: Examination, statistics: Any) -> None:
    """The six numbers are right for random traces: long ones, such that free nothing, and the empty one."""
    traces = [random_events(exam.rng, int(exam.rng.integers(3, 60))) for _ in range(30)]
    traces.append([("allocate", f"block {number}", int(exam.rng.integers(1, 999))) for number in range(7)])
    traces.append([])
    for events in traces:
        found = exam.call(statistics, list(events))
        exam.require("It returns a dictionary", isinstance(found, dict), describe(found))
        missing = [name for name in NAMES if name not in found]
        exam.require("It has the six entries", not missing, f"without {', '.join(missing)}")
        true = true_statistics(events)
        for name in NAMES:
            value = number(exam, found[name], name)
            what = f"{value:,.0f} after {len(events)} events" + ("" if value == true[name] else f", not {true[name]:,}")
            exam.expect(f"{name} is right", value == true[name], what)

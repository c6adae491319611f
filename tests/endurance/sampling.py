"""The memory, open files and threads of processes and a page, and their growth."""

import gc
import os
import statistics
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import psutil

MIB = 2**20
Figures = dict[str, float]


def of_process(pid: int) -> Figures:
    """Return the figures of a process; none where it is gone."""
    with suppress(psutil.Error):
        process = psutil.Process(pid)
        with process.oneshot():
            return {
                "rss_mib": round(process.memory_info().rss / MIB, 1),
                "files": process.num_fds(),
                "threads": process.num_threads(),
            }
    return {}


def of_page(session: Any) -> Figures:
    """Return the figures of a page of Chromium, from its CDP session, after garbage collection."""
    session.send("HeapProfiler.collectGarbage")
    heap = session.send("Runtime.getHeapUsage")
    counters = session.send("Memory.getDOMCounters")
    return {
        "heap_mib": round(heap["usedSize"] / MIB, 2),
        "nodes": counters["nodes"],
        "listeners": counters["jsEventListeners"],
    }


def of_this() -> Figures:
    """Return the figures of this process, which acts as a user's kernel."""
    gc.collect()
    return of_process(os.getpid())


@dataclass
class Samples:
    """Samples of several things over time."""

    sources: dict[str, Callable[[], Figures]]
    rows: list[dict[str, Figures]] = field(default_factory=list)

    def take(self) -> None:
        self.rows.append({name: source() for name, source in self.sources.items()})

    def growth(self, *, warm_up: float = 0.5) -> dict[str, dict[str, dict[str, float]]]:
        """Return by source and figure the medians of the first and last third, and the growth.

        The warm-up, a share of all samples, does not count.
        """
        rows = self.rows[int(warm_up * len(self.rows)) :]
        third = max(1, len(rows) // 3)
        found: dict[str, dict[str, dict[str, float]]] = {}
        for name in self.sources:
            first, last = _medians([row[name] for row in rows[:third]]), _medians([row[name] for row in rows[-third:]])
            found[name] = {
                figure: {
                    "before": first[figure],
                    "after": last[figure],
                    "percent": round(100 * (last[figure] / first[figure] - 1), 1) if first[figure] else 0.0,
                }
                for figure in first
                if figure in last
            }
        return found


def _medians(rows: Sequence[Figures]) -> Figures:
    names = {name for row in rows for name in row}
    return {name: statistics.median(row[name] for row in rows if name in row) for name in sorted(names)}

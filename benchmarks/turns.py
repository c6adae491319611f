"""Things that take turns, what each of them took, and two workers to measure with."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any


def seconds(work: Callable[..., object]) -> float:
    """Return how long the work takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def by_turns(ways: Mapping[str, Callable[[], float]], repeats: int, *, pause: float = 0.0) -> dict[str, list[float]]:
    """Measure every way, in turn, so that a noisy machine is noisy to all; the first turn is not counted.

    Parameters
    ----------
    ways : mapping of str to callable
        What returns the seconds that it took, by name.
    repeats : int
        Number of turns that count.
    pause : float, default 0.0
        Seconds before each, so that what the one before still does is not in the next.
    """
    found: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(repeats + 1):
        for name, way in ways.items():
            time.sleep(pause)
            taken = way()
            if turn:
                found[name].append(taken)
    return found


def summary(values: list[float], digits: int = 4) -> dict[str, Any]:
    """Return median and range."""
    return {
        "n": len(values),
        "median": round(statistics.median(values), digits),
        "minimum": round(min(values), digits),
        "maximum": round(max(values), digits),
        "values": [round(value, digits) for value in values],
    }


def median_of_ratios(ours: list[float], theirs: list[float]) -> float:
    """Return the median of the ratios within a turn: what slows down a whole turn is not in it."""
    return round(statistics.median(one / other for one, other in zip(ours, theirs, strict=False)), 3)


def compared(times: Mapping[str, list[float]], ours: str, digits: int = 4) -> dict[str, Any]:
    """Return the summary of each way, and how the time of `ours` compares with the others'."""
    found = {name: summary(values, digits) for name, values in times.items()}
    median = statistics.median(times[ours])
    for name, values in times.items():
        if name != ours:
            found[name][f"{ours}_ratio_of_medians"] = round(median / statistics.median(values), 3)
            found[name][f"{ours}_median_of_ratios"] = median_of_ratios(times[ours], values)
    return found


def cpu_seconds(pid: int) -> float:
    """Return the CPU time that a process has used."""
    import psutil

    times = psutil.Process(pid).cpu_times()
    return float(times.user + times.system)


@contextmanager
def two_workers(**options: Any) -> Iterator[Any]:
    """Start a plain ``LocalCluster`` of two workers with one thread each, and yield a client."""
    from distributed import Client, LocalCluster

    cluster = LocalCluster(n_workers=2, threads_per_worker=1, **{"dashboard_address": None, **options})
    with cluster, Client(cluster) as client:
        yield client

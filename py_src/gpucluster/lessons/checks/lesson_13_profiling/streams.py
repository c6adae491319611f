"""Lesson 13, no cluster needed: idle share and longest gap of a task stream."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...examination import Examination
from .. import exercise
from ..answers import number, several

Records = list[dict[str, Any]]


def random_stream(rng: np.random.Generator, *, gap: bool) -> tuple[Records, int]:
    """Return records as ``get_task_stream`` gives them, in any order, and the number of threads.

    Some threads run nothing. Long tasks cover short ones of other threads. With ``gap``, there is a time in the middle
    in which nobody computes; without, one task goes from the beginning to the end.
    """
    zero = float(rng.uniform(1e9, 2e9))
    records: Records = []
    used = int(rng.integers(2, 5))
    for worker in range(used):
        now = zero + float(rng.uniform(0, 0.3))
        for part in range(2 if gap else 1):
            if part:
                now = zero + 3.0 + float(rng.uniform(0, 0.3))
            for place in range(int(rng.integers(1, 6))):
                length = float(rng.choice([rng.uniform(0.02, 0.1), rng.uniform(0.2, 0.5)]))
                if now + length > zero + (2.2 if not part else 9.0):
                    break
                records.append(_record(rng, worker, f"{part}.{place}", now, now + length))
                now += length + float(rng.choice([0.0, rng.uniform(0.0, 0.25)]))
    if not gap:
        records.append(_record(rng, used, "long", zero - 0.1, zero + 4.0))
    order = rng.permutation(len(records))
    return [records[place] for place in order], used + 1 + int(rng.integers(0, 4))


def _record(rng: np.random.Generator, worker: int, name: str, start: float, stop: float) -> dict[str, Any]:
    parts: list[dict[str, Any]] = [{"action": "compute", "start": start, "stop": stop}]
    if rng.random() < 0.6:  # transfers fill the time before, also gaps
        parts.insert(0, {"action": "transfer", "start": start - float(rng.uniform(0.05, 0.6)), "stop": start,
                         "source": "tcp://10.0.0.9:1"})  # fmt: skip
    if rng.random() < 0.3:
        parts.insert(-1, {"action": "deserialize", "start": start - float(rng.uniform(0.01, 0.2)), "stop": start})
    if name != "long" and rng.random() < 0.3:  # it waits in the middle, as one that secedes
        first, second = start + 0.3 * (stop - start), start + 0.6 * (stop - start)
        parts[-1:] = [{**parts[-1], "stop": first}, {**parts[-1], "start": second}]
    if rng.random() < 0.3:
        parts.append({"action": "disk-write", "start": stop, "stop": stop + float(rng.uniform(0.01, 0.2))})
    return {
        "key": f"crunch-{name}-{worker}",
        "worker": f"tcp://10.0.0.{worker}:4000",
        "thread": 140_000 + worker,
        "startstops": tuple(parts),
        "status": "OK",
        "nbytes": 28,
    }


def spans_of(records: Records) -> list[tuple[float, float]]:
    """Return when compute parts began and ended, in the order of their beginning."""
    parts = [part for record in records for part in record["startstops"] if part["action"] == "compute"]
    return sorted((part["start"], part["stop"]) for part in parts)


def true_gap(records: Records) -> tuple[float, float]:
    """Return where the longest gap begins, and its length."""
    spans = spans_of(records)
    zero = latest = spans[0][0]
    longest = (0.0, 0.0)
    for start, stop in spans:
        if start - latest > longest[1]:
            longest = (latest - zero, start - latest)
        latest = max(latest, stop)
    return longest


def true_idle(records: Records, threads: int) -> float:
    """Return the idle share."""
    spans = spans_of(records)
    length = max(stop for _, stop in spans) - spans[0][0]
    return 1 - sum(stop - start for start, stop in spans) / (threads * length)


@exercise("13.1", "idle_share", "longest_gap")
def check_stream(exam: Examination, idle_share: Any, longest_gap: Any) -> None:
    """Both figures are right for 30 random streams, one third of them without a gap."""
    for place in range(30):
        records, threads = random_stream(exam.rng, gap=place % 3 != 2)
        share = number(exam, exam.call(idle_share, _copied(records), threads), "The idle share")
        true = true_idle(records, threads)
        exam.expect("The idle share is that of all threads of the cluster, in the window of the computing",
                    abs(share - true) < 1e-6, f"{share:.4f} for {threads} threads")  # fmt: skip
        start, seconds = several(exam, exam.call(longest_gap, _copied(records)), "start", "seconds")
        start, seconds = number(exam, start, "The start"), number(exam, seconds, "The seconds of the gap")
        begin, length = true_gap(records)
        if not length:
            exam.expect("Where some thread always computes, there is no gap", seconds == 0 and start == 0,
                        f"({start:.4g}, {seconds:.4g})")  # fmt: skip
            continue
        exam.expect("The longest gap is one in which no thread computed, however long other tasks are",
                    abs(seconds - length) < 1e-5, f"{seconds:.4f} s")  # fmt: skip
        exam.expect("Its start counts from the beginning of the window", abs(start - begin) < 1e-5, f"{start:.4f} s")
        if not exam.passed:
            return


def _copied(records: Records) -> Records:
    return [dict(record) for record in records]

"""Lesson 03, no cluster needed: bars of a Gantt chart from the records of a task stream."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ...examination import Examination, describe
from .. import exercise

Bars = list[tuple[int, float, float, str]]


def random_stream(rng: np.random.Generator) -> list[dict[str, Any]]:
    """Return records as ``get_task_stream`` gives them: in the order of ends, with transfers before the work."""
    zero = float(rng.uniform(1e9, 2e9))
    records = []
    for worker in range(int(rng.integers(2, 5))):
        # Workers that share a process, or were forked from one, may name their threads alike.
        for thread in range(int(rng.integers(1, 3))):
            now = zero + float(rng.uniform(0, 0.5))
            for number in range(int(rng.integers(1, 7))):
                parts = []
                if rng.random() < 0.5:
                    fetched = now + float(rng.uniform(0.01, 0.1))
                    parts.append({"action": "transfer", "start": now, "stop": fetched, "source": "tcp://10.0.0.9:1"})
                    now = fetched
                end = now + float(rng.uniform(0.05, 1.0))
                parts.append({"action": "compute", "start": now, "stop": end})
                records.append(
                    {
                        "key": f"dish {worker}.{thread}.{number}-{rng.integers(1 << 30):08x}",
                        "worker": f"tcp://10.0.0.{worker}:4000",
                        "thread": 140_000 + thread,
                        "startstops": tuple(parts),
                        "status": "OK",
                        "nbytes": 28,
                    }
                )
                now = end + float(rng.choice([0.0, rng.uniform(0, 0.5)]))
    return sorted(records, key=lambda record: record["startstops"][-1]["stop"])


@exercise("03.6", "bars")
def check_bars(exam: Examination, bars: Any) -> None:
    """One bar per task, at the right time, in a row per thread."""
    for _ in range(20):
        records = random_stream(exam.rng)
        made = _as_bars(exam, exam.call(bars, [dict(record) for record in records]))
        exam.require("There is one bar per task", len(made) == len(records), f"{len(made)} bars, {len(records)} tasks")
        _expect_times(exam, made, records)
        _expect_rows(exam, made, records)
        if not exam.passed:
            return


def _as_bars(exam: Examination, found: Any) -> Bars:
    listed = isinstance(found, (list, tuple)) and all(isinstance(bar, (list, tuple)) and len(bar) == 4 for bar in found)
    exam.require("It returns a list of bars (row, start, seconds, name)", listed, describe(found))
    try:
        return [(int(row), float(start), float(seconds), str(name)) for row, start, seconds, name in found]
    except (TypeError, ValueError):
        exam.require("row, start and seconds are numbers", False, f"the first bar is {found[0]!r}")
        raise AssertionError from None


def _expect_times(exam: Examination, made: Bars, records: list[dict[str, Any]]) -> None:
    work = {record["key"]: record["startstops"][-1] for record in records}
    zero = min(part["start"] for part in work.values())
    first = min(bar[1] for bar in made)
    exam.expect("The first bar starts at 0", abs(first) < 1e-6, f"at {first:.6g}")
    names = sorted(bar[3] for bar in made)
    exam.expect("The name of a bar is the key of its task", names == sorted(work), f"for example {names[0]!r}")
    wrong = [
        bar
        for bar in made
        if bar[3] in work
        and (
            abs(bar[1] - (work[bar[3]]["start"] - zero)) > 1e-5
            or abs(bar[2] - (work[bar[3]]["stop"] - work[bar[3]]["start"])) > 1e-5
        )
    ]
    exam.expect("A bar starts and ends with the compute part of its task, without the transfers", not wrong,
                f"{len(wrong)} of {len(made)} bars do not" if wrong else "all do")  # fmt: skip


def _expect_rows(exam: Examination, made: Bars, records: list[dict[str, Any]]) -> None:
    place = {record["key"]: (record["worker"], record["thread"]) for record in records}
    rows = {row for row, *_ in made}
    exam.expect("Rows are numbered 0, 1, 2, … without a gap", rows == set(range(len(rows))), f"rows {sorted(rows)}")
    pairs = {(row, place.get(name)) for row, _, _, name in made}
    threads = len(set(place.values()))
    exam.expect("Each thread of each worker has a row of its own", len(pairs) == len(rows) == threads,
                f"{len(rows)} rows for {threads} threads")  # fmt: skip
    overlaps = 0
    for row in rows:
        spans = sorted((start, start + seconds) for one, start, seconds, _ in made if one == row)
        overlaps += sum(later[0] < earlier[1] - 1e-6 for earlier, later in pairwise(spans))
    exam.expect("No two bars of a row overlap", overlaps == 0, f"{overlaps} do")

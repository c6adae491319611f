"""Lesson 13, no cluster needed: facts from the text of Dask's performance report."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from ....dask_internals.performance_reports import written_time
from ...examination import Examination, describe
from .. import exercise
from ..answers import number

NAMES = ("seconds", "tasks", "compute", "threads")
LENGTHS = ((2e-6, 9e-4), (2e-3, 0.9), (1.5, 590.0), (620.0, 7100.0), (7300.0, 170_000.0), (180_000.0, 900_000.0))
"""Seconds that Dask writes with ``us``, ``ms``, ``s``, ``m``, ``hr`` and ``d``."""


def report_text(duration: str, tasks: int, timings: dict[str, str], threads: int, workers: int) -> str:
    """Return a text as it stands in the file of a report; tests compare it with a real one."""
    lines = "".join(f"\n<li> {action} time: {spent} </li>" for action, spent in sorted(timings.items()))
    told = f"""
        <h1> Dask Performance Report </h1>

        <i> Select different tabs on the top for additional information </i>

        <h2> Duration: {duration} </h2>
        <h2> Tasks Information </h2>
        <ul>
         <li> number of tasks: {tasks} </li>
         {lines}
        </ul>

        <h2> Scheduler Information </h2>
        <ul>
          <li> Address: tcp://127.0.0.1:33163 </li>
          <li> Workers: {workers} </li>
          <li> Threads: {threads} </li>
          <li> Memory: 23.54 GiB </li>
          <li> Dask Version: 2026.8.0 </li>
          <li> Dask.Distributed Version: 2026.8.0 </li>
        </ul>

        <h2> Calling Code </h2>
        <pre>
client.gather(client.map(crunch, sizes))
        </pre>
        """
    packed = escape(told, quote=False).replace("\n", "\\n")
    return f'<!DOCTYPE html><html><script type="application/json">{{"text":"{packed}","id":"p1042"}}</script></html>'


def in_seconds(written: str) -> float:
    """Return the seconds of a time as Dask writes it."""
    units = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "hr": 3600.0, "d": 86400.0}
    parts = written.split()
    if len(parts) == 2 and parts[1] in units:
        return float(parts[0]) * units[parts[1]]
    return sum(float(part.rstrip("mshrd")) * units[part.lstrip("0123456789.")] for part in parts)


def random_report(rng: np.random.Generator, kind: int, *, computed: bool) -> tuple[str, dict[str, float]]:
    """Return a report whose duration has the unit of that kind, and its facts."""
    duration = written_time(float(rng.uniform(*LENGTHS[kind])))
    compute = written_time(float(rng.uniform(*LENGTHS[int(rng.integers(0, len(LENGTHS)))])))
    timings = {"transfer": written_time(float(rng.uniform(0.01, 0.9)))} if rng.random() < 0.7 else {}
    if rng.random() < 0.5:
        timings["deserialize"] = written_time(float(rng.uniform(0.002, 50)))
    if computed:
        timings["compute"] = compute
    tasks = int(rng.integers(3, 90_000)) if computed else 0
    workers = int(rng.integers(2, 9))
    threads = workers * int(rng.integers(2, 9))
    facts = {"seconds": in_seconds(duration), "tasks": tasks, "compute": in_seconds(compute) if computed else 0.0,
             "threads": threads}  # fmt: skip
    return report_text(duration, tasks, timings, threads, workers), facts


@exercise("13.2", "facts")
def check_facts(exam: Examination, facts: Any) -> None:
    """The four facts are right, in seconds, for times of all units, and where nothing was computed."""
    for place in range(24):
        text, true = random_report(exam.rng, place % len(LENGTHS), computed=place % 8 != 7)
        found = exam.call(facts, text)
        right = isinstance(found, dict) and set(found) == set(NAMES)
        exam.require("It returns a dictionary with seconds, tasks, compute and threads", right,
                     f"{sorted(map(str, found))}" if isinstance(found, dict) else describe(found))  # fmt: skip
        given = {name: number(exam, found[name], f'"{name}"') for name in NAMES}
        written = text.split("Duration: ")[1].split(" &lt;")[0]
        exam.expect("The duration is in seconds, whatever its unit", _close(given["seconds"], true["seconds"]),
                    f"{given['seconds']:.6g} for “{written}”")  # fmt: skip
        exam.expect("The number of tasks is right", given["tasks"] == true["tasks"], f"{given['tasks']:g}")
        exam.expect(
            "The threads are those of all workers", given["threads"] == true["threads"], f"{given['threads']:g}"
        )
        if true["compute"]:
            spent = text.split("compute time: ")[1].split(" &lt;")[0]
            exam.expect("The compute time is in seconds, and without transfers",
                        _close(given["compute"], true["compute"]), f"{given['compute']:.6g} for “{spent}”")  # fmt: skip
        else:
            exam.expect("Where no task computed, the compute time is 0", given["compute"] == 0,
                        f"{given['compute']:.6g}")  # fmt: skip
        if not exam.passed:
            return


def _close(found: float, true: float) -> bool:
    return abs(found - true) <= 1e-6 * abs(true)

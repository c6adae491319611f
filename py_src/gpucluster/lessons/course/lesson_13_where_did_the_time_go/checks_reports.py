"""The checks of lesson 13, reports."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from html import escape
from typing import Any

import numpy as np

from ....dask_internals.machine import written_time
from ...answers import number, wrong_choices
from ...checks import exercise
from ...examination import Examination, Halt, describe, describe_error
from ...properties import UNCHANGED, fingerprint
from .tools import RANGES, WORDS, Trace, really_full, simulated

# No cluster needed: which bottleneck counters show, what helps, and in which order to work.


FIXES = {
    "fragmented": ("pool", "Enough was free, but in pieces. What is one piece from the beginning?"),
    "copying": ("stay", "The time goes into copies. Which copies are unnecessary?"),
    "loading": (
        "faster loader",
        "The loader's core is busy all the time. Would it get done sooner if it began earlier?",
    ),
    "waiting": ("prefetch", "Neither the device nor the loader's core is busy: they take turns."),
    "small kernels": ("larger batches", "Each kernel has too little work for all processors."),
}
_WORDS = {"pool", "stay", "faster loader", "prefetch", "larger batches"}


def true_word(trace: Trace) -> str:
    """Return the first row of the lesson's table that fits."""
    if trace.failed and trace.free_bytes >= trace.asked_bytes:
        return "fragmented"
    if trace.copies.mean() >= 40:
        return "copying"
    if trace.kernels.mean() < 50:
        return "loading" if trace.host.mean() >= 80 else "waiting"
    return "small kernels" if trace.occupancy.mean() < 30 else "healthy"


def random_traces(rng: np.random.Generator) -> list[Trace]:
    """Return traces of all kinds; of some the memory was really full, and two rows of the table fit others."""
    traces = [simulated(kind, rng) for kind in WORDS for _ in range(6)]
    traces += [really_full(kind, rng) for kind in RANGES for _ in range(3)]
    for kind in ("waiting", "loading", "small kernels", "copying"):
        made = simulated(kind, rng)
        traces.append(replace(made, occupancy=made.occupancy * 0.2))
        # Short peaks decide nothing: the means of the table do.
        peaks = made.copies * 0.4
        peaks[int(rng.integers(len(peaks)))] = 99.0
        traces.append(replace(made, copies=peaks))
    fair = simulated("healthy", rng)  # not full, but nothing to complain of
    traces.append(replace(fair, occupancy=fair.occupancy * (float(rng.uniform(32, 46)) / fair.occupancy.mean())))
    ends_busy = simulated("waiting", rng)
    kernels = ends_busy.kernels * 0.9
    kernels[[0, -1]] = 97.0
    traces.append(replace(ends_busy, kernels=kernels))
    # A minority of seconds decides the mean, and a median does not see it.
    few = rng.permutation(len(fair.copies)) < 0.4 * len(fair.copies)
    traces.append(replace(fair, copies=np.where(few, 97.0, 18.0)))
    traces.append(replace(fair, kernels=np.where(few, 96.0, 42.0)))
    # In pieces, and nothing failed: no more was requested.
    pieces = simulated("small kernels", rng)
    traces.append(replace(pieces, largest_bytes=pieces.asked_bytes // 2))
    # Exactly as much as was free: that is enough.
    edge = simulated("fragmented", rng)
    traces.append(replace(edge, asked_bytes=edge.free_bytes))
    traces += border_traces(rng)
    return [traces[place] for place in rng.permutation(len(traces))]


def border_traces(rng: np.random.Generator) -> list[Trace]:
    """Return traces whose mean is a limit of the table, and just below it; whole numbers, so that it is so exactly."""

    def around(total: int) -> Any:
        """Return whole percentages with just this sum."""
        mean = total // 60
        steps = rng.integers(1, min(mean, 99 - mean), 30)
        figure = np.concatenate([mean + steps, mean - steps]).astype(float)
        figure[: total - 60 * mean] += 1
        return rng.permutation(figure)

    fair = replace(simulated("healthy", rng), kernels=around(60 * 70), occupancy=around(60 * 50))
    late = replace(fair, kernels=around(60 * 30), host=around(60 * 90))
    pairs = ((fair, "copies", 40), (replace(fair, host=late.host), "kernels", 50), (fair, "kernels", 50),
             (late, "host", 80), (fair, "occupancy", 30))  # fmt: skip
    return [replace(trace, **{name: around(total)})
            for trace, name, limit in pairs for total in (60 * limit, 60 * limit - 1)]  # fmt: skip


@exercise("13.7", "diagnose", "fixes")
def check_diagnosis(exam: Examination, diagnose: Any, fixes: Any) -> None:
    """The word is right for some 80 traces of all kinds, at the limits too; each fix is that of its word."""
    right: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    said: dict[str, str] = {}
    for trace in random_traces(exam.rng):
        true, before = true_word(trace), fingerprint(_arrays(trace))
        given = str(exam.call(diagnose, trace)).strip()
        same = fingerprint(_arrays(trace)) == before
        exam.expect(UNCHANGED, same, "unchanged" if same else "an array of the trace was changed")
        exam.require("It returns one of the six words", given in WORDS, f"{given!r}")
        seen[true] += 1
        right[true] += given == true
        if given != true:
            said.setdefault(true, _described(given, trace))
    for word in WORDS:
        exam.expect(f"It detects {word!r}", right[word] == seen[word],
                    f"{right[word]} of {seen[word]} traces" + (f"; {said[word]}" if word in said else ""))  # fmt: skip
    wrong = wrong_choices(exam, fixes, FIXES, _WORDS, each="symptom", name="`fixes`")
    for word in FIXES:
        exam.expect(f"The fix for {word!r} is right", word not in wrong, FIXES[word][1] if word in wrong else "it is")


@exercise("13.9", "order")
def check_order_of_work(exam: Examination, order: Any) -> None:
    """Any order in which each step comes after those it needs."""
    from ...study.ordering import check_order

    check_order(exam, "13.9", order)


def _arrays(trace: Trace) -> list[Any]:
    return [trace.kernels, trace.copies, trace.host, trace.occupancy]


def _described(given: str, trace: Trace) -> str:
    kernels, copies, host, occupancy = (f"{round(float(one.mean()), 2):g} %" for one in _arrays(trace))
    means = f"kernels {kernels}, copies {copies}, host {host}"
    memory = ", free enough" if trace.free_bytes >= trace.asked_bytes else ", too little free"
    failed = f", out of memory{memory}" if trace.failed else ""
    return f"one with {means}, occupancy {occupancy}{failed} was called {given!r}"


# No cluster needed: does a generator load ahead, by as much as asked for and no more?


ORDER = "It yields the batches in order of their numbers"
PATIENCE_SECONDS = 4.0
"""How long something that must happen is waited for."""
QUIET_SECONDS = 0.05
"""How long something that must not happen is given to happen."""


class Broken(Exception):
    """What the loader of the check raises."""


class Loader:
    """Loads batches, and knows which were begun."""

    def __init__(self, fails_at: int | None = None, seconds: float = 0.0) -> None:
        self.begun: list[int] = []
        self._fails_at = fails_at
        self._seconds = seconds
        self._changed = threading.Condition()

    def __call__(self, number: int) -> str:
        with self._changed:
            self.begun.append(number)
            self._changed.notify_all()
        time.sleep(self._seconds)
        if number == self._fails_at:
            raise Broken(f"batch {number} cannot be read")
        return f"batch {number}"

    def wait_for(self, count: int) -> bool:
        """Wait until this number has started; return whether it has."""
        with self._changed:
            return self._changed.wait_for(lambda: len(self.begun) >= count, PATIENCE_SECONDS)


def within_patience(work: Callable[[], Any]) -> tuple[bool, Any]:
    """Run something in a thread; return whether it ended, and what it returned, or the error."""
    result: list[Any] = []

    def run() -> None:
        try:
            result.append(work())
        except BaseException as error:
            result.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(2 * PATIENCE_SECONDS)
    return bool(result), result[0] if result else None


@exercise("13.6", "prefetched", repeats=False)
def check_prefetch(exam: Examination, prefetched: Any) -> None:
    """Order, depth, nothing beyond it, errors, and empty input, for several depths."""
    _expect_all(exam, prefetched)
    for depth in (1, 2, int(exam.rng.integers(3, 5))):
        if exam.passed:
            _expect_ahead(exam, prefetched, depth)
    if exam.passed:
        _expect_error(exam, prefetched)
    if exam.passed:
        ended, found = within_patience(lambda: list(prefetched(Loader(), iter([]), 2)))
        exam.expect("Without numbers it yields nothing, and terminates", ended and found == [], _said(ended, found))


def _expect_all(exam: Examination, prefetched: Any) -> None:
    numbers = [int(one) for one in exam.rng.permutation(40)[: int(exam.rng.integers(6, 12))]]
    loader = Loader(seconds=0.001)
    ended, made = within_patience(lambda: exam.call(prefetched, loader, iter(numbers), 2))
    exam.require("It terminates", ended, "it still waits for something")
    if isinstance(made, BaseException):
        raise made  # what the examination found, such as an error
    exam.require("It returns an iterator, such as a generator", hasattr(made, "__iter__"), describe(made))
    ended, found = within_patience(lambda: list(made))
    wanted = [f"batch {number}" for number in numbers]
    exam.expect("It terminates", ended, "it does" if ended else "it still waits for something")
    exam.expect(ORDER, found == wanted, _said(ended, found))
    exam.expect("Each batch is loaded once", sorted(loader.begun) == sorted(numbers), f"{len(loader.begun)} loads")


def _expect_ahead(exam: Examination, prefetched: Any, depth: int) -> None:
    count = depth + 5
    loader = Loader()
    batches: Iterator[Any] = iter(prefetched(loader, iter(range(count)), depth))
    for held in range(count):
        ended, found = within_patience(lambda: next(batches))
        exam.require(ORDER, ended and found == f"batch {held}", _said(ended, found))
        due = min(count, held + 1 + depth)
        loader.wait_for(due)
        ahead = f"{len(loader.begun) - held - 1} loaded ahead of batch {held} of {count}, with depth {depth}"
        exam.expect("While the caller holds a batch, the next depth batches are loaded",
                    len(loader.begun) >= due, ahead)  # fmt: skip
        time.sleep(QUIET_SECONDS)
        ahead = f"{len(loader.begun) - held - 1} loaded ahead of batch {held} of {count}, with depth {depth}"
        exam.expect("At most depth batches are loaded ahead, including those in a queue or a thread",
                    len(loader.begun) <= held + 1 + depth, ahead)  # fmt: skip
        if not exam.passed:
            within_patience(lambda: getattr(batches, "close", list)())
            raise Halt


def _expect_error(exam: Examination, prefetched: Any) -> None:
    fails = int(exam.rng.integers(2, 5))
    batches = iter(prefetched(Loader(fails_at=fails), range(8), 2))
    got: list[Any] = []
    found: Any = None
    ended = True
    while ended and not isinstance(found, BaseException) and len(got) < 9:
        ended, found = within_patience(lambda: next(batches))
        got.append(found)
    told = _said(ended, found)
    exam.expect("An error in load reaches the caller", ended and isinstance(found, Broken), told)
    exam.expect("It is raised when that batch is due: the batches before it are yielded", len(got) == fails + 1,
                f"after {len(got) - 1} batches; batch {fails} cannot be read")  # fmt: skip


def _said(ended: bool, found: Any) -> str:
    if not ended:
        return "it waits and never finishes"
    if isinstance(found, StopIteration):
        return "it ended without it"
    return describe_error(found) if isinstance(found, BaseException) else f"{found}"[:100]


# No cluster needed: facts from the text of Dask's performance report.


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
            "The threads of all workers are counted", given["threads"] == true["threads"], f"{given['threads']:g}"
        )
        if true["compute"]:
            spent = text.split("compute time: ")[1].split(" &lt;")[0]
            exam.expect("The compute time is in seconds, excluding transfers",
                        _close(given["compute"], true["compute"]), f"{given['compute']:.6g} for “{spent}”")  # fmt: skip
        else:
            exam.expect("If no task computed, the compute time is 0", given["compute"] == 0,
                        f"{given['compute']:.6g}")  # fmt: skip
        if not exam.passed:
            return


def _close(found: float, true: float) -> bool:
    return abs(found - true) <= 1e-6 * abs(true)

"""Lesson 13, no cluster needed: which bottleneck counters show, what helps, and in which order to work."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np

from ...examination import Examination
from ...properties import UNCHANGED, fingerprint
from ...simulations.traces import RANGES, WORDS, Trace, really_full, simulated
from .. import exercise
from ..answers import wrong_choices

FIXES = {
    "fragmented": ("pool", "Enough was free, but in pieces. What is one piece from the beginning?"),
    "copying": ("stay", "The time goes into copies. Which copies need not be?"),
    "loading": (
        "faster loader",
        "The loader's core is busy all the time. Would it get done sooner if it began earlier?",
    ),
    "waiting": ("prefetch", "Neither the device nor the loader's core is busy: they take turns."),
    "small kernels": ("larger batches", "Each kernel has too little to do for so many processors."),
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
    # In pieces, and nothing failed: nobody asked for more.
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
        exam.expect(f"It finds out {word!r}", right[word] == seen[word],
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

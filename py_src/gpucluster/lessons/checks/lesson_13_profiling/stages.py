"""Lesson 13, no cluster needed: seconds of stages that lie inside each other, and what is left."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...examination import Examination, describe
from .. import exercise
from ..answers import number

STAGES = ("load", "unpack", "forward", "backward", "optimizer", "copy", "wait", "log")
Events = list[tuple[str, str, float]]


def random_events(rng: np.random.Generator, depth: int) -> tuple[Events, float, dict[str, float]]:
    """Return events with stages up to so deep inside each other, the total, and the true seconds."""
    events: Events = []
    own: dict[str, float] = {}
    now = 0.0
    other = 0.0

    def pause() -> float:
        nonlocal now
        seconds = float(rng.uniform(0.01, 1.0)) if rng.random() < 0.85 else 0.0
        now += seconds
        return seconds

    def run(name: str, around: tuple[str, ...]) -> None:
        events.append((name, "begin", now))
        own.setdefault(name, 0.0)
        own[name] += pause()
        inside = [one for one in STAGES if one not in (*around, name)]
        for one in rng.choice(inside, size=int(rng.integers(0, 3)), replace=False) if len(around) + 1 < depth else ():
            run(str(one), (*around, name))
            own[name] += pause()
        events.append((name, "end", now))

    zero = float(rng.uniform(5, 5000))
    now = zero
    for _ in range(int(rng.integers(3, 9))):
        other += pause()
        run(str(rng.choice(STAGES)), ())
    after = float(rng.uniform(0.05, 2.0))
    other += after
    total = now - zero + after
    return events, total, {**own, "other": other}


@exercise("13.8", "breakdown")
def check_breakdown(exam: Examination, breakdown: Any) -> None:
    """Parts of 30 random runs: flat ones, and stages up to four deep."""
    for place in range(30):
        events, total, true = random_events(exam.rng, depth=1 + place % 4)
        found = exam.call(breakdown, list(events), total)
        exam.require("It returns a dictionary", isinstance(found, dict), describe(found))
        missing = true.keys() - found.keys()
        extra = found.keys() - true.keys()
        exam.require('Each stage is in it, and "other"', not missing and not extra,
                     f"without {', '.join(sorted(missing))}" if missing else
                     f"more: {', '.join(sorted(map(str, extra)))}")  # fmt: skip
        given = {name: number(exam, found[name], f'"{name}"') for name in true}
        whole = sum(given.values())
        exam.expect("All parts together are the total", abs(whole - total) < 1e-6, f"{whole:.4f} s of {total:.4f} s")
        wrong = [name for name in true if name != "other" and abs(given[name] - true[name]) > 1e-6]
        kind = "that lie inside each other" if place % 4 else "that follow each other"
        exam.expect(f"The seconds of stages {kind} are their own, of all their times", not wrong,
                    f"{wrong[0]}: {given[wrong[0]]:.4f} s" if wrong else "all are")  # fmt: skip
        exam.expect('"other" is what no stage had', abs(given["other"] - true["other"]) < 1e-6,
                    f"{given['other']:.4f} s")  # fmt: skip
        if not exam.passed:
            return

"""Lesson 12, crossings: how often data goes to and fro between host and device on its way through a pipeline."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...examination import Examination
from .. import exercise
from ..answers import number, several

Step = tuple[str, str, int]


def random_steps(rng: np.random.Generator, length: int) -> list[Step]:
    """Return steps with the place where each runs, and the bytes that it is given."""
    places = rng.choice(["device", "host", "any"], length, p=[0.45, 0.3, 0.25])
    return [(f"step {at}", str(place), int(rng.integers(1, 10**9))) for at, place in enumerate(places)]


def true_crossings(steps: list[Step], start: str) -> tuple[int, int]:
    """Return how often, and how many bytes."""
    at, count, total = start, 0, 0
    for _, place, n_bytes in steps:
        if place not in ("any", at):
            at, count, total = place, count + 1, total + n_bytes
    return count, total


@exercise("12.1", "crossings")
def check_crossings(exam: Examination, crossings: Any) -> None:
    """For random pipelines, from either start, also an empty one."""
    cases = [(random_steps(exam.rng, int(exam.rng.integers(1, 12))), str(exam.rng.choice(["host", "device"])))
             for _ in range(40)]  # fmt: skip
    cases += [([("a", "any", 5), ("b", "any", 7)], "device"), ([], "host"),
              ([("a", "device", 5), ("b", "any", 7), ("c", "device", 9), ("d", "host", 2)], "host")]  # fmt: skip
    for steps, start in cases:
        result = exam.call(crossings, list(steps), start)
        pair = list(result) if isinstance(result, np.ndarray) else result
        found = several(exam, pair, "how often", "bytes")
        count, total = number(exam, found[0], "How often"), number(exam, found[1], "The number of bytes")
        true = true_crossings(steps, start)
        case = f"from {start}: " + (", ".join(place for _, place, _ in steps) or "no steps")
        exam.expect("It counts each crossing", count == true[0],
                    f"{count:g}" + ("" if count == true[0] else f", not {true[0]}; {case}"))  # fmt: skip
        exam.expect("It adds up the bytes that cross", total == true[1],
                    f"{total:,.0f}" + ("" if total == true[1] else f", not {true[1]:,}; {case}"))  # fmt: skip

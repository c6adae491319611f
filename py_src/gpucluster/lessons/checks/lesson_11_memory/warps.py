"""Lesson 11, warps: how many steps a branch costs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...examination import Examination
from ...simulations.warps import LANES, run_warps
from .. import exercise
from ..answers import number


def random_branch(rng: np.random.Generator, lanes: int) -> NDArray[np.bool_]:
    """Return which threads take side a: whole warps of one side, mixed ones, and often a last one that is not full."""
    parts = []
    for _ in range(int(rng.integers(1, 12))):
        share = rng.choice([0.0, 1.0, 0.5, 1 / lanes])
        parts.append(rng.random(lanes) < share)
    rest = rng.random(int(rng.integers(0, lanes))) < rng.choice([0.0, 1.0, 0.5])
    return np.concatenate([*parts, rest])


@exercise("11.1", "warp_steps")
def check_warp_steps(exam: Examination, warp_steps: Any) -> None:
    """The steps are those of warps that go through each side that one of their threads takes."""
    sizes = [LANES] * 12 + [4, 8, 16, 64] * 3
    for lanes in sizes:
        takes_a = random_branch(exam.rng, lanes)
        steps_a, steps_b = (int(value) for value in exam.rng.integers(1, 40, 2))
        given = (takes_a, steps_a, steps_b) if lanes == LANES else (takes_a, steps_a, steps_b, lanes)
        found = number(exam, exam.call(warp_steps, *given), "The result")
        true = run_warps(takes_a, steps_a, steps_b, lanes).issued
        name = "warps of 32 lanes" if lanes == LANES else "warps of another size"
        what = f"{found:g} for {len(takes_a)} threads, {int(takes_a.sum())} of them on side a, lanes={lanes}"
        exam.expect(f"Each warp goes through every side that one of its threads takes ({name})", found == true,
                    what + ("" if found == true else f": {true} are right"))  # fmt: skip
    nobody = np.zeros(0, dtype=bool)
    found = number(exam, exam.call(warp_steps, nobody, 3, 5), "The result")
    exam.expect("No threads need no steps", found == 0, f"{found:g}")

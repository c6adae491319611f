"""Lesson 08, the refresher: a gradient by central differences."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...examination import Examination
from .. import exercise
from ..answers import Floats, numbers


@exercise("08.11", "slopes")
def check_slopes(exam: Examination, slopes: Any) -> None:
    """Random functions of one to six numbers, with steps of several sizes; f notes where it is asked.

    Once the entries of x are whole numbers: a step that is written into a copy of them is cut off.
    """
    rng = exam.rng
    for place, h in enumerate((1e-3, 1e-3, 0.5, 0.05, 1e-4, 0.2)):
        d = int(rng.integers(1, 7))
        matrix, cubic = rng.normal(size=(d, d)), rng.uniform(0.5, 2, d)
        x: Any = rng.normal(size=d)
        asked: list[Floats] = []
        if place == 1:
            x = rng.integers(-4, 5, d)

        def f(point: Any, matrix: Floats = matrix, cubic: Floats = cubic, asked: list[Floats] = asked) -> float:
            point = np.array(point, dtype=float)
            asked.append(point)
            return float(point @ matrix @ point + cubic @ point**3)

        found = numbers(exam, exam.call(slopes, f, x, h), "What `slopes` returns", (d,))
        true = (matrix + matrix.T) @ x + 3 * cubic * x**2 + cubic * h**2  # what central differences give, exactly
        gap = float(np.abs(found - true).max() / max(1.0, float(np.abs(true).max())))
        exam.expect("It gives the central differences", gap < 1e-7, f"off by {gap:.2g} for {d} numbers, h = {h:g}")
        moved = [point - x for point in asked]
        alone = all((np.abs(one) > 1e-12).sum() <= 1 for one in moved)
        exam.expect("Only one entry is changed at a time", alone, "it is" if alone else "several were changed at once")
        far = max((float(np.abs(one).max()) for one in moved), default=0.0)
        exam.expect("The step is h", abs(far - h) < 1e-6 * max(h, 1.0), f"{far:g} instead of {h:g}")

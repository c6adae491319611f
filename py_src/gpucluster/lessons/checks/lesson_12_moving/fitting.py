"""Lesson 12, fitting: latency and bandwidth of a link from measurements."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...examination import Examination
from .. import exercise
from ..answers import Floats, number, several


def best_fit(sizes: Floats, seconds: Floats) -> tuple[float, float]:
    """Return latency and seconds per byte with the smallest sum of squared relative errors."""
    rows = np.column_stack([np.ones_like(sizes), sizes]) / seconds[:, None]
    scale = np.abs(rows).max(axis=0)  # bytes and seconds are far apart
    found = np.linalg.lstsq(rows / scale, np.ones_like(seconds), rcond=None)[0] / scale
    return float(found[0]), float(found[1])


def misfit(sizes: Floats, seconds: Floats, alpha: float, per_byte: float) -> float:
    """Return the root of the mean squared relative error."""
    return float(np.sqrt(np.mean(((alpha + per_byte * sizes) / seconds - 1) ** 2)))


def random_link(rng: np.random.Generator, noise: float) -> tuple[Floats, Floats]:
    """Return sizes in no order, and the seconds of a link; sizes lie on both sides of latency times bandwidth."""
    alpha, beta = 10 ** rng.uniform(-5.5, -1), 10 ** rng.uniform(8, 11)
    powers = np.concatenate([rng.uniform(-3, -1, 3), rng.uniform(-1, 1, int(rng.integers(1, 5))), rng.uniform(1, 3, 3)])
    sizes = np.maximum(1, np.round(alpha * beta * 10**powers))
    rng.shuffle(sizes)
    return sizes, (alpha + sizes / beta) * np.exp(noise * rng.normal(size=len(sizes)))


def _share(error: float) -> str:
    """An error as a share; one that is many times the measurement as a power of ten."""
    return f"{error:.2%}" if error < 100 else f"{error:.0e} times the measured time"


@exercise("12.3", "fit_link", "half_size")
def check_fit(exam: Examination, fit_link: Any, half_size: Any) -> None:
    """Relative errors are as small as they can be, with and without noise."""
    for turn in range(24):
        sizes, seconds = random_link(exam.rng, 0.0 if turn % 3 == 0 else float(exam.rng.uniform(0.03, 0.15)))
        given: tuple[Any, Any] = (sizes, seconds)
        if turn % 2:
            given = ([int(size) for size in sizes], [float(second) for second in seconds])
        result = exam.call(fit_link, *given)
        pair = list(result) if isinstance(result, np.ndarray) else result
        found = several(exam, pair, "latency", "bandwidth")
        alpha, beta = number(exam, found[0], "The latency"), number(exam, found[1], "The bandwidth")
        exam.require("The bandwidth is more than 0", beta > 0, f"it is {beta:.3g}")
        true = best_fit(sizes, seconds)
        least, error = misfit(sizes, seconds, *true), misfit(sizes, seconds, alpha, 1 / beta)
        said = f"{1e6 * alpha:,.3g} µs and {beta / 1e9:,.3g} GB/s"
        best = "" if error <= 1.02 * least + 1e-4 else f"; best is {1e6 * true[0]:,.3g} µs, {1e-9 / true[1]:,.3g} GB/s"
        kind = (
            "Exact measurements are met" if turn % 3 == 0 else "With noise, relative errors are as small as they can be"
        )
        exam.expect(kind, error <= 1.02 * least + 1e-4,
                    f"off by {_share(error)} on average, {least:.2%} is possible; {said}{best}")  # fmt: skip
    for _ in range(10):
        alpha, beta = float(10 ** exam.rng.uniform(-6, -1)), float(10 ** exam.rng.uniform(8, 11))
        size = number(exam, exam.call(half_size, alpha, beta), "The size")
        rate = size / (alpha + size / beta)
        exam.expect("A message of this size reaches half of the bandwidth", abs(rate / beta - 0.5) < 1e-3,
                    f"{size:,.0f} bytes reach {rate / beta:.1%}")  # fmt: skip

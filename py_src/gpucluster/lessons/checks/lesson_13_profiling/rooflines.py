"""Lesson 13, no cluster needed: cost of a matrix product, and kernels on a roofline."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...examination import Examination, describe
from .. import exercise
from ..answers import number, several


@exercise("13.5", "matmul_cost", "place")
def check_roofline(exam: Examination, matmul_cost: Any, place: Any) -> None:
    """Costs of 20 products; 20 machines with kernels on both sides of the corner, and at it."""
    for _ in range(20):
        m, n, k = (int(size) for size in exam.rng.choice(np.arange(2, 3000), size=3, replace=False))
        itemsize = int(exam.rng.choice([2, 4, 8]))
        flops, n_bytes = several(exam, exam.call(matmul_cost, m, n, k, itemsize), "flops", "n_bytes")
        said = f"for ({m} × {k}) @ ({k} × {n}), {itemsize} bytes per number"
        exam.expect("A product costs 2 k operations per number of the result",
                    number(exam, flops, "flops") == 2 * m * n * k, f"{flops:,.0f} {said}")  # fmt: skip
        exam.expect("Each of the three matrices moves once",
                    number(exam, n_bytes, "n_bytes") == itemsize * (m * k + k * n + m * n),
                    f"{n_bytes:,.0f} {said}")  # fmt: skip
    if not exam.passed:
        return
    for _ in range(20):
        _expect_places(exam, place)
        if not exam.passed:
            return


def random_machine(rng: np.random.Generator) -> tuple[dict[str, tuple[float, float]], float, float]:
    """Return kernels, peak and bandwidth; all powers of two, so that the kernel at the corner is there exactly."""
    bandwidth = 2.0 ** int(rng.integers(32, 43))
    ridge = 2.0 ** int(rng.integers(1, 7))
    kernels: dict[str, tuple[float, float]] = {}
    sides = ("left", "left", "right", "right", "corner")
    for place, side in zip(rng.choice(1000, len(sides), replace=False), sides, strict=True):
        n_bytes = 2.0 ** int(rng.integers(18, 34))
        factor = {"left": rng.uniform(0.02, 0.95), "right": rng.uniform(1.05, 60.0), "corner": 1.0}[side]
        kernels[f"kernel {place}"] = (float(n_bytes * ridge * factor), n_bytes)
    names = [str(name) for name in rng.permutation(list(kernels))]
    return {name: kernels[name] for name in names}, ridge * bandwidth, bandwidth


def _expect_places(exam: Examination, place: Any) -> None:
    kernels, peak, bandwidth = random_machine(exam.rng)
    found = exam.call(place, dict(kernels), peak, bandwidth)
    exam.require("It returns a dictionary with each kernel, and no others",
                 isinstance(found, dict) and found.keys() == kernels.keys(),
                 f"{list(found)[:5]}" if isinstance(found, dict) else describe(found))  # fmt: skip
    for name, (flops, n_bytes) in kernels.items():
        intensity, attainable, label = several(exam, found[name], "intensity", "attainable", "label")
        intensity, attainable = number(exam, intensity, "The intensity"), number(exam, attainable, "What is attainable")
        true = flops / n_bytes
        said = f"{flops:.4g} operations, {n_bytes:.4g} bytes, peak {peak:.4g}, bandwidth {bandwidth:.4g}"
        exam.expect("The intensity is operations per byte", abs(intensity / true - 1) < 1e-9,
                    f"{intensity:.4g} for {said}")  # fmt: skip
        most = min(peak, true * bandwidth)
        exam.expect("What is attainable is the lower of slope and roof", abs(attainable / most - 1) < 1e-9,
                    f"{attainable:.4g} for {said}")  # fmt: skip
        right = "compute" if true * bandwidth >= peak else "memory"
        where = (
            "at the corner itself, compute" if true * bandwidth == peak else "memory below the corner, compute above"
        )
        exam.expect(f"The label is right: {where}", str(label) == right, f"{label!r} for {said}")

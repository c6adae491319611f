"""A roofline: how many operations per second a machine can reach, for each number of operations per byte."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from .drawing import when_ready
from .vector import BLUE, COLOURS, GREY, ORANGE, Picture

WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 860.0, 400.0, 84.0, 14.0, 64.0
LOWEST, HIGHEST = 1 / 32, 4096.0
"""Operations per byte that are drawn."""

PUBLISHED = {"A100 80 GB SXM": (19.5e12, 2.039e12), "H200 SXM": (67e12, 4.8e12)}
"""Peaks in single precision and bandwidth of the memory, from NVIDIA's data sheets: promised, not measured."""


@when_ready
def roofline(
    points: Mapping[str, tuple[float, float]],
    roofs: Mapping[str, tuple[float, float]],
    labels: Mapping[str, str] | None = None,
) -> None:
    """Draw kernels below the lines of one machine or several.

    Parameters
    ----------
    points : dict
        By name: operations per byte, and operations per second that were reached.
    roofs : dict
        By name: most operations per second, and bytes per second. The first is drawn thick.
    labels : dict, optional
        By name of a point: ``"memory"`` or ``"compute"``.
    """
    if not points:
        print("Nothing to draw yet: finish the exercise above, then run this cell again.")
        return
    heights = [value for _, value in points.values()] + [peak for peak, _ in roofs.values()]
    low = 10 ** math.floor(math.log10(min(heights) / 3))
    high = 10 ** math.ceil(math.log10(max(heights)))
    told = "; ".join(f"{name}: {x:.3g} operations per byte, {_rate(y)}" for name, (x, y) in points.items())
    lines = "; ".join(f"{name}: {_rate(peak)}, {band / 1e9:,.0f} GB/s" for name, (peak, band) in roofs.items())
    picture = Picture(WIDTH, HEIGHT, f"Roofline. Lines: {lines}. Kernels: {told}.")

    def x_of(intensity: float) -> float:
        share = math.log(intensity / LOWEST) / math.log(HIGHEST / LOWEST)
        return LEFT + (WIDTH - LEFT - 20) * min(max(share, 0.0), 1.0)

    def y_of(rate: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (1 - math.log(rate / low) / math.log(high / low))

    _grid(picture, x_of, y_of, low, high)
    for place, (name, (peak, band)) in enumerate(roofs.items()):
        ridge = min(max(peak / band, LOWEST), HIGHEST)
        start = max(LOWEST, low / band)
        bend = [(x_of(start), y_of(max(low, min(peak, start * band)))), (x_of(ridge), y_of(peak))]
        colour = COLOURS[place % len(COLOURS)]
        picture.line([*bend, (x_of(HIGHEST), y_of(peak))], colour, width=3 if place == 0 else 1.4,
                     dashes="" if place == 0 else "6 4")  # fmt: skip
        picture.text(WIDTH - 22, y_of(peak) - 6, f"{name}: {_rate(peak)}, {band / 1e9:,.0f} GB/s", anchor="end",
                     over_lines=True)  # fmt: skip
    for place, (name, (intensity, rate)) in enumerate(sorted(points.items(), key=lambda item: item[1])):
        bound = (labels or {}).get(name)
        colour = {"memory": ORANGE, "compute": BLUE}.get(str(bound), GREY)
        words = f"{name}: {intensity:.3g} operations per byte, {_rate(rate)}" + (f", {bound}-bound" if bound else "")
        picture.dot(x_of(intensity), y_of(max(rate, low)), colour, words)
        # By turns below and above, so that names of neighbours do not cover each other.
        picture.text(x_of(intensity) + 8, y_of(max(rate, low)) + (-9 if place % 2 else 15), name, over_lines=True)
    unknown = any(name not in (labels or {}) for name in points)
    kinds = [(ORANGE, "memory-bound"), (BLUE, "compute-bound"), *([(GREY, "no label yet")] if unknown else [])]
    picture.legend(LEFT, HEIGHT - 8, kinds)
    picture.show()


def _grid(picture: Picture, x_of: Any, y_of: Any, low: float, high: float) -> None:
    rate = low
    while rate <= high * 1.001:
        picture.line([(LEFT, y_of(rate)), (WIDTH - 20, y_of(rate))], GREY, width=0.5, opacity=0.5)
        picture.text(LEFT - 6, y_of(rate) + 4, _rate(rate), anchor="end")
        rate *= 10
    for power in range(-4, 12, 4):
        x = x_of(2.0**power)
        picture.line([(x, TOP), (x, HEIGHT - BOTTOM)], GREY, width=0.5, opacity=0.5)
        picture.text(x, HEIGHT - BOTTOM + 16, f"1/{2**-power}" if power < 0 else str(2**power), anchor="middle")
    picture.text(WIDTH - 22, HEIGHT - BOTTOM + 34, "operations per byte moved", anchor="end")


def _rate(rate: float) -> str:
    for limit, unit in ((1e12, "T"), (1e9, "G"), (1e6, "M")):
        if rate >= limit:
            return f"{rate / limit:.3g} {unit}flop/s"
    return f"{rate:.3g} flop/s"

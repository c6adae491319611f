"""The figures of lesson 13."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...figures.drawing import when_ready
from ...figures.vector import BLUE, COLOURS, GREEN, GREY, ORANGE, RED, Picture
from .tools import Trace

# Figures of counters over time, and of shares of a whole.


WIDTH, LEFT = 860.0, 96.0


@when_ready
def counters(series: Mapping[str, Sequence[float]], unit: str, *, rolling: int = 0, limit: float | None = None) -> None:
    """Draw figures over time, one line per name; gaps where nothing was measured.

    Parameters
    ----------
    rolling : int, optional
        Samples of a rolling mean, drawn thick; the samples are then thin.
    """
    values = {name: np.asarray(one, dtype=float) for name, one in series.items()}
    values = {name: one for name, one in values.items() if np.isfinite(one).any()}
    if not values:
        print("Nothing to draw: nothing was measured.")
        return
    most = max(float(np.nanmax(one)) for one in values.values()) or 1.0
    length = max(map(len, values.values()))
    means = ", ".join(f"{name} {np.nanmean(one):.0f}" for name, one in values.items())
    picture = Picture(WIDTH, 222, f"Figures over {length} samples in {unit}. Means: {means}.")
    step, height = (WIDTH - LEFT - 24) / max(length - 1, 1), 160.0
    picture.box(LEFT, 12, WIDTH - LEFT - 24, height, GREY, opacity=0.1)
    picture.text(LEFT - 8, 22, f"{most:,.0f} {unit}", anchor="end")
    picture.text(LEFT - 8, 12 + height, "0", anchor="end")
    if limit is not None:
        y = 12 + height * (1 - limit / most)
        picture.line([(LEFT, y), (WIDTH - 24, y)], RED, dashes="5 4", width=1.2)
    for colour, one in zip(COLOURS, values.values(), strict=False):
        for smooth in (False, True) if rolling else (True,):
            drawn = _rolling(one, rolling) if smooth and rolling else one
            points = [(LEFT + step * place, 12 + height * (1 - value / most)) for place, value in enumerate(drawn)]
            for run in _runs(points):
                picture.line(run, colour, width=2.4 if smooth else 0.9, opacity=1.0 if smooth else 0.55)
    picture.text(LEFT, 188, "first sample")
    picture.text(WIDTH - 24, 188, f"sample {length}", anchor="end")
    picture.legend(LEFT, 212, list(zip(COLOURS, values, strict=False)))
    picture.show()


def _rolling(values: Any, window: int) -> Any:
    """Return the mean of the last n samples; NaN until there are n."""
    means = np.full(len(values), np.nan)
    for place in range(window - 1, len(values)):
        means[place] = values[place - window + 1 : place + 1].mean()
    return means


def _runs(points: Sequence[tuple[float, float]]) -> list[list[tuple[float, float]]]:
    """Cut a line where a value is missing."""
    runs: list[list[tuple[float, float]]] = [[]]
    for point in points:
        if np.isfinite(point[1]):
            runs[-1].append(point)
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]


@when_ready
def traces(shown: Mapping[str, Trace]) -> None:
    """Draw the counters of each trace in a separate row, and what is known of its memory."""
    picture = Picture(WIDTH, 118 * len(shown) + 26, f"Counters of the traces {', '.join(shown)} over one minute each: "
                      + "; ".join(f"{name}: {_said(one)}" for name, one in shown.items()))  # fmt: skip
    width = 560.0
    for row, (name, one) in enumerate(shown.items()):
        top = 118.0 * row + 8
        picture.text(18, top + 56, name, size=22, bold=True)
        picture.text(LEFT - 8, top + 10, "100 %", anchor="end")
        picture.text(LEFT - 8, top + 100, "0", anchor="end")
        picture.box(LEFT, top, width, 100, GREY, opacity=0.1)
        for colour, figure in zip((BLUE, RED, ORANGE, GREEN), (one.kernels, one.copies, one.host, one.occupancy),
                                  strict=True):  # fmt: skip
            step = width / (len(figure) - 1)
            picture.line([(LEFT + step * x, top + 100 - value) for x, value in enumerate(figure)], colour, width=1.5)
        gib = 2**30
        for line, words in enumerate((
            "out of memory!" if one.failed else "ended well",
            f"free: {one.free_bytes / gib:.1f} GiB",
            f"largest piece: {one.largest_bytes / gib:.1f} GiB",
            f"last request: {one.asked_bytes / gib:.1f} GiB",
        )):  # fmt: skip
            picture.text(LEFT + width + 16, top + 22 + 20 * line, words, bold=line == 0 and one.failed)
    picture.legend(LEFT, 118 * len(shown) + 18, [(BLUE, "kernels run"), (RED, "copies"), (ORANGE, "loader's core"),
                                                (GREEN, "occupancy")])  # fmt: skip
    picture.show()


def _said(one: Trace) -> str:
    means = f"kernels {one.kernels.mean():.0f} %, copies {one.copies.mean():.0f} %, "
    means += f"loader's core {one.host.mean():.0f} %, occupancy {one.occupancy.mean():.0f} %"
    return f"{means}, out of memory" if one.failed else means


@when_ready
def shares(seconds: Mapping[str, float]) -> None:
    """Draw parts of a whole as one bar."""
    total = sum(seconds.values())
    if total <= 0:
        print("Nothing to draw: all parts are 0.")
        return
    said = ", ".join(f"{name} {value / total:.0%}" for name, value in seconds.items())
    picture = Picture(WIDTH, 66, f"Shares of {total:.2f} seconds: {said}.")
    x = 8.0
    for place, (name, value) in enumerate(seconds.items()):
        width = (WIDTH - 16) * value / total
        colour = GREY if name == "other" else COLOURS[place % len(COLOURS)]
        picture.box(x, 6, width, 26, colour, f"{name}: {value:.3f} s, {value / total:.1%}")
        x += width
    named = [(GREY if name == "other" else COLOURS[place % len(COLOURS)], f"{name} {value / total:.0%}")
             for place, (name, value) in enumerate(seconds.items())]  # fmt: skip
    picture.legend(8, 54, named)
    picture.show()


# A roofline: how many operations per second a machine can reach, for each number of operations per byte.


ROOF_WIDTH, HEIGHT, ROOF_LEFT, TOP, BOTTOM = 860.0, 400.0, 84.0, 14.0, 64.0
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
    picture = Picture(ROOF_WIDTH, HEIGHT, f"Roofline. Lines: {lines}. Kernels: {told}.")

    def x_of(intensity: float) -> float:
        share = math.log(intensity / LOWEST) / math.log(HIGHEST / LOWEST)
        return ROOF_LEFT + (ROOF_WIDTH - ROOF_LEFT - 20) * min(max(share, 0.0), 1.0)

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
        picture.text(ROOF_WIDTH - 22, y_of(peak) - 6, f"{name}: {_rate(peak)}, {band / 1e9:,.0f} GB/s", anchor="end",
                     over_lines=True)  # fmt: skip
    for place, (name, (intensity, rate)) in enumerate(sorted(points.items(), key=lambda item: item[1])):
        bound = (labels or {}).get(name)
        colour = {"memory": ORANGE, "compute": BLUE}.get(str(bound), GREY)
        words = f"{name}: {intensity:.3g} operations per byte, {_rate(rate)}" + (f", {bound}-bound" if bound else "")
        picture.dot(x_of(intensity), y_of(max(rate, low)), colour, words)
        # Alternating below and above, so that names of neighbours do not cover each other.
        picture.text(x_of(intensity) + 8, y_of(max(rate, low)) + (-9 if place % 2 else 15), name, over_lines=True)
    unknown = any(name not in (labels or {}) for name in points)
    kinds = [(ORANGE, "memory-bound"), (BLUE, "compute-bound"), *([(GREY, "no label yet")] if unknown else [])]
    picture.legend(ROOF_LEFT, HEIGHT - 8, kinds)
    picture.show()


def _grid(picture: Picture, x_of: Any, y_of: Any, low: float, high: float) -> None:
    rate = low
    while rate <= high * 1.001:
        picture.line([(ROOF_LEFT, y_of(rate)), (ROOF_WIDTH - 20, y_of(rate))], GREY, width=0.5, opacity=0.5)
        picture.text(ROOF_LEFT - 6, y_of(rate) + 4, _rate(rate), anchor="end")
        rate *= 10
    for power in range(-4, 12, 4):
        x = x_of(2.0**power)
        picture.line([(x, TOP), (x, HEIGHT - BOTTOM)], GREY, width=0.5, opacity=0.5)
        picture.text(x, HEIGHT - BOTTOM + 16, f"1/{2**-power}" if power < 0 else str(2**power), anchor="middle")
    picture.text(ROOF_WIDTH - 22, HEIGHT - BOTTOM + 34, "operations per byte moved", anchor="end")


def _rate(rate: float) -> str:
    for limit, unit in ((1e12, "T"), (1e9, "G"), (1e6, "M")):
        if rate >= limit:
            return f"{rate / limit:.3g} {unit}flop/s"
    return f"{rate:.3g} flop/s"

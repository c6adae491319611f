"""Figures of counters over time, and of shares of a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..simulations.traces import Trace
from .drawing import when_ready
from .vector import BLUE, COLOURS, GREEN, GREY, ORANGE, RED, Picture

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
    """Return the mean of the last so many samples; NaN until there are so many."""
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
    """Draw the counters of each trace in a row of its own, and what is known of its memory."""
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
            f"last asked for: {one.asked_bytes / gib:.1f} GiB",
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

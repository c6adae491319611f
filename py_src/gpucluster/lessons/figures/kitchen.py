"""Figures of the kitchen: who worked when, drawn from the learner's own log and task stream."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..simulations.kitchen import Entry, Order, makespan
from .drawing import ACCENT, INK, QUIET, WARNING, new_axes, show, show_frames, when_ready

_WAITING = "#e9e4da"


@when_ready
def gantt(evenings: dict[str, Sequence[Entry]], orders: Sequence[Order], bound: float | None = None) -> None:
    """Draw one chart per evening: a row per cook, a bar per order, hatched where a cook stands and waits.

    Parameters
    ----------
    evenings : dict
        Title of the chart and the log.
    bound : float, optional
        Drawn as a line: no schedule can end earlier.
    """
    evenings = {title: log for title, log in evenings.items() if log}
    if not evenings:
        print("Nothing to draw yet: finish the exercise above, then run this cell again.")
        return
    knives = {order.name for order in orders if order.knife}
    rows = max(len({entry.cook for entry in log}) for log in evenings.values())
    figure, axes = new_axes(9.5, len(evenings) * (0.75 + 0.42 * rows), nrows=len(evenings), sharex=True, squeeze=False)
    for one, (title, log) in zip(axes[:, 0], evenings.items(), strict=True):
        zero = min(entry.taken for entry in log)
        cooks = sorted({entry.cook for entry in log}, key=str)
        for entry in log:
            _order(one, cooks.index(entry.cook), entry, zero, entry.name in knives)
        if isinstance(bound, (int, float)):
            one.axvline(bound, color=WARNING, linewidth=1.2, linestyle="--")
        one.set(yticks=range(len(cooks)), yticklabels=[f"cook {cook}" for cook in cooks], ylim=(len(cooks) - 0.5, -0.5))
        one.set_title(f"{title}: {makespan(log):.2f} s", fontsize=10, loc="left")
        one.tick_params(axis="y", length=0)
    axes[-1, 0].set_xlabel("seconds since the first order")
    axes[-1, 0].set_xlim(0, 1.02 * max(makespan(log) for log in evenings.values()))
    figure.legend(handles=_legend(bound), ncols=4, frameon=False, fontsize=9, loc="outside lower center")
    show(figure)


def _order(axes: Any, row: int, entry: Entry, zero: float, knife: bool) -> None:
    if entry.began - entry.taken > 0.005:
        axes.barh(row, entry.began - entry.taken, left=entry.taken - zero, height=0.66, color=_WAITING, hatch="////",
                  edgecolor=QUIET, linewidth=0)  # fmt: skip
    busy = entry.ended - entry.began
    colour = ACCENT if knife else "#7fa650"
    axes.barh(row, busy, left=entry.began - zero, height=0.66, color=colour, edgecolor="white", linewidth=1)
    axes.text(entry.began - zero + busy / 2, row, entry.name.replace(" ", "\n"), ha="center", va="center", fontsize=7.5,
              color="white", linespacing=0.95, clip_on=True)  # fmt: skip


def _legend(bound: float | None) -> list[Any]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    shown = [
        Patch(color=ACCENT, label="works with a knife"),
        Patch(color="#7fa650", label="works without"),
        Patch(facecolor=_WAITING, edgecolor=QUIET, hatch="////", label="holds an order and waits for a knife"),
    ]
    line = Line2D([], [], color=WARNING, linestyle="--", label="lower bound (03.1)")
    return [*shown, line] if isinstance(bound, (int, float)) else shown


@when_ready
def animation(bars: Sequence[tuple[Any, ...]], frames: int = 25) -> None:
    """Play the learner's bars (row, start, seconds, name) again, and count the cooks at work."""
    from matplotlib.patches import Patch

    rows = 1 + max(int(bar[0]) for bar in bars)
    end = max(bar[1] + bar[2] for bar in bars)
    kinds = sorted({str(bar[3]).split()[0] for bar in bars})
    colours = {kind: (ACCENT, "#7fa650", WARNING, "#8a6fb0", INK)[index % 5] for index, kind in enumerate(kinds)}

    figure, axes = new_axes(9, 1.6 + 0.45 * rows)

    def draw(frame: int) -> None:
        axes.clear()
        now = end * frame / (frames - 1)
        for row, start, seconds, name in bars:
            if start < now:
                kind = str(name).split()[0]
                axes.barh(row, min(seconds, now - start), left=start, height=0.7, color=colours[kind],
                          edgecolor="white", linewidth=0.6)  # fmt: skip
        axes.axvline(now, color=INK, linewidth=1)
        at_work = len({row for row, start, seconds, _ in bars if start <= now < start + seconds})
        axes.set(xlim=(0, end * 1.02), ylim=(rows - 0.4, -0.6), yticks=range(rows), xlabel="seconds",
                 yticklabels=[f"cook {row}" for row in range(rows)],
                 title=f"{now:.2f} s: {at_work} of {rows} cooks at work")  # fmt: skip
        # All kinds from the first frame on, so that the picture does not jump.
        axes.legend(handles=[Patch(color=colours[kind], label=kind) for kind in kinds], ncols=5, frameon=False,
                    fontsize=8, loc="lower center", bbox_to_anchor=(0.5, 1.1))  # fmt: skip

    words = f"The {len(bars)} tasks of the evening appear one after the other on {rows} rows, in {end:.2f} seconds."
    show_frames(figure, draw, frames, words=words, frame_seconds=0.15)


@when_ready
def speed(seconds: dict[str, dict[int, float]]) -> None:
    """Draw time against number of workers for several kinds of work, beside the ideal."""
    figure, axes = new_axes(9.5, 3.4, ncols=2)
    counts = sorted({count for times in seconds.values() for count in times})
    for index, (kind, times) in enumerate(seconds.items()):
        colour, x = (ACCENT, WARNING)[index % 2], sorted(times)
        axes[0].plot(x, [times[count] for count in x], color=colour, marker="o", label=kind)
        axes[1].plot(x, [times[x[0]] / times[count] for count in x], color=colour, marker="o", label=kind)
    axes[1].plot(counts, [count / counts[0] for count in counts], color=QUIET, linestyle="--", label="ideal")
    axes[0].set(xlabel="workers", ylabel="seconds", title="the same work", xticks=counts)
    axes[0].set_ylim(bottom=0)
    axes[1].set(xlabel="workers", ylabel="times as fast", title="speed-up", xticks=counts)
    axes[1].legend(frameon=False)
    show(figure)


@when_ready
def weak_scaling(seconds: dict[int, float]) -> None:
    """Draw the time when the work grows with the number of workers: ideally, it stays the same."""
    counts = sorted(seconds)
    figure, axes = new_axes(5.2, 3.0)
    axes.bar(counts, [seconds[count] for count in counts], color=ACCENT, width=0.5)
    axes.axhline(seconds[counts[0]], color=QUIET, linestyle="--", label="ideal: as long as with one worker")
    axes.set(xticks=counts, xlabel="workers, with as many times the work", ylabel="seconds")
    axes.set_ylim(0, 1.3 * max(seconds.values()))
    axes.legend(frameon=False, loc="upper left")
    show(figure)


@when_ready
def partition_sizes(before: Sequence[int], after: Sequence[int] | None = None) -> None:
    """Draw the rows of each partition, and their mean."""
    charts = {"as it was cut": before, **({"as you cut it": after} if after is not None else {})}
    figure, axes = new_axes(9.0 if after is not None else 5.0, 2.8, ncols=len(charts), squeeze=False, sharey=True)
    for one, (title, rows) in zip(axes[0], charts.items(), strict=True):
        mean = float(np.mean(rows))
        one.bar(range(len(rows)), rows, color=ACCENT)
        one.axhline(mean, color=WARNING, linestyle="--", label=f"mean {mean:,.0f}")
        one.set(xlabel="partition", title=f"{title}: max / mean = {max(rows) / mean:.2f}", xticks=range(len(rows)))
        one.legend(frameon=False)
    axes[0, 0].set_ylabel("rows")
    axes[0, 0].yaxis.set_major_formatter("{x:,.0f}")
    show(figure)

"""Figures of the lesson on sizes, drawn from what the learner's machine measured."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...figures.drawing import ACCENT, INK, QUIET, WARNING, new_axes, show
from ...probes.timing import Busy
from .probes import Outcome


def bytes_per_column(table: Any) -> None:
    """Draw how many bytes of a row each column of a pandas table takes."""
    from pandas.api.types import is_string_dtype

    used = table.memory_usage(deep=True, index=False).sort_values(ascending=False)
    text = [is_string_dtype(table[name].dtype) for name in used.index]
    figure, axes = new_axes(8.0, 0.24 * len(used) + 0.8)
    values = used / len(table)
    bars = axes.barh(used.index, values, color=[INK if is_text else ACCENT for is_text in text], height=0.7)
    axes.bar_label(bars, labels=[f"{value:.1f}" for value in values], padding=3, fontsize=8)
    axes.invert_yaxis()
    axes.tick_params(axis="y", length=0, labelsize=9)
    axes.set(xlabel="bytes per row", title=f"{values.sum():.1f} bytes per row, {len(used)} columns (text is dark)")
    show(figure)


def doubling(years: float, first: int, last: int) -> None:
    """Draw the same growth on a linear and on a logarithmic axis."""
    time = np.linspace(first, last, 200)
    value = 2 ** ((time - first) / years)
    figure, axes = new_axes(9.0, 3.2, ncols=2)
    steps = np.arange(first, last + 1e-9, years)
    for one, scale in zip(axes, ("linear", "log"), strict=True):
        one.plot(time, value, color=ACCENT, linewidth=2)
        one.plot(steps, 2 ** ((steps - first) / years), "o", color=WARNING, markersize=4)
        one.set(yscale=scale, xlabel="year", title=f"{'linear' if scale == 'linear' else 'logarithmic'} axis")
    axes[0].set_ylabel(f"times the value of {first}")
    axes[1].set_yticks([2**power for power in range(int((last - first) / years) + 1)])
    axes[1].yaxis.set_major_formatter("{x:.0f}")
    axes[1].yaxis.set_minor_locator(_no_ticks())
    figure.supxlabel(f"calculated: doubles every {years:g} years; each dot is twice the one before", fontsize=8)
    show(figure)


def _no_ticks() -> Any:
    from matplotlib.ticker import NullLocator

    return NullLocator()


def busy_cores(runs: dict[str, Busy]) -> None:
    """Draw how many cores were busy, in the notebook and on the workers."""
    figure, axes = new_axes(7.5, 0.5 * len(runs) + 1.2)
    names = list(runs)
    notebook = np.array([run.notebook for run in runs.values()])
    workers = np.array([run.workers for run in runs.values()])
    axes.barh(names, notebook, color=WARNING, height=0.55, label="notebook")
    axes.barh(names, workers, left=notebook, color=ACCENT, height=0.55, label="all workers")
    for index, total in enumerate(notebook + workers):
        axes.annotate(
            f"{total:.1f}", (total, index), xytext=(4, 0), textcoords="offset points", va="center", fontsize=9
        )
    axes.axvline(1, color=QUIET, linewidth=1, linestyle=":")
    axes.invert_yaxis()
    axes.tick_params(axis="y", length=0)
    axes.set(xlabel="cores busy on average", xlim=(0, max(1.5, (notebook + workers).max() * 1.15)))
    axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    show(figure)


def crossover(measured: Any) -> None:
    """Draw both times against the number of rows, and where the two straight lines through them meet."""
    figure, axes = new_axes(7.5, 3.8)
    rows = measured["rows"].to_numpy(dtype=float)
    lines = {}
    for name, colour, marker in (("pandas", WARNING, "o"), ("Dask", ACCENT, "s")):
        seconds = measured[name].to_numpy(dtype=float)
        slope, start = np.polyfit(rows, seconds, 1, w=1 / seconds)
        lines[name] = slope, start
        axes.plot(rows, seconds, color=colour, marker=marker, linewidth=1.6, label=name)
        # Two lines that end at about the same time: the words of one above, of the other below.
        is_slower = seconds[-1] >= max(measured["pandas"].iloc[-1], measured["Dask"].iloc[-1])
        axes.annotate(f"{seconds[-1]:.2f} s", (rows[-1], seconds[-1]), xytext=(6, 2 if is_slower else -9),
                      textcoords="offset points", color=colour, fontsize=9)  # fmt: skip
    axes.set(xscale="log", yscale="log", xlabel="rows, logarithmic", ylabel="seconds, logarithmic",
             title=_meeting(lines, rows))  # fmt: skip
    axes.set_xticks(rows, [f"{value:,.0f}" for value in rows])
    axes.xaxis.set_minor_locator(_no_ticks())
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter(lambda value, _: f"{value:g}" if f"{value:.0e}"[0] in "235" else "")
    axes.margins(x=0.12)
    axes.legend(frameon=False)
    show(figure)


def _meeting(lines: dict[str, tuple[float, float]], rows: Any) -> str:
    """Say at how many rows two straight lines meet: seconds = start + slope × rows."""
    (slow, early), (fast, late) = lines["pandas"], lines["Dask"]
    if fast >= slow:
        return "In this run, Dask needs more time per row: the lines never cross"
    meet = (late - early) / (slow - fast)
    if meet <= rows[0]:
        return f"In this run, Dask wins from {rows[0]:,.0f} rows, or even fewer"
    where = "" if meet <= rows[-1] else " (beyond the measured range)"
    return f"In this run, the lines cross at about {float(f'{meet:.1g}'):,.0f} rows{where}"


def under_the_cap(outcomes: dict[Any, Outcome]) -> None:
    """Draw the most memory that each run used, and the cap; runs that the cap ended are marked."""
    runs = {
        (f"pandas, {name} {'copy' if name == 1 else 'copies'}" if isinstance(name, int) else f"{name} copies"): outcome
        for name, outcome in sorted(outcomes.items(), key=lambda item: (isinstance(item[0], str), item[0]))
    }
    figure, axes = new_axes(8.0, 0.42 * len(runs) + 1.2)
    for index, outcome in enumerate(runs.values()):
        colour = ACCENT if outcome.survived else WARNING
        axes.barh(index, outcome.peak_bytes / 1e6, color=colour, height=0.6)
        text = f"{outcome.peak_bytes / 1e6:,.0f} MB" if outcome.survived else "✗ MemoryError"
        axes.annotate(text, (outcome.peak_bytes / 1e6, index), xytext=(4, 0), textcoords="offset points",
                      va="center", fontsize=9, color=INK,
                      bbox={"facecolor": "white", "edgecolor": "none", "pad": 1})  # fmt: skip
    limit = next(iter(runs.values())).limit_bytes / 1e6
    axes.axvline(limit, color=INK, linewidth=1.2, linestyle="--")
    axes.annotate(
        f"cap {limit:,.0f} MB", (limit, -0.75), xytext=(-4, 0), textcoords="offset points", ha="right", fontsize=9
    )
    axes.set_yticks(range(len(runs)), list(runs))
    axes.set(xlabel="peak memory, without the libraries (MB)", xlim=(0, limit * 1.3), ylim=(len(runs) - 0.4, -1.1))
    axes.tick_params(axis="y", length=0)
    show(figure)

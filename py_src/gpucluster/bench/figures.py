"""Scaling curves and times as Bokeh figures."""

from __future__ import annotations

from typing import Any

from ..protocol.plain_text import counted
from .result import BenchResult, Measurement, by_workload, curves, efficiency, speed_up, speed_up_intervals

# Okabe and Ito's colours, for colour-blind readers; with shapes, because there are more workloads.
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#7a5fc0", "#666666")
SHAPES = ("circle", "square", "triangle", "diamond", "inverted_triangle")
_IDEAL = "#999999"
_APART = 0.012  # Between the points of two workloads, as a share of the axis.
_WIDE, _HIGH = 540, 360
_SMALL, _LOW = 355, 250


def speed_up_figure(result: BenchResult) -> Any:
    """Return speed-up against workers, one line a workload, and the line of perfect scaling."""
    few = min(result.cluster.n_workers)
    made = _figure(result, f"Speed-up over {counted(few, 'worker')}", _WIDE, _HIGH)
    counts = sorted(result.cluster.n_workers)
    made.line(counts, [count / few for count in counts], color=_IDEAL, line_dash="dashed", line_width=2)
    _lines(made, curves(result), speed_up, lambda one, first: 1.0)
    made.y_range.start = 0
    made.yaxis.axis_label = "times as fast"
    return made


def efficiency_figure(result: BenchResult) -> Any:
    """Return efficiency against workers, one line a workload."""
    made = _figure(result, "Efficiency: speed-up per worker", _WIDE, _HIGH)
    counts = sorted(result.cluster.n_workers)
    made.line(counts, [1.0] * len(counts), color=_IDEAL, line_dash="dashed", line_width=2)
    _lines(made, curves(result), efficiency, lambda one, first: first.n_workers / one.n_workers)
    made.y_range.start = 0
    made.yaxis.formatter.format = "0%"
    return made


def time_figures(result: BenchResult) -> list[Any]:
    """Return a small figure for each workload on several numbers of workers: all runs, medians, perfect scaling."""
    found = []
    for name, ones in by_workload(result).items():
        if len(ones) < 2:
            continue
        unit, factor = _unit(max(max(one.seconds) for one in ones))
        made = _figure(result, name, _SMALL, _LOW)
        counts = [one.n_workers for one in ones]
        medians = [one.spread.median / factor for one in ones]
        if ones[0].scales:
            ideal = [medians[0] * counts[0] / count for count in counts]
            made.line(counts, ideal, color=_IDEAL, line_dash="dashed", line_width=2)
        points = [(one.n_workers, seconds / factor) for one in ones for seconds in one.seconds]
        made.scatter([x for x, _ in points], [y for _, y in points], color=COLOURS[0], alpha=0.35, size=7)
        made.line(counts, medians, color=COLOURS[0], line_width=2)
        made.y_range.start = 0
        made.yaxis.axis_label = unit
        found.append(made)
    return found


def times_figure(result: BenchResult) -> Any:
    """Return one line a workload: all runs, the quartiles and the median, on a logarithmic scale of seconds."""
    from bokeh.models import FactorRange
    from bokeh.plotting import figure

    ones = result.measurements
    several = len(result.cluster.n_workers) > 1
    labels = [f"{one.workload} on {one.n_workers}" if several else one.workload for one in ones]
    made = figure(
        width=2 * _WIDE, height=90 + 30 * len(ones), x_axis_type="log", y_range=FactorRange(factors=labels[::-1]),
        toolbar_location=None, title="All runs, quartiles and median",
    )  # fmt: skip
    for label, one in zip(labels, ones, strict=True):
        spread = one.spread
        made.scatter(one.seconds, [label] * len(one.seconds), color=COLOURS[0], alpha=0.35, size=8)
        made.segment([spread.lower], [label], [spread.upper], [label], color=COLOURS[0], line_width=4, alpha=0.7)
        made.scatter([spread.median], [label], marker="dash", angle=1.5708, color="#222222", size=18, line_width=3)
    made.xaxis.major_label_overrides = {10.0**power: _tick(power) for power in range(-7, 5)}
    made.ygrid.grid_line_color = "#eeeeee"
    _plain(made)
    return made


def _tick(power: int) -> str:
    """Return a power of ten seconds in the common unit."""
    unit, least = next(pair for pair in (("s", 0), ("ms", -3), ("µs", -6), ("ns", -9)) if power >= pair[1])
    return f"{10 ** (power - least):,} {unit}"


def _figure(result: BenchResult, title: str, width: int, height: int) -> Any:
    from bokeh.models import DataRange1d, NumeralTickFormatter
    from bokeh.plotting import figure

    made = figure(width=width, height=height, title=title, toolbar_location=None, y_range=DataRange1d(start=0))
    made.xaxis.ticker = sorted(result.cluster.n_workers)
    made.xaxis.axis_label = "workers"
    made.yaxis.formatter = NumeralTickFormatter(format="0.[00]")
    _plain(made)
    return made


def _plain(made: Any) -> None:
    made.outline_line_color = None
    made.title.text_font_size = "13px"
    for axis in (*made.xaxis, *made.yaxis):
        axis.axis_label_text_font_style = "normal"
        axis.minor_tick_line_color = None


def _lines(made: Any, drawn: dict[str, list[Measurement]], values: Any, share: Any) -> None:
    """Draw a line a workload, and at each point the interval of the speed-up times a share."""
    from bokeh.models.annotations import Legend, LegendItem

    counts = [one.n_workers for ones in drawn.values() for one in ones]
    # Side by side, so that the bars do not overlap.
    apart = _APART * (max(counts) - min(counts))
    items = []
    for place, (name, ones) in enumerate(drawn.items()):
        colour, shape = COLOURS[place % len(COLOURS)], SHAPES[place % len(SHAPES)]
        x = [one.n_workers + (place - (len(drawn) - 1) / 2) * apart for one in ones]
        y = values(ones)
        bars = [
            (at, share(one, ones[0]) * ends[0], share(one, ones[0]) * ends[1])
            for at, one, ends in zip(x, ones, speed_up_intervals(ones), strict=True)
            if ends is not None
        ]
        at, lower, upper = (list(column) for column in zip(*bars, strict=True)) if bars else ([], [], [])
        whiskers = made.segment(at, lower, at, upper, color=colour, line_width=3, alpha=0.35)
        line = made.line(x, y, color=colour, line_width=2, alpha=0.8)
        dots = made.scatter(x, y, color=colour, marker=shape, size=9)
        items.append(LegendItem(label=name, renderers=[line, dots, whiskers]))
    legend = Legend(items=items, click_policy="hide", border_line_color=None, label_text_font_size="12px")
    made.add_layout(legend, "right")


def _unit(seconds: float) -> tuple[str, float]:
    if seconds >= 1:
        return "s", 1.0
    return ("ms", 1e-3) if seconds >= 1e-3 else ("µs", 1e-6)

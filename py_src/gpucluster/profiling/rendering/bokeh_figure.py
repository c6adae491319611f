"""The timeline as a Bokeh figure, with zoom and tooltips."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...protocol.durations import seconds
from ...protocol.sizes import format_size
from ..model import ReportFigures, TimelineLine
from .svg import LINE_COLOURS, OTHER, TRANSFER, colours_of

if TYPE_CHECKING:
    from bokeh.models import LayoutDOM

FOREGROUND = "#7f7f80"
"""Readable on white and on black; a notebook replaces it by its own text colour."""
_WIDTH = 860


def timeline_figure(report: ReportFigures) -> LayoutDOM:
    """Return the timeline: tasks by thread, transfers, memory and utilization, one above the other."""
    from bokeh.layouts import gridplot
    from bokeh.models import Range1d

    data = report.timeline_data
    end = max([report.wall_seconds, 1e-6, *(block.stop_seconds for block in data.blocks)])
    span = Range1d(start=0, end=end, bounds=(0, end))
    plots = [_tasks(report, span)]
    for unit, title in (("bytes", "Memory"), ("percent", "Utilization, mean of the workers")):
        lines = [line for line in data.lines if line.unit == unit]
        if lines:
            plots.append(_lines(lines, title, span))
    plots[-1].xaxis.axis_label = "seconds"
    return gridplot([[plot] for plot in plots], merge_tools=True, toolbar_location="above", sizing_mode="stretch_width")


def _plot(span: Any, height: int, title: str, **options: Any) -> Any:
    from bokeh.plotting import figure

    plot: Any = figure(
        height=height,
        title=title,
        x_range=span,
        tools="xpan,xwheel_zoom,xbox_zoom,reset",
        sizing_mode="stretch_width",  # As wide as the output, up to the maximum.
        max_width=_WIDTH,
        **options,
    )
    plot.background_fill_alpha = plot.border_fill_alpha = 0
    plot.outline_line_color = FOREGROUND
    plot.title.text_color = FOREGROUND
    plot.title.text_font_size = "12px"
    plot.grid.grid_line_alpha = 0.15
    plot.ygrid.grid_line_color = None
    plot.min_border_left = 90
    for axis in plot.axis:
        axis.axis_label_text_color = axis.major_label_text_color = FOREGROUND
        axis.axis_line_color = axis.major_tick_line_color = axis.minor_tick_line_color = FOREGROUND
    return plot


def _tasks(report: ReportFigures, span: Any) -> Any:
    from bokeh.models import ColumnDataSource, HoverTool

    data, colours = report.timeline_data, colours_of(report)
    lanes = [f"{place + 1}: {name}" for place, name in enumerate(data.lanes)]  # Factors must differ.
    rows = (["transfers"] if data.transfers else []) + lanes[::-1] or ["no tasks"]
    height = 90 + max(60, min(640, (22 if len(rows) <= 16 else 12) * len(rows)))
    plot = _plot(span, height, "Tasks by worker thread", y_range=rows)
    plot.yaxis.major_label_text_font_size = "10px" if len(rows) <= 24 else "8px"
    blocks = ColumnDataSource(
        {
            "lane": [lanes[block.lane] for block in data.blocks],
            "left": [block.start_seconds for block in data.blocks],
            "right": [block.stop_seconds for block in data.blocks],
            "colour": [colours.get(block.prefix, OTHER) for block in data.blocks],
            "prefix": [block.prefix for block in data.blocks],
            "tasks": [block.n_tasks for block in data.blocks],
            "took": [seconds(block.busy_seconds) for block in data.blocks],
        }
    )
    drawn = plot.hbar(y="lane", left="left", right="right", height=0.85, color="colour", line_width=0.5, source=blocks)
    tips = [("tasks", "@tasks of @prefix"), ("computed", "@took"), ("thread", "@lane"), ("from", "@left{0.000} s")]
    plot.add_tools(HoverTool(renderers=[drawn], tooltips=tips, point_policy="follow_mouse"))
    if data.transfers:
        moves = ColumnDataSource(
            {
                "lane": ["transfers"] * len(data.transfers),
                "left": [move.start_seconds for move in data.transfers],
                "right": [move.stop_seconds for move in data.transfers],
                "size": [format_size(move.n_bytes) for move in data.transfers],
                "way": [f"{move.source} → {move.target}" for move in data.transfers],
                "took": [seconds(max(0.0, move.stop_seconds - move.start_seconds)) for move in data.transfers],
            }
        )
        drawn = plot.hbar(
            y="lane", left="left", right="right", height=0.85, fill_color=TRANSFER, fill_alpha=0.5,
            line_color=TRANSFER, line_width=0.5, source=moves,
        )  # fmt: skip
        tips = [("transfer", "@size"), ("way", "@way"), ("took", "@took")]
        plot.add_tools(HoverTool(renderers=[drawn], tooltips=tips, point_policy="follow_mouse"))
    return plot


def _lines(lines: list[TimelineLine], title: str, span: Any) -> Any:
    from bokeh.models import ColumnDataSource, FixedTicker, HoverTool, Range1d

    most = max([value for line in lines for value in line.values if value is not None], default=0.0) or 1.0
    plot = _plot(span, 150, title, y_range=Range1d(start=0, end=most * 1.05))
    in_bytes = lines[0].unit == "bytes"
    plot.yaxis.ticker = FixedTicker(ticks=[0, most / 2, most])
    plot.yaxis.major_label_overrides = {0: "0"} | {
        tick: format_size(tick) if in_bytes else f"{tick:.0f} %" for tick in (most / 2, most)
    }
    for line in lines:
        source = ColumnDataSource(
            {
                "seconds": line.seconds,
                "value": [float("nan") if value is None else value for value in line.values],
                "shown": ["–" if value is None else format_size(value) if in_bytes else f"{value:.0f} %"
                          for value in line.values],
            }
        )  # fmt: skip
        drawn = plot.line(
            "seconds", "value", color=LINE_COLOURS.get(line.name, OTHER), line_width=1.5, legend_label=line.name,
            source=source,
        )  # fmt: skip
        plot.add_tools(HoverTool(renderers=[drawn], tooltips=[(line.name, "@shown"), ("at", "@seconds{0.00} s")]))
    plot.legend.background_fill_alpha = 0
    plot.legend.border_line_alpha = 0
    plot.legend.label_text_color = FOREGROUND
    plot.legend.label_text_font_size = "10px"
    plot.legend.orientation = "horizontal"
    plot.legend.padding = plot.legend.margin = 0
    plot.add_layout(plot.legend[0], "above")
    return plot

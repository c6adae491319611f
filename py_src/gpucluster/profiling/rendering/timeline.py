"""The timeline as SVG, for saved notebooks and pages without scripts, and as a Bokeh figure, with zoom and tooltips."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from ...protocol.durations import seconds
from ...protocol.sizes import format_size
from ..model import ReportFigures, TimelineLine
from ..recorders.tasks import Block, bounded

if TYPE_CHECKING:
    from bokeh.models import LayoutDOM

# Okabe and Ito's palette without black and yellow (unreadable on one of the backgrounds), then mixtures.
_COLOURS = ("#0a84c6", "#e0861a", "#00a076", "#cc6ba0", "#d55e00", "#56a8d8", "#8a6fc8", "#8f9a1f")
OTHER = "#8a8a8a"
TRANSFER = "#d1344b"
LINE_COLOURS = {"host memory": "#0a84c6", "VRAM": "#76b900", "RMM used": "#cc6ba0", "CPU": "#e0861a", "GPU": "#00a076"}


def colours_of(report: ReportFigures) -> dict[str, str]:
    """Return a colour by prefix; those with the most computing time get their own, the rest share one."""
    drawn = {block.prefix for block in report.timeline_data.blocks}
    own = [prefix.prefix for prefix in report.prefixes if prefix.prefix in drawn][: len(_COLOURS)]
    found = dict(zip(own, _COLOURS, strict=False))
    return found | {prefix: OTHER for prefix in drawn if prefix not in found}


WIDTH, LEFT, RIGHT = 860, 90, 62
LANE, TRANSFERS_HEIGHT, LINES_HEIGHT, GAP = 10, 14, 70, 8
BLOCKS = 600
_FONT = 'font-size="11" fill="currentColor"'


def timeline_svg(report: ReportFigures) -> str:
    """Return the timeline as a static picture; ``""``: nothing to draw."""
    data = report.timeline_data
    if not data.blocks and not data.lines:
        return ""
    end = max([report.wall_seconds, 1e-6, *(block.stop_seconds for block in data.blocks)])
    scale = (WIDTH - LEFT - RIGHT) / end
    lane = LANE if len(data.lanes) > 8 else 2 * LANE
    parts: list[str] = []
    top = 4.0
    parts += _lanes(report, top, lane, scale)
    top += max(1, len(data.lanes)) * lane + GAP
    if data.transfers:
        parts.append(_label("transfers", top + TRANSFERS_HEIGHT - 3))
        path = "".join(
            f"M{_x(item.start_seconds, scale)} {top:.1f}h{_w(item.stop_seconds - item.start_seconds, scale)}"
            f"v{TRANSFERS_HEIGHT}H{_x(item.start_seconds, scale)}z"
            for item in data.transfers
        )
        parts.append(f'<path d="{path}" fill="{TRANSFER}" fill-opacity="0.5"/>')
        top += TRANSFERS_HEIGHT + GAP
    for unit in ("bytes", "percent"):
        lines = [line for line in data.lines if line.unit == unit]
        if lines:
            parts += _svg_lines(lines, top, scale)
            top += LINES_HEIGHT + GAP
    parts += _axis(end, scale, top)
    height = top + 18
    title = escape(f"Timeline of {seconds(report.wall_seconds)}: tasks by worker thread, transfers, memory")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{title}" '
        f'style="max-width:100%;width:{WIDTH}px;height:auto;font-family:inherit">{"".join(parts)}</svg>'
    )


def _lanes(report: ReportFigures, top: float, lane: int, scale: float) -> list[str]:
    data, colours = report.timeline_data, colours_of(report)
    blocks = [
        Block(str(item.lane), 0, item.prefix, item.start_seconds, item.stop_seconds, item.n_tasks, 0.0)
        for item in data.blocks
    ]
    paths: dict[str, list[str]] = {}
    for block in bounded(blocks, BLOCKS):
        begin, height = _x(block.start, scale), lane - 2
        paths.setdefault(colours.get(block.prefix, OTHER), []).append(
            f"M{begin} {top + int(block.worker) * lane:.0f}h{_w(block.stop - block.start, scale)}v{height}H{begin}z"
        )
    parts = [f'<path d="{"".join(path)}" fill="{colour}"/>' for colour, path in paths.items()]
    every = max(1, round(14 / lane)) if lane < 14 else 1
    parts += [
        _label(name[:14], top + (place + 1) * lane - lane / 2 + 3)
        for place, name in enumerate(data.lanes)
        if place % every == 0
    ]
    return parts


def _svg_lines(lines: list[TimelineLine], top: float, scale: float) -> list[str]:
    most = max([value for line in lines for value in line.values if value is not None], default=0.0) or 1.0
    unit = lines[0].unit
    written = format_size(most) if unit == "bytes" else f"{most:.0f} %"
    parts = [
        f'<rect x="{LEFT}" y="{top:.1f}" width="{WIDTH - LEFT - RIGHT}" height="{LINES_HEIGHT}" fill="none" '
        'stroke="currentColor" stroke-opacity="0.2"/>',
        f'<text x="{WIDTH - RIGHT + 4}" y="{top + 10:.1f}" {_FONT}>{escape(written)}</text>',
    ]
    for number, line in enumerate(lines):
        colour = LINE_COLOURS.get(line.name, OTHER)
        points = " ".join(
            f"{_x(moment, scale)},{top + LINES_HEIGHT * (1 - value / most):.1f}"
            for moment, value in zip(line.seconds, line.values, strict=True)
            if value is not None
        )
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        height = top + 12 + 14 * number
        parts.append(
            f'<rect x="0" y="{height - 8:.1f}" width="9" height="9" fill="{colour}"/>'
            f'<text x="13" y="{height:.1f}" {_FONT}>{escape(line.name)}</text>'
        )
    return parts


def _axis(end: float, scale: float, top: float) -> list[str]:
    return [
        f'<text x="{_x(end * place / 4, scale)}" y="{top + 10:.1f}" text-anchor="middle" {_FONT}>'
        f"{escape(seconds(end * place / 4) if place else '0')}</text>"
        for place in range(5)
    ]


def legend_html(report: ReportFigures) -> str:
    colours = colours_of(report)
    rows = [(prefix, colour) for prefix, colour in colours.items() if colour != OTHER]
    if rest := len(colours) - len(rows):
        rows.append((f"{rest} more", OTHER))
    if report.timeline_data.transfers:
        rows.append(("transfers", TRANSFER))
    items = "".join(
        f'<span style="margin-right:12px;white-space:nowrap"><span style="display:inline-block;width:10px;height:10px;'
        f'background:{colour};margin-right:4px"></span>{escape(name[:40])}</span>'
        for name, colour in rows
    )
    return f'<div style="font-size:11px">{items}</div>'


def _label(text: str, y: float) -> str:
    return f'<text x="{LEFT - 6}" y="{y:.1f}" text-anchor="end" {_FONT}>{escape(text)}</text>'


def _x(moment: float, scale: float) -> str:
    return f"{LEFT + max(0.0, moment) * scale:.1f}"


def _w(duration: float, scale: float) -> str:
    return f"{max(0.5, duration * scale):.1f}"


FOREGROUND = "#7f7f80"
"""Readable on white and on black; a notebook replaces it by its own text colour."""


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
        max_width=WIDTH,
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

"""A result as one self-contained HTML page, with scaling curves and times as Bokeh figures."""

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from ..protocol.plain_text import counted
from .result import BenchResult, Measurement, by_workload, curves, efficiency, speed_up, speed_up_intervals
from .text import UNITS, facts_lines, left_out_lines, result_rows

# Okabe and Ito's colours, for colour-blind readers; with shapes, because there are more workloads.
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#7a5fc0", "#666666")
SHAPES = ("circle", "square", "triangle", "diamond", "inverted_triangle")
_IDEAL = "#999999"
_APART = 0.012  # Between the points of two workloads, as a share of the axis.
_WIDE, _HIGH = 540, 360
_NARROW, _LOW = 355, 250


def speed_up_figure(result: BenchResult) -> Any:
    """Return speed-up against workers, one line a workload, and the line of perfect scaling."""
    few = min(result.cluster.n_workers)
    made = _figure(result, f"Speed-up over {counted(few, 'worker')}", _WIDE, _HIGH)
    counts = sorted(result.cluster.n_workers)
    made.line(counts, [count / few for count in counts], color=_IDEAL, line_dash="dashed", line_width=2)
    _lines(made, curves(result), speed_up, lambda one, first: 1.0)
    made.yaxis.axis_label = "times as fast"
    return made


def efficiency_figure(result: BenchResult) -> Any:
    """Return efficiency against workers, one line a workload."""
    made = _figure(result, "Efficiency: speed-up per worker", _WIDE, _HIGH)
    counts = sorted(result.cluster.n_workers)
    made.line(counts, [1.0] * len(counts), color=_IDEAL, line_dash="dashed", line_width=2)
    _lines(made, curves(result), efficiency, lambda one, first: first.n_workers / one.n_workers)
    made.yaxis.formatter.format = "0%"
    return made


def time_figures(result: BenchResult) -> list[Any]:
    """Return a small figure for each workload on several numbers of workers: all runs, medians, perfect scaling."""
    found = []
    for name, ones in by_workload(result).items():
        if len(ones) < 2:
            continue
        longest = max(max(one.seconds) for one in ones)
        unit, factor = next((pair for pair in UNITS if longest >= pair[1]), UNITS[-1])
        made = _figure(result, name, _NARROW, _LOW)
        counts = [one.n_workers for one in ones]
        medians = [one.spread.median / factor for one in ones]
        if ones[0].scales:
            ideal = [medians[0] * counts[0] / count for count in counts]
            made.line(counts, ideal, color=_IDEAL, line_dash="dashed", line_width=2)
        points = [(one.n_workers, seconds / factor) for one in ones for seconds in one.seconds]
        made.scatter([x for x, _ in points], [y for _, y in points], color=COLOURS[0], alpha=0.35, size=7)
        made.line(counts, medians, color=COLOURS[0], line_width=2)
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


PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light; }}
body {{ font: 15px/1.45 system-ui, sans-serif; color: #222; background: #fff; max-width: 1120px; margin: 24px auto;
  padding: 0 24px; }}
h1 {{ font-size: 24px; margin: 0 0 4px; }}
h2 {{ font-size: 17px; margin: 28px 0 8px; }}
p {{ margin: 2px 0; }}
.facts {{ color: #444; }}
table {{ border-collapse: collapse; width: 100%; font-size: 14px; }}
th {{ text-align: left; font-weight: 600; border-bottom: 2px solid #ccc; padding: 4px 12px 4px 0; }}
td {{ border-bottom: 1px solid #eee; padding: 4px 12px 4px 0; font-variant-numeric: tabular-nums; }}
th.number, td.number {{ text-align: right; }}
.wide {{ overflow-x: auto; }}
.figures {{ display: flex; flex-wrap: wrap; gap: 12px 8px; }}
.note {{ color: #555; font-size: 14px; max-width: 80ch; }}
.failed {{ color: #a3121f; }}
details {{ margin-top: 20px; color: #444; }}
details table {{ width: auto; }}
</style>
{script}
</head>
<body>
<h1>{title}</h1>
<div class="facts">{facts}</div>
{pictures}
<h2>All measurements</h2>
<div class="wide">{table}</div>
{left_out}
<details><summary>Versions and settings</summary>{versions}</details>
</body>
</html>
"""
_SCALING = (
    "Each point is the median of {runs} runs of the same work on the same data. The dashed line is perfect scaling. "
    "Bars are 95% confidence intervals, from the spread of the runs. Click a name to hide its line."
)
_SMALL = "Each dot is a run; the line joins the medians, the dashed one is perfect scaling."
Section = tuple[str, str, Sequence[Any]]  # Heading, note, and Bokeh figures.


def write_report(result: BenchResult, path: Path) -> None:
    path.write_text(report_html(result), encoding="utf-8")


def report_html(result: BenchResult) -> str:
    notes = [
        f'<p class="{"failed" if item.failed else ""}">{escape(sentence)}</p>'
        for item, sentence in zip(result.left_out, left_out_lines(result), strict=True)
    ]
    return page(
        f"Benchmark of {result.cluster.name}",
        facts_lines(result),
        _sections(result),
        table(result_rows(result), numbers={2, 3, 4, 5, 6}),
        [*notes, *paragraphs(result.notes)],
        [("NAME", "VERSION OR VALUE"), *result.versions.items(), *result.settings.items()],
    )


def page(
    title: str, facts: Sequence[str], sections: Sequence[Section], measured: str, notes: Sequence[str],
    versions: Sequence[tuple[str, str]],
) -> str:  # fmt: skip
    """Return a page with facts, sections of figures, the HTML table ``measured``, notes in HTML, and versions."""
    from bokeh.embed import components
    from bokeh.resources import Resources

    scripts = [Resources(mode="inline", components=["bokeh"], log_level="fatal").render_js()]
    parts = []
    for heading, note, drawn in sections:
        script, places = components(drawn)
        scripts.append(script)
        parts.append(
            f'<h2>{escape(heading)}</h2><p class="note">{escape(note)}</p><div class="figures">{"".join(places)}</div>'
        )
    return PAGE.format(
        title=escape(title),
        script="\n".join(scripts),
        facts="".join(paragraphs(facts)),
        pictures="".join(parts),
        table=measured,
        left_out=f'<h2>Notes</h2><div class="note">{"".join(notes)}</div>' if notes else "",
        versions=table(versions, numbers=set()),
    )


def paragraphs(lines: Sequence[str]) -> list[str]:
    return [f"<p>{escape(line)}</p>" for line in lines]


def _sections(result: BenchResult) -> list[Section]:
    found: list[Section] = []
    if curves(result):
        drawn = [speed_up_figure(result), efficiency_figure(result)]
        found.append(("Scaling", _SCALING.format(runs=result.n_repeats), drawn))
    if small := time_figures(result):
        found.append(("Times by number of workers", _SMALL, small))
    note = f"All {result.n_repeats} runs, after one warm-up. The scale is logarithmic."
    return found or [("Times", note, [times_figure(result)])]


def table(rows: Sequence[Sequence[str]], *, numbers: set[int]) -> str:
    """Return rows as an HTML table, the head first; columns of numbers are right-aligned."""

    def row(cells: Sequence[str], tag: str) -> str:
        return "".join(
            f"<{tag}{' class=number' if place in numbers else ''}>{escape(cell)}</{tag}>"
            for place, cell in enumerate(cells)
        )

    head, *body = rows
    titles = [cell.capitalize() for cell in head]
    lines = "".join(f"<tr>{row(cells, 'td')}</tr>" for cells in body)
    return f"<table><thead><tr>{row(titles, 'th')}</tr></thead><tbody>{lines}</tbody></table>"

"""A result as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from . import figures
from . import result as scaling
from .result import BenchResult
from .text import facts_lines, left_out_lines, result_rows

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
    "Each point is the median of {runs} runs of the same work on the same data. The dashed line is what it would be if "
    "every worker added as much as the first ones. Bars hold the true ratio in 95 of 100 cases, as far as the spread "
    "of the runs shows. Click a name to hide its line."
)
_SMALL = "Each dot is a run; the line joins the medians, the dashed one is perfect scaling."
Section = tuple[str, str, Sequence[Any]]  # Heading, note, and Bokeh figures.


def write_report(result: BenchResult, path: Path) -> None:
    """Write a self-contained page with tables and curves."""
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
    runs = f"Each of {result.n_repeats} runs, after one that does not count."
    if len(result.cluster.n_workers) == 1:
        return [("Times", f"{runs} The scale is logarithmic.", [figures.times_figure(result)])]
    found: list[Section] = []
    if scaling.curves(result):
        drawn = [figures.speed_up_figure(result), figures.efficiency_figure(result)]
        found.append(("Scaling", _SCALING.format(runs=result.n_repeats), drawn))
    small = figures.time_figures(result)
    if small:
        found.append(("Times by number of workers", _SMALL, small))
    return found or [("Times", f"{runs} The scale is logarithmic.", [figures.times_figure(result)])]


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

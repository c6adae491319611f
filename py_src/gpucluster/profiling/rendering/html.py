"""A report as HTML without scripts, even for saved notebooks.

Text has the colour of JupyterLab's theme, even after a change of theme; elsewhere, that of the page.
"""

from __future__ import annotations

from html import escape

from ..model import ReportFigures
from .svg import legend_html, timeline_svg
from .tables import footnotes, prefix_table, summary_rows, worker_table

TEXT = "var(--jp-content-font-color1, inherit)"
LINE = "var(--jp-border-color2, rgba(128,128,128,0.4))"
_CELL = "text-align:{align};padding:1px 10px 1px 0;white-space:nowrap"


def report_html(report: ReportFigures, *, timeline: str | None = None) -> str:
    """Return the report as HTML; `timeline`: HTML of the timeline, by default a static picture."""
    if not report.complete:
        return "<div>The profiled block has not ended.</div>"
    ended = f", ended by {report.failed}" if report.failed else ""
    rows = "".join(
        f'<tr><th style="{_CELL.format(align="left")}">{escape(name)}</th>'
        f'<td style="text-align:left;padding:1px 0">{escape(value)}</td></tr>'
        for name, value in summary_rows(report)
    )
    picture = timeline_svg(report) if timeline is None else timeline
    if picture:
        picture += legend_html(report)
    drawn = [*report.timeline_data.notes] if picture else []
    tables = "".join(_table(*table) for table in (prefix_table(report), worker_table(report)) if table[1])
    notes = "".join(f"<div>{escape(note)}</div>" for note in [*drawn, *footnotes(report)])
    return (
        '<div class="gpucluster-profile" style="color:' + TEXT + ";"
        'border-left:4px solid #76b900;padding:4px 12px;max-width:920px">'
        f"<div><b>Profile of {escape(report.cluster or '')}</b>{escape(ended)}</div>{_findings(report)}"
        f'<table style="border:none;margin:6px 0">{rows}</table>{picture}{tables}'
        f'<div style="font-size:smaller;opacity:0.85">{notes}</div></div>'
    )


def _findings(report: ReportFigures) -> str:
    return "".join(
        f'<div style="margin:6px 0;padding:4px 10px;border:1px solid {LINE};border-radius:4px">'
        f"<div><b>{escape(finding.title)}</b></div><div>{escape(finding.evidence)}</div>"
        f"<div><i>Try:</i> {escape(finding.advice)}</div></div>"
        for finding in report.findings
    )


def _table(head: list[str], body: list[list[str]], left: str | None) -> str:
    def row(cells: list[str], tag: str) -> str:
        return "<tr>" + "".join(
            f'<{tag} style="{_CELL.format(align="right" if place else "left")}">{escape(cell)}</{tag}>'
            for place, cell in enumerate(cells)
        ) + "</tr>"  # fmt: skip

    rest = f'<div style="font-size:smaller">{escape(left)}</div>' if left else ""
    return (
        f'<div style="overflow-x:auto"><table style="border:none;margin:6px 0 0 0"><thead>{row(head, "th")}</thead>'
        f"<tbody>{''.join(row(cells, 'td') for cells in body)}</tbody></table></div>{rest}"
    )

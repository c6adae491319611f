"""A report for a terminal."""

from __future__ import annotations

import textwrap

from ...protocol.plain_text import counted
from ..model import ReportFigures
from ..units import seconds
from .tables import footnotes, prefix_table, summary_rows, worker_table

WIDTH = 100


def report_text(report: ReportFigures) -> str:
    """Return the report as text, at most ``WIDTH`` letters wide where tables allow."""
    if not report.complete:
        return "The profiled block has not ended."
    ended = f", ended by {report.failed}" if report.failed else ""
    parts = [f"Profile of {report.cluster}{ended}", ""]
    for finding in report.findings:
        parts.append(f"* {finding.title}")
        parts += _wrapped(finding.evidence, "  ") + _wrapped(f"Try: {finding.advice}", "  ")
    rows = summary_rows(report)
    width = max(len(name) for name, _ in rows)
    parts += ["", *(f"{name + ':':{width + 1}}  {value}" for name, value in rows)]
    for head, body, left in (prefix_table(report), worker_table(report)):
        if body:
            parts += ["", *_table(head, body)]
            parts += [left] if left else []
    notes = footnotes(report)
    if notes:
        parts += ["", *(line for note in notes for line in _wrapped(note, ""))]
    return "\n".join(parts)


def report_line(report: ReportFigures) -> str:
    """Return a report in one line."""
    if not report.complete:
        return "<ProfileReport: the block has not ended>"
    tasks = "tasks not measured" if report.n_tasks is None else counted(report.n_tasks, "task")
    return f"<ProfileReport: {seconds(report.wall_seconds)}, {tasks}, {counted(len(report.findings), 'finding')}>"


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent)


def _table(head: list[str], body: list[list[str]]) -> list[str]:
    widths = [max(len(row[place]) for row in [head, *body]) for place in range(len(head))]

    def line(row: list[str]) -> str:
        first = f"{row[0]:{widths[0]}}"
        return "  ".join([first, *(f"{cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True))])

    return [line(head), *(line(row) for row in body)]

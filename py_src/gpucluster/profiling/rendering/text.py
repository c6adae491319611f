"""The tables of a report, its text, and HTML without scripts, even for saved notebooks.

HTML has the colour of JupyterLab's theme, even after a change of theme; elsewhere, that of the page.
"""

from __future__ import annotations

import textwrap
from html import escape

from ...protocol.durations import seconds
from ...protocol.plain_text import counted
from ...protocol.sizes import format_size
from ..model import ReportFigures, WorkerFigures, share
from .timeline import legend_html, timeline_svg

MOST_PREFIXES = 12
MOST_WORKERS = 16
_ABSENT = "not measured"


def size(value: int | None) -> str:
    """Return a readable size, or ``not measured``."""
    return _ABSENT if value is None else format_size(value)


def summary_rows(report: ReportFigures) -> list[tuple[str, str]]:
    """Return the figures of the whole run as pairs of name and value."""
    rows = [("Wall time", seconds(report.wall_seconds))]
    if report.n_tasks is None:
        return rows
    rows.append(("Workers", f"{report.n_workers} ({counted(report.n_threads, 'thread')})"))
    mean = report.mean_task_seconds
    tasks = f"{report.n_tasks:,}" + (f", {seconds(mean)} each on average" if mean is not None else "")
    rows.append(("Tasks", tasks + (f", {report.n_failed_tasks:,} failed" if report.n_failed_tasks else "")))
    if report.idle_share is not None:
        active = f"; no task ran for {seconds(max(0.0, report.wall_seconds - (report.active_seconds or 0.0)))}"
        rows.append(("Idle", f"{share(report.idle_share)} of the worker threads' time while there were tasks{active}"))
    if report.notebook_seconds is not None:
        rows.append(("Notebook", f"for {seconds(report.notebook_seconds)} the workers had no tasks"))
    moved = report.transfers
    between = size(moved.between_workers_bytes)
    if moved.shuffled_bytes:
        between += f", {format_size(moved.shuffled_bytes)} of it by shuffles"
    rows += [
        ("Between workers", between),
        ("To the notebook", size(moved.to_clients_bytes)),
        ("From the notebook", size(moved.from_clients_bytes)),
        ("Spilled", size(report.spilled_bytes)),
    ]
    if report.mean_cpu_percent is not None:
        rows.append(("CPU", f"{report.mean_cpu_percent:.0f} % of a core per worker on average"))
    if report.mean_gpu_utilization_percent is not None:
        rows.append(("GPU", f"a kernel ran {report.mean_gpu_utilization_percent:.0f} % of the time on average"))
    if report.scheduler_cpu_percent is not None:
        rows.append(("Scheduler", f"{report.scheduler_cpu_percent:.0f} % of a core"))
    events = [
        counted(report.n_workers_joined, "worker") + " joined" if report.n_workers_joined else "",
        counted(report.n_workers_lost, "worker") + " died" if report.n_workers_lost else "",
        counted(report.n_restarts, "restart") if report.n_restarts else "",
    ]
    if any(events):
        rows.append(("Events", ", ".join(filter(None, events))))
    return rows


def prefix_table(report: ReportFigures) -> tuple[list[str], list[list[str]], str | None]:
    """Return head, rows and a note on omitted rows of the table of kinds of tasks."""
    head = ["Tasks", "count", "failed", "compute", "mean", "longest", "fetching", "disk", "results"]
    rows = [
        [
            prefix.prefix, f"{prefix.n_tasks:,}", f"{prefix.n_failed:,}" if prefix.n_failed else "–",
            seconds(prefix.compute_seconds), seconds(prefix.mean_seconds), seconds(prefix.longest_seconds),
            seconds(prefix.transfer_seconds) if prefix.transfer_seconds else "–",
            seconds(prefix.disk_seconds) if prefix.disk_seconds else "–", format_size(prefix.result_bytes),
        ]
        for prefix in report.prefixes[:MOST_PREFIXES]
    ]  # fmt: skip
    rest = report.prefixes[MOST_PREFIXES:]
    left = sum(prefix.n_tasks for prefix in rest)
    took = sum(prefix.total_seconds for prefix in rest)
    return head, rows, f"{counted(len(rest), 'more kind')}: {left:,} tasks, {seconds(took)}." if rest else None


def worker_table(report: ReportFigures) -> tuple[list[str], list[list[str]], str | None]:
    """Return head, rows and a note on omitted rows of the table of workers, without columns that were not measured."""
    columns = [
        (
            "Worker",
            [worker.title.removeprefix("Worker ") + (" (died)" if worker.lost else "") for worker in report.workers],
        ),
        ("tasks", [f"{worker.n_tasks:,}" for worker in report.workers]),
        ("busy", ["–" if worker.idle_share is None else share(1 - worker.idle_share) for worker in report.workers]),
        ("peak memory", [_of(worker.peak_memory_bytes, worker.memory_limit_bytes) for worker in report.workers]),
        ("peak VRAM", [_of(worker.peak_vram_bytes, worker.vram_total_bytes) for worker in report.workers]),
        ("peak RMM", [_rmm(worker) for worker in report.workers]),
        ("GPU", [_percent(worker.mean_gpu_utilization_percent) for worker in report.workers]),
        ("CPU", [_percent(worker.mean_cpu_percent) for worker in report.workers]),
        ("spilled", [_of(worker.spilled_bytes or None, None) for worker in report.workers]),
        ("readings", [str(worker.n_readings) if worker.n_readings else "–" for worker in report.workers]),
    ]
    shown = [(name, cells) for name, cells in columns if any(cell != "–" for cell in cells)]
    count = len(report.workers)
    order = sorted(range(count), key=lambda place: -report.workers[place].busy_seconds)[:MOST_WORKERS]
    places = range(count) if count <= MOST_WORKERS else order
    rows = [[cells[place] for _, cells in shown] for place in places]
    left = f"The {MOST_WORKERS} busiest of {count} workers." if count > MOST_WORKERS else None
    return [name for name, _ in shown], rows, left


def footnotes(report: ReportFigures) -> list[str]:
    lines = list(report.files) + list(report.notes)
    if report.workers and report.n_readings:
        samples = f" and {report.n_telemetry_samples} of the cluster's telemetry" if report.n_telemetry_samples else ""
        lines.append(
            f"Peaks and means come from {report.n_readings} readings of each worker{samples}, start and end included; "
            "what happened between two readings is not seen."
        )
        has_gpus = any(worker.vram_total_bytes for worker in report.workers)
        if has_gpus and not any(worker.peak_rmm_bytes or worker.peak_rmm_pool_bytes for worker in report.workers):
            lines.append(
                "RMM was not measured: no worker uses it, or none tracks allocations (rmm_track_allocations=True)."
            )
    return lines


def _of(value: int | None, limit: int | None) -> str:
    if value is None:
        return "–"
    return format_size(value) + (f" of {format_size(limit)}" if limit else "")


def _rmm(worker: WorkerFigures) -> str:
    if worker.peak_rmm_bytes is None:
        return f"pool {format_size(worker.peak_rmm_pool_bytes)}" if worker.peak_rmm_pool_bytes else "–"
    return _of(worker.peak_rmm_bytes, worker.peak_rmm_pool_bytes)


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{value:.0f} %"


WIDTH = 100


def report_text(report: ReportFigures) -> str:
    """Return the report as text, at most ``WIDTH`` characters wide apart from tables."""
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
    tables = "".join(_html_table(*table) for table in (prefix_table(report), worker_table(report)) if table[1])
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


def _html_table(head: list[str], body: list[list[str]], left: str | None) -> str:
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

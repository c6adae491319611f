"""A comparison of transports as text, and as an HTML page with a figure of the fits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...protocol.plain_text import aligned
from ..figures import COLOURS, SHAPES
from ..report import page, paragraphs, table
from ..text import seconds_text, seconds_texts
from .comparison import Messages, TransportResult

_NOTE = (
    "Each point is the median time of a block from one worker to another, each line α + β × size, as near as it gets "
    "in proportion: α is the latency, 1/β the bandwidth. Both scales are logarithmic; an empty block is drawn as one "
    "byte."
)


def rows(result: TransportResult) -> list[tuple[str, ...]]:
    """Return the table, its head first: a column for each transport, and one unit in each row."""
    names = result.transports
    found: list[tuple[str, ...]] = [("WORK", *(name.upper() for name in names))]
    measured = [result.messages[name] for name in names]
    found.append(("latency α", *seconds_texts([one.latency_seconds for one in measured])))
    found.append(("bandwidth 1/β", *(_gigabytes(one) for one in measured)))
    for place, size in enumerate(measured[0].sizes):
        times = seconds_texts([one.seconds[place] for one in measured], [one.quartiles[place] for one in measured])
        found.append((f"a block of {_round(size)}" if size else "an empty message", *times))
    for workload in result.workloads:
        spreads = [workload.spread(name) for name in names]
        times = seconds_texts([one.median for one in spreads], [(one.lower, one.upper) for one in spreads])
        found.append((f"{workload.workload} ({workload.size})", *times))
    return found


def _round(size: int) -> str:
    """Return a size in decimal units."""
    unit, factor = next((pair for pair in (("MB", 10**6), ("kB", 10**3)) if size >= pair[1]), ("bytes", 1))
    return f"{size / factor:g} {unit}"


def _gigabytes(one: Messages) -> str:
    return f"{one.bytes_per_second / 1e9:.2f} GB/s"


def facts(result: TransportResult) -> list[str]:
    """Return a summary of the measurement, in a few lines."""
    lines = [
        f"{result.n_workers} workers with 1 thread each; medians (and quartiles) of {result.n_repeats} turns, "
        f"{result.started_at}"
    ]
    for host in result.hosts:
        load = "" if host.load_before is None else f", load before {host.load_before:.1f}"
        lines.append(f"{host.count} × {host.cpu_model or 'unknown CPU'}, {host.cpus} CPUs{load}")
    return lines


def text(result: TransportResult) -> str:
    return "\n".join([*facts(result), "", aligned(rows(result)), *([""] if result.notes else []), *result.notes])


def picture(result: TransportResult) -> Any:
    from bokeh.models.annotations import Legend, LegendItem
    from bokeh.plotting import figure

    made = figure(
        width=900, height=460, x_axis_type="log", y_axis_type="log", toolbar_location=None,
        title="Seconds of a block from worker to worker, by its bytes",
    )  # fmt: skip
    items = []
    for place, name in enumerate(result.transports):
        one = result.messages[name]
        colour = COLOURS[place % len(COLOURS)]
        x = [max(1, size) for size in one.sizes]
        line: Any = made.line(x, [one.line(size) for size in one.sizes], color=colour, line_width=2, alpha=0.7)
        dots: Any = made.scatter(x, one.seconds, color=colour, marker=SHAPES[place % len(SHAPES)], size=8)
        label = f"{name}: {seconds_text(one.latency_seconds)}, {_gigabytes(one)}"
        items.append(LegendItem(label=label, renderers=[line, dots]))
    made.add_layout(Legend(items=items, click_policy="hide", border_line_color=None), "right")
    made.xaxis.axis_label, made.yaxis.axis_label = "bytes", "seconds"
    return made


def write_page(result: TransportResult, path: Path) -> None:
    """Write a self-contained page with the table and the figure."""
    text = page(
        f"Transports: {', '.join(result.transports)}",
        facts(result),
        [("Latency and bandwidth", _NOTE, [picture(result)])],
        table(rows(result), numbers=set(range(1, 1 + len(result.transports)))),
        paragraphs(result.notes),
        [("NAME", "VERSION"), *result.versions.items()],
    )
    path.write_text(text, encoding="utf-8")

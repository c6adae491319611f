"""A comparison of transports as text, and as a page with a picture of the fits."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

from ..figures import COLOURS, SHAPES
from ..report import PAGE, table
from ..text import aligned, seconds_text, seconds_texts
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
    told = [result.messages[name] for name in names]
    found.append(("latency α", *seconds_texts([one.latency_seconds for one in told])))
    found.append(("bandwidth 1/β", *(_gigabytes(one) for one in told)))
    for place, size in enumerate(told[0].sizes):
        times = seconds_texts([one.seconds[place] for one in told], [one.quartiles[place] for one in told])
        found.append((f"a block of {_round(size)}" if size else "an empty message", *times))
    for workload in result.workloads:
        spreads = [workload.spread(name) for name in names]
        times = seconds_texts([one.median for one in spreads], [(one.lower, one.upper) for one in spreads])
        found.append((f"{workload.workload} ({workload.size})", *times))
    return found


def _round(size: int) -> str:
    """Return a size as it was asked for: in powers of ten."""
    unit, factor = next((pair for pair in (("MB", 10**6), ("kB", 10**3)) if size >= pair[1]), ("bytes", 1))
    return f"{size / factor:g} {unit}"


def _gigabytes(one: Messages) -> str:
    return f"{one.bytes_per_second / 1e9:.2f} GB/s"


def facts(result: TransportResult) -> list[str]:
    """Return where and how it was measured, in a few lines."""
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
        told = result.messages[name]
        colour = COLOURS[place % len(COLOURS)]
        x = [max(1, size) for size in told.sizes]
        line: Any = made.line(x, [told.line(size) for size in told.sizes], color=colour, line_width=2, alpha=0.7)
        dots: Any = made.scatter(x, told.seconds, color=colour, marker=SHAPES[place % len(SHAPES)], size=8)
        label = f"{name}: {seconds_text(told.latency_seconds)}, {_gigabytes(told)}"
        items.append(LegendItem(label=label, renderers=[line, dots]))
    made.add_layout(Legend(items=items, click_policy="hide", border_line_color=None), "right")
    made.xaxis.axis_label, made.yaxis.axis_label = "bytes", "seconds"
    return made


def write_page(result: TransportResult, path: Path) -> None:
    """Write a page with the table and the picture. It holds all it needs, and loads nothing from elsewhere."""
    from bokeh.embed import components
    from bokeh.resources import Resources

    script, place = components(picture(result))
    bokeh = Resources(mode="inline", components=["bokeh"], log_level="fatal").render_js()
    notes = "".join(f"<p>{escape(note)}</p>" for note in result.notes)
    path.write_text(
        PAGE.format(
            title=f"Transports: {escape(', '.join(result.transports))}",
            script=f"{bokeh}\n{script}",
            facts="".join(f"<p>{escape(line)}</p>" for line in facts(result)),
            pictures=f'<h2>Latency and bandwidth</h2><p class="note">{escape(_NOTE)}</p>{place}',
            table=table(rows(result), numbers=set(range(1, 1 + len(result.transports)))),
            left_out=f'<h2>Notes</h2><div class="note">{notes}</div>' if notes else "",
            versions=table([("NAME", "VERSION"), *result.versions.items()], numbers=set()),
        ),
        encoding="utf-8",
    )

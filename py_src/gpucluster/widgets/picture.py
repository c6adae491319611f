"""The still picture of a cluster: HTML without scripts for saved notebooks, and text for terminals.

All styles are inline, and the HTML remains readable after sanitizing. Text takes the page's own colour; the other
colours are readable on light and dark pages.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from html import escape

from ..client.display.card import card_html, pending_text
from ..gauges.figures import Bar, cluster_figures, worker_figures, worker_title
from ..gauges.text import cluster_lines, moment_text, sentences
from ..protocol.models import ClusterModel
from ..protocol.plain_text import counted
from ..protocol.telemetry import TelemetrySample

MOST_WORKERS = 16  # Workers that are shown individually.

# Between the gauges' colours for light and dark themes; lighter where the gauges have a texture.
_COLOURS = {
    "rmm_used": "#2b93cf",
    "rmm_free": "#a6d3ee",
    "rmm_pool": "#6db6e2",
    "cluster": "#179b77",
    "others": "#8a8a8a",
    "unknown": "#b4b4b4",
    "managed": "#2b93cf",
    "tier_host": "#c77f1a",
    "unmanaged": "#b4b4b4",
}
_TRACK = "rgba(128,128,128,0.25)"
_QUIET = "opacity:0.75"


class StillPicture(ABC):
    """The content of an output without a live view; ``print`` shows the text."""

    @property
    @abstractmethod
    def html(self) -> str:
        """HTML without scripts."""

    @property
    @abstractmethod
    def text(self) -> str:
        """The same as text."""

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.html

    def close(self) -> None:  # noqa: B027
        """Do nothing: a picture is not live. (Widgets have this verb too.)"""


@dataclass(frozen=True, repr=False)
class Picture(StillPicture):
    """A cluster at one moment."""

    model: ClusterModel
    sample: TelemetrySample | None = None
    note: str = ""
    link: str | None = None  # Address of the dashboard on the Jupyter server; never one with a secret.
    card: bool = True  # Whether to show the rows about the cluster, too.

    @property
    def html(self) -> str:
        return card_html(self.model, self.link, body=self._gauges_html(), brief=not self.card)

    @property
    def text(self) -> str:
        model = self.model
        lines = [f"{model.name}: {model.state.value}, {counted(model.n_workers, 'worker')}"]
        if text := model.notice or model.reason:
            lines.append(f"  {' '.join(text.split())}")
        if model.n_pending and not model.state.ended:
            lines.append(f"  Pending: {' '.join(pending_text(model).split())}")
        if self.sample is not None:
            lines += cluster_lines(self.sample)
        if self.note:
            lines.append(f"  {self.note}")
        return "\n".join(lines)

    def _gauges_html(self) -> str:
        gauges = gauges_html(self.sample) if self.sample is not None else ""
        when = f"State at {moment_text(self.sample.at)}." if self.sample is not None else ""
        return gauges + note_html(f"{self.note} {when}".strip())


def gauges_html(sample: TelemetrySample) -> str:
    """Return bars, legend, load and tasks, and the single workers."""
    bars = cluster_figures(sample).bars
    activity = "".join(f'<div style="{_QUIET}">{escape(line)}</div>' for line in sentences(sample))
    return "".join([_bars_html(bars), _legend_html(bars), activity, _workers_html(sample)])


def note_html(note: str) -> str:
    """Return a note below the gauges, if any."""
    return f'<div style="{_QUIET};font-size:0.9em;margin-top:4px">{escape(note)}</div>' if note else ""


def _bars_html(bars: list[Bar], label: str | None = None) -> str:
    rows = []
    for bar in bars:
        name = f"{label} · {bar.label}" if label is not None and len(bars) > 1 else label or bar.label
        rows.append(
            f'<tr title="{escape(bar.sentence)}">'
            f'<th style="text-align:left;font-weight:normal;padding:1px 12px 1px 0">{escape(name)}</th>'
            f'<td style="padding:1px 12px 1px 0">{_track(bar)}</td>'
            f'<td style="text-align:left;padding:1px 0">{escape(bar.text)}</td></tr>'
        )
    table = f'<table style="border:none;margin:4px 0 0 0;color:inherit;font-size:inherit">{"".join(rows)}</table>'
    return table if rows else ""


def _legend_html(bars: list[Bar]) -> str:
    names = {part.kind: part.name for bar in bars for part in bar.parts if bar.total_bytes}
    marks = (f'<span style="color:{_COLOURS[kind]}">■</span> {escape(name)}' for kind, name in names.items())
    return f'<div style="{_QUIET};font-size:0.9em">{" &nbsp; ".join(marks)}</div>' if names else ""


def _track(bar: Bar) -> str:
    total = max(bar.total_bytes or 0, bar.used_bytes, 1)
    pieces = "".join(
        f'<div style="display:inline-block;vertical-align:top;height:10px;width:{100 * part.size_bytes / total:.1f}%;'
        f'background-color:{_COLOURS[part.kind]}"></div>'
        for part in bar.parts
        if bar.total_bytes
    )
    return (
        f'<div style="width:220px;height:10px;line-height:10px;font-size:0;white-space:nowrap;overflow:hidden;'
        f'text-align:left;border-radius:5px;background-color:{_TRACK}">{pieces}</div>'
    )


def _workers_html(sample: TelemetrySample) -> str:
    if len(sample.workers) < 2:
        return ""
    shown = "".join(
        _bars_html(worker_figures(sample, place).bars, label=worker_title(sample, place))
        for place in range(min(len(sample.workers), MOST_WORKERS))
    )
    left = len(sample.workers) - MOST_WORKERS
    more = f'<div style="{_QUIET}">and {left} more</div>' if left > 0 else ""
    return (
        f'<details style="margin-top:4px"><summary style="cursor:pointer">Workers ({len(sample.workers)})</summary>'
        f"{shown}{more}</details>"
    )

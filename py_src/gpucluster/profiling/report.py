"""``ProfileReport``: the result of ``gpucluster.profile`` and ``%%gpucluster profile``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from .model import ReportFigures
from .perfetto import events_of_profile, write_trace
from .rendering.bokeh_figure import timeline_figure
from .rendering.text import report_html, report_line, report_text

if TYPE_CHECKING:
    from bokeh.models import LayoutDOM


class ProfileReport(ReportFigures):
    """What a block of code did on a cluster. It has no figures until the block ends and ``complete`` is true."""

    def text(self) -> str:
        return report_text(self)

    def timeline(self) -> LayoutDOM:
        """Return the timeline as a Bokeh figure: tasks by thread, transfers, memory and utilization."""
        return timeline_figure(self)

    def to_json(self, *, indent: int | None = 2) -> str:
        return self.model_dump_json(indent=indent)

    def write_perfetto(self, path: str | Path) -> Path:
        """Write the timeline as Chrome trace events, which ui.perfetto.dev opens. Raises `InvalidRequest`."""
        return write_trace(path, events_of_profile(self))

    def __repr__(self) -> str:
        return report_line(self)

    __str__ = __repr__

    def _repr_html_(self) -> str:
        return report_html(self)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/plain": self.text(), "text/html": self._repr_html_()}

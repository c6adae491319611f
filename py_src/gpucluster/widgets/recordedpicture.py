"""The still picture of a recording: what it was recorded on and when, and the gauges at one moment of it."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from ..gauges.text import cluster_lines, moment_text
from ..protocol.recordings import RecordedSession
from ..protocol.telemetry import TelemetrySample
from .picture import gauges_html, note_html

_STRIP = "display:inline-block;margin:4px 0;padding:1px 8px;border-radius:3px;background:#8a5300;color:#fff"


@dataclass(frozen=True)
class RecordedPicture:
    """A recording as it was shown last.

    Shown where nothing can be played; ``print`` gives the text.
    """

    session: RecordedSession
    place: int = -1
    """Which of the samples."""
    note: str = ""

    @property
    def html(self) -> str:
        """Return the HTML."""
        return (
            '<div style="border-left:4px solid #76b900;padding:4px 12px;font-size:13px">'
            f'<div><b style="font-size:1.1em">{escape(self.session.recording.title)}</b></div>'
            f'<div style="{_STRIP}">{escape(self.session.label)}</div>'
            f"{gauges_html(self._sample)}{note_html(self._notes)}</div>"
        )

    @property
    def text(self) -> str:
        """Return the text."""
        head = [self.session.recording.title, f"  {self.session.label}"]
        return "\n".join([*head, *cluster_lines(self._sample), f"  {self._notes}"])

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.html

    def close(self) -> None:
        """Do nothing: a picture is not live. (Widgets have this verb too.)"""

    @property
    def _sample(self) -> TelemetrySample:
        return self.session.samples[self.place]

    @property
    def _notes(self) -> str:
        said = [self.note, self.session.message or "", f"As it was at {moment_text(self._sample.at)}."]
        return " ".join(filter(None, said))

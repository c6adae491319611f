"""``gpucluster.replay("kmeans-cpu")``: the gauges of a recording, and its still picture."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from html import escape
from typing import Any

import traitlets

from ..gauges.text import cluster_lines, moment_text
from ..protocol.recordings import RecordedSession
from ..protocol.telemetry import TelemetrySample
from .kernel import widget_kernel
from .messages import Message, Moment
from .output import OutputWidget
from .picture import StillPicture, gauges_html, note_html

_STRIP = "display:inline-block;margin:4px 0;padding:1px 8px;border-radius:3px;background:#8a5300;color:#fff"


@dataclass(frozen=True, repr=False)
class RecordedPicture(StillPicture):
    """The last shown state of a recording."""

    session: RecordedSession
    place: int = -1  # Index of the sample.
    note: str = ""

    @property
    def html(self) -> str:
        return (
            '<div style="border-left:4px solid #76b900;padding:4px 12px;font-size:13px">'
            f'<div><b style="font-size:1.1em">{escape(self.session.recording.title)}</b></div>'
            f'<div style="{_STRIP}">{escape(self.session.label)}</div>'
            f"{gauges_html(self._sample)}{note_html(self._notes)}</div>"
        )

    @property
    def text(self) -> str:
        head = [self.session.recording.title, f"  {self.session.label}"]
        return "\n".join([*head, *cluster_lines(self._sample), f"  {self._notes}"])

    @property
    def _sample(self) -> TelemetrySample:
        return self.session.samples[self.place]

    @property
    def _notes(self) -> str:
        notes = [self.note, self.session.message or "", f"State at {moment_text(self._sample.at)}."]
        return " ".join(filter(None, notes))


class RecordedGauges(OutputWidget):
    """The gauges of the panel, fed from a recording, which the browser plays at `speed` times its speed."""

    view = traitlets.Unicode("recording").tag(sync=True)
    # Compressed JSON: the whole recording is sent to the browser once.
    session = traitlets.Bytes().tag(sync=True)
    speed = traitlets.Float(1.0).tag(sync=True)

    def __init__(self, session: RecordedSession, speed: float, **traits: Any) -> None:
        self._session = session
        self._place = len(session.samples) - 1
        super().__init__(session=packed(session), speed=speed, **traits)
        widget_kernel().keep(self)

    def picture(self) -> RecordedPicture:
        """Return the last shown state of the recording, initially its end."""
        return RecordedPicture(self._session, self._place, self._over)

    def on_message(self, message: Message) -> None:
        """Keep a picture of the sample at which a view has stopped."""
        super().on_message(message)
        if isinstance(message, Moment) and message.sample < len(self._session.samples):
            self._place = message.sample
            self.keep_picture()


def packed(session: RecordedSession) -> bytes:
    return gzip.compress(session.encoded(), mtime=0)

"""``gpucluster.replay("kmeans-cpu")``: the gauges of a recording, and its still picture."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import Any

import traitlets

from ..gauges.text import cluster_lines, moment_text
from ..protocol.recordings import RecordedSession
from ..protocol.telemetry import TelemetrySample
from .kernel import widget_kernel
from .messages import Closed, Message, Moment, Opened
from .output import OutputWidget
from .picture import gauges_html, note_html

_STRIP = "display:inline-block;margin:4px 0;padding:1px 8px;border-radius:3px;background:#8a5300;color:#fff"


@dataclass(frozen=True)
class RecordedPicture:
    """A recording in its last shown state.

    Shown where nothing can be played; ``print`` gives the text.
    """

    session: RecordedSession
    place: int = -1  # Which of the samples.
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
        said = [self.note, self.session.message or "", f"State at {moment_text(self._sample.at)}."]
        return " ".join(filter(None, said))


class RecordedGauges(OutputWidget):
    """The gauges of the panel, fed from a recording, which the browser plays so many times as fast as it was."""

    view = traitlets.Unicode("recording").tag(sync=True)
    # Packed JSON: the whole recording goes to the browser once.
    session = traitlets.Bytes().tag(sync=True)
    speed = traitlets.Float(1.0).tag(sync=True)

    def __init__(self, session: RecordedSession, speed: float, **traits: Any) -> None:
        self._session = session
        self._place = len(session.samples) - 1
        super().__init__(session=packed(session), speed=speed, **traits)
        widget_kernel().keep(self)

    def picture(self) -> RecordedPicture:
        """Return the recording as last shown; its end before that."""
        return RecordedPicture(self._session, self._place, self._over)

    def forgotten_by(self) -> Callable[[], None]:
        """Return what makes the kernel end it no more."""
        return lambda: widget_kernel().release(self)

    def on_message(self, message: Message) -> None:
        """Note which views are open, and keep a picture of the moment that one has stopped at."""
        match message:
            case Opened():
                self.presence.opened(message.view, message.keeps)
                self.keep_picture()
            case Closed():
                self.presence.closed(message.view)
            case Moment() if message.sample < len(self._session.samples):
                self._place = message.sample
                self.keep_picture()


def packed(session: RecordedSession) -> bytes:
    return gzip.compress(session.encoded(), mtime=0)

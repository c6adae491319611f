"""``gpucluster.replay("kmeans-cpu")``."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from typing import Any

import traitlets

from ..protocol.recordings import RecordedSession
from .kernel import widget_kernel
from .messages import Closed, Message, Moment, Opened
from .output import OutputWidget
from .recordedpicture import RecordedPicture


class RecordedGauges(OutputWidget):
    """The gauges of the panel, fed from a recording, which the browser plays.

    Parameters
    ----------
    session : RecordedSession
        What to play.
    speed : float
        How many times as fast as it was.
    """

    face = "recording"

    # Packed JSON: the whole recording goes to the browser once.
    session = traitlets.Bytes().tag(sync=True)
    speed = traitlets.Float(1.0).tag(sync=True)

    def __init__(self, session: RecordedSession, speed: float, **traits: Any) -> None:
        self._session = session
        self._place = len(session.samples) - 1
        super().__init__(session=packed(session), speed=speed, **traits)
        widget_kernel().keep(self)

    def picture(self) -> RecordedPicture:
        """Return the recording as it was last shown; its end before it was."""
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
    """Return the recording as it travels to a browser."""
    return gzip.compress(session.encoded(), mtime=0)

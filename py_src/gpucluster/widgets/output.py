"""A notebook output with a live view, which keeps the last state afterwards, also of a recording that is replayed."""

from __future__ import annotations

import gzip
from contextlib import suppress
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import Any
from uuid import uuid4

import anywidget
import traitlets

from ..gauges.text import cluster_lines, moment_text
from ..protocol.recordings import RecordedSession
from ..protocol.telemetry import TelemetrySample
from .kernel import Closed, Drawn, Message, Moment, Opened, Presence, read_message, widget_kernel
from .picture import StillPicture, gauges_html, note_html

MOST_OUTPUTS = 20  # Outputs of one widget whose picture is kept up to date.
WIDGET_MIME = "application/vnd.jupyter.widget-view+json"
OUTPUT_MIME = "application/vnd.gpucluster.output+json"
"""Lets the JupyterLab extension show the picture before and after the live view."""


def _static(name: str) -> str:
    try:
        return files(__package__).joinpath("static", name).read_text(encoding="utf-8")
    except OSError:
        return ""  # The front end was not built; only show the picture.


class OutputWidget(anywidget.AnyWidget):
    """A live view in an output.

    A front end cannot change traits: requests come as messages, which are checked. A subclass sets ``view`` to the name
    of the view.
    """

    _esm = traitlets.Unicode().tag(sync=True)
    _css = traitlets.Unicode().tag(sync=True)
    view = traitlets.Unicode().tag(sync=True)
    note = traitlets.Unicode().tag(sync=True)
    kernel_over = traitlets.Bool(False).tag(sync=True)

    def __init__(self, **traits: Any) -> None:
        self.presence = Presence()
        self._outputs: list[str] = []
        self._pictured = ""
        self._over = ""
        super().__init__(**traits)

    @traitlets.default("_esm")
    def _default_esm(self) -> str:
        return _static("widgets.js")

    @traitlets.default("_css")
    def _default_css(self) -> str:
        return _static("widgets.css")

    # -- being shown -------------------------------------------------------------------------------

    def _ipython_display_(self, **_: Any) -> None:
        from IPython.display import display

        output = uuid4().hex
        display(self.bundle_for(output), raw=True, display_id=output)  # type: ignore[no-untyped-call]

    def bundle_for(self, output: str) -> dict[str, Any]:
        """Return the content of an output, by its ``display_id``, and keep it up to date."""
        self._outputs = [*self._outputs[1 - MOST_OUTPUTS :], output]
        self.presence.displayed()
        self.before_shown()
        return self._bundle(live=not self._over and bool(self._esm))

    def before_shown(self) -> None:
        """Prepare for a view that will open."""

    def picture(self) -> StillPicture:
        raise NotImplementedError

    def close(self) -> None:
        """Stop the updates. The outputs keep the last state."""
        self.end("")

    def end(self, why: str, *, stay: bool = False) -> None:
        """Show in the outputs why the updates have ended, and ignore further events.

        ``stay``: the kernel ends, and the views stay with their last state.
        """
        if self.comm is None or self._over:
            return
        self._over = why or self.note or "This is the last state."
        widget_kernel().call(widget_kernel().forget, self)
        with suppress(Exception):  # The channels of an ending kernel may be closed already.
            self.kernel_over = stay
            self.note = self._over
            self._replace_outputs()
            if not stay:
                super().close()

    # -- messages of views -------------------------------------------------------------------------

    def set_state(self, sync_data: Any) -> None:
        """Ignore changes of traits by a front end."""

    def _handle_msg(self, msg: Any) -> None:
        data = msg.get("content", {}).get("data") if isinstance(msg, dict) else None
        if not isinstance(data, dict):
            return
        if data.get("method") == "request_state":
            self.send_state()
        elif data.get("method") == "custom":
            message = read_message(data.get("content"))
            if message is not None:
                widget_kernel().call(self.on_message, message)

    def on_message(self, message: Message) -> None:
        """Note which views are open and have drawn what they got; subclasses handle the other valid messages."""
        match message:
            case Opened():
                self.presence.opened(message.view, message.keeps)
                self.keep_picture()
            case Closed():
                self.presence.closed(message.view)
            case Drawn():
                self.presence.answered()

    # -- pictures ----------------------------------------------------------------------------------

    def keep_picture(self) -> None:
        """Let capable views put a new picture into the notebook, which is saved with it."""
        picture = self.picture()
        if self.presence.keeps and picture.html != self._pictured:
            self._pictured = picture.html
            self.send({"kind": "picture", "html": picture.html, "text": picture.text})

    def _bundle(self, *, live: bool) -> dict[str, Any]:
        picture = self.picture()
        bundle: dict[str, Any] = {"text/plain": picture.text, "text/html": picture.html, OUTPUT_MIME: {}}
        if live:
            bundle[WIDGET_MIME] = {"version_major": 2, "version_minor": 1, "model_id": self.model_id}
        return bundle

    def _replace_outputs(self) -> None:
        """Replace live views in the outputs by the picture."""
        from IPython.display import update_display

        bundle = self._bundle(live=False)
        for output in self._outputs:
            update_display(bundle, display_id=output, raw=True)  # type: ignore[no-untyped-call]


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

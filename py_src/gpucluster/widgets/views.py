"""Live views in outputs of a notebook, which keep the last state afterwards: of a cluster, or of a recording.

Data flows one way, and requests are checked.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import time
from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import Any, ClassVar
from uuid import uuid4

import anywidget
import traitlets
from pydantic import ValidationError

from ..client.background import background_loop
from ..client.control import AsyncControl
from ..client.display.dashboard import DEFAULT_PAGE, PAGES, DashboardPage, find_page, jupyter_base_url
from ..client.handle import ClusterHandle
from ..gauges.text import cluster_lines, moment_text
from ..protocol.errors import GPUClusterError, InvalidRequest
from ..protocol.models import ClusterModel
from ..protocol.recordings import RecordedSession
from ..protocol.telemetry import TelemetrySample
from .kernel import (
    Closed,
    Drawn,
    Message,
    Moment,
    Opened,
    Page,
    Presence,
    Request,
    Retire,
    Scale,
    Stop,
    read_message,
    widget_kernel,
)
from .picture import Picture, StillPicture, gauges_html, note_html

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
        """Show why the updates ended, and ignore further events; ``stay``: the kernel ends, and the views stay."""
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


PICTURE_SECONDS = 60.0  # Interval of pictures in the notebook while only figures change.
FIRST_PICTURE_SECONDS = 3.0
"""The same right after a change, when new workers have not reported figures yet; it doubles from there."""
FIRST_SAMPLE_SECONDS = 1.0


class ClusterWidget(OutputWidget):
    """A live view of one cluster. Made by ``Cluster.gauges``, ``Cluster.dashboard`` and its card."""

    wants_samples: ClassVar[bool] = True
    requests: ClassVar[tuple[type[Request], ...]] = ()  # What the view offers; other requests are ignored.

    cluster = traitlets.Dict().tag(sync=True)
    # Unparsed JSON of an event from the supervisor.
    sample = traitlets.Bytes().tag(sync=True)
    refusal = traitlets.Unicode().tag(sync=True)

    def __init__(self, cluster: ClusterHandle, control: AsyncControl, **traits: Any) -> None:
        self.control = control
        self.cluster_id = cluster.id
        self._model = cluster.model
        self._next_picture = 0.0
        self._picture_seconds = FIRST_PICTURE_SECONDS
        self._acting: asyncio.Task[None] | None = None
        super().__init__(
            cluster=self._model.model_dump(mode="json", exclude={"log_tail"}),
            note=_note(self._model), **traits,
        )  # fmt: skip
        widget_kernel().add(self)

    # -- being shown -------------------------------------------------------------------------------

    def before_shown(self) -> None:
        """Wait for the first figures, if there will be any."""
        widget_kernel().call(widget_kernel().attend, self)
        if self.wants_samples and not self.sample and self._model.scheduler_address is not None:
            self._wait_for_sample()

    def picture(self) -> Picture:
        return Picture(self._model, self._parsed_sample(), self._over or self.note, card=False)

    # -- events of the feed (on the background loop) -----------------------------------------------

    def on_model(self, model: ClusterModel) -> None:
        before, self._model = self._model, model
        if model != before:
            self.cluster = model.model_dump(mode="json", exclude={"log_tail"})
        self.note = _note(model)
        if model.state != before.state and model.state.ended:
            self.keep_picture()
            if not self.presence.keeps:
                self._replace_outputs()
        elif _pictured(model) != _pictured(before):
            self._picture_seconds = FIRST_PICTURE_SECONDS
            self.keep_picture()

    def on_sample(self, line: bytes) -> None:
        """Show a sample, unless too many are not drawn yet."""
        if not self.presence.may_send(busy=widget_kernel().busy):
            return
        first = not self.sample
        self.presence.sent()
        self.sample = line
        if first or time.monotonic() > self._next_picture:
            self.keep_picture()

    def on_removed(self) -> None:
        """End with the cluster, whose entry is gone."""
        self.end(f"The cluster '{self._model.name}' has been removed; this is the last state.")

    # -- messages of views -------------------------------------------------------------------------

    def on_message(self, message: Message) -> None:
        """Note which views are open, and carry out requests."""
        super().on_message(message)
        if isinstance(message, (Opened, Closed)):
            widget_kernel().attend(self)
        if isinstance(message, Opened) and self.wants_samples:
            self._act(self._send_history())
        if isinstance(message, self.requests) and (self._acting is None or self._acting.done()):  # One at a time.
            self._acting = self._act(self._carry_out(message))

    # -- parts -------------------------------------------------------------------------------------

    async def _carry_out(self, request: Request) -> None:
        self.refusal = ""
        try:
            await request.send(self.control, self.cluster_id)
        except GPUClusterError as error:
            # The view has no field names, only this label.
            self.refusal = error.message.replace("n_workers:", "Workers:", 1)

    async def _send_history(self) -> None:
        # A cluster that is not running has no history.
        with suppress(GPUClusterError):
            history = await self.control.history(self.cluster_id)
            self.send({"kind": "history"}, [history.model_dump_json().encode()])

    def _act(self, work: Awaitable[None]) -> asyncio.Task[None]:
        async def quietly() -> None:
            # There is no cell to show an error in; the view keeps its last state.
            with suppress(Exception):
                await work

        return asyncio.get_running_loop().create_task(quietly())

    def _wait_for_sample(self) -> None:
        kernel = widget_kernel()

        async def first() -> None:
            feed = kernel.feed(self.control, self.cluster_id)
            if feed is not None:
                await asyncio.wait_for(feed.first_sample.wait(), FIRST_SAMPLE_SECONDS)

        with suppress(TimeoutError):
            asyncio.run_coroutine_threadsafe(first(), background_loop()).result(FIRST_SAMPLE_SECONDS + 1)

    def _parsed_sample(self) -> TelemetrySample | None:
        with suppress(ValidationError, ValueError, KeyError, TypeError):
            return TelemetrySample.model_validate(json.loads(self.sample)["sample"])
        return None

    def keep_picture(self) -> None:
        """Let the views put a new picture into the notebook, and schedule the next one."""
        self._next_picture = time.monotonic() + self._picture_seconds
        self._picture_seconds = min(2 * self._picture_seconds, PICTURE_SECONDS)
        super().keep_picture()


def _pictured(model: ClusterModel) -> tuple[object, ...]:
    return (model.state, model.n_workers, model.n_pending, model.pending_reason, model.notice)


def _note(model: ClusterModel) -> str:
    return f"The cluster has {model.state.value}; this is the last state." if model.state.ended else ""


NO_SERVER = (
    "This kernel belongs to no Jupyter server that could show the dashboard here. On this machine, a browser can open "
    "cluster.dashboard_link, which contains a secret: do not share it."
)


class ClusterGauges(ClusterWidget):
    """``cluster.gauges()``: memory, GPUs, tasks and progress of a cluster, the gauges of the panel."""

    requests = (Retire,)

    view = traitlets.Unicode("gauges").tag(sync=True)


class ClusterCard(ClusterWidget):
    """State, workers and gauges of a cluster, with scale and stop."""

    requests = (Scale, Retire, Stop)

    view = traitlets.Unicode("card").tag(sync=True)
    link = traitlets.Unicode(None, allow_none=True).tag(sync=True)

    def __init__(self, cluster: ClusterHandle, control: AsyncControl, **traits: Any) -> None:
        self._handle = cluster
        super().__init__(cluster, control, link=link_of(cluster), **traits)

    def picture(self) -> Picture:
        found = super().picture()
        link = None if found.model.state.ended else self.link
        return Picture(found.model, found.sample, found.note, link)


class ClusterDashboard(ClusterWidget):
    """A page of Dask's dashboard, through the Jupyter server."""

    wants_samples = False

    view = traitlets.Unicode("dashboard").tag(sync=True)
    page = traitlets.Unicode(DEFAULT_PAGE).tag(sync=True)
    pages: traitlets.List[list[str]] = traitlets.List().tag(sync=True)
    path = traitlets.Unicode(None, allow_none=True).tag(sync=True)

    def __init__(self, cluster: ClusterHandle, control: AsyncControl, page: DashboardPage, **traits: Any) -> None:
        base = jupyter_base_url()
        gpu = cluster.model.has_gpus
        pages = [[found.path, found.title] for found in PAGES if gpu or not found.gpu or found == page]
        path = None if base is None else f"{base.rstrip('/')}/gpucluster/dashboard/{cluster.id}"
        super().__init__(cluster, control, page=page.path, pages=pages, path=path, **traits)
        if path is None:
            self.refusal = NO_SERVER

    def picture(self) -> Picture:
        """Return the last state of the cluster: a dashboard itself has no picture."""
        found = super().picture()
        title = find_page(self.page).title
        note = found.note or f"The page '{title}' of the dashboard appears here while the notebook runs."
        link = None if self.path is None or found.model.state.ended else f"{self.path}/{self.page}"
        return Picture(found.model, None, note, link, card=False)

    def on_message(self, message: Message) -> None:
        """Remember the chosen page, for views that open later."""
        super().on_message(message)
        if isinstance(message, Page):
            try:
                self.page = find_page(message.page).path
            except InvalidRequest as error:
                self.refusal = error.message


def link_of(cluster: ClusterHandle) -> str | None:
    """Return the dashboard's address on the Jupyter server, if any: a direct address contains a secret."""
    if jupyter_base_url() is None:
        return None
    try:
        link = cluster.dashboard_link
    except GPUClusterError:
        return None
    return link if link.startswith("/") else None

"""Base of all widgets of a cluster: data flows one way, and requests are checked."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable
from contextlib import suppress
from typing import Any, ClassVar

import traitlets
from pydantic import ValidationError

from ..client.background import background_loop
from ..client.control import AsyncControl
from ..client.display.dashboard import DEFAULT_PAGE, PAGES, DashboardPage, find_page, jupyter_base_url
from ..client.handle import ClusterHandle
from ..protocol.errors import GPUClusterError, InvalidRequest
from ..protocol.models import ClusterModel
from ..protocol.telemetry import TelemetrySample
from .kernel import Closed, Message, Opened, Page, Request, Retire, Scale, Stop, widget_kernel
from .output import OutputWidget
from .picture import Picture

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
        loop = background_loop()
        kernel = widget_kernel()

        async def first() -> None:
            feed = kernel.feed(self.control, self.cluster_id)
            if feed is not None:
                await asyncio.wait_for(feed.first_sample.wait(), FIRST_SAMPLE_SECONDS)

        with suppress(TimeoutError):
            asyncio.run_coroutine_threadsafe(first(), loop).result(FIRST_SAMPLE_SECONDS + 1)

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
    if not model.state.ended:
        return ""
    return f"The cluster has {model.state.value}; this is the last state."


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
        note = found.note or f"Here is the page '{title}' of the dashboard while the notebook runs."
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

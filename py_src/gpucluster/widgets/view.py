"""What all widgets of a cluster have in common: data that flows one way, wishes that are checked, an output that
keeps the last state."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable
from contextlib import suppress
from importlib.resources import files
from typing import Any
from uuid import uuid4

import anywidget
import traitlets
from pydantic import ValidationError

from ..client.background import background_loop
from ..client.cluster import Cluster
from ..client.control import AsyncControl
from ..protocol.errors import GPUClusterError
from ..protocol.models import ClusterModel
from ..protocol.spec import parse_patch
from ..protocol.telemetry import TelemetrySample
from .attendance import Attendance
from .kernel import widget_kernel
from .messages import Closed, Drawn, Opened, Page, Retire, Scale, Stop, read_message
from .picture import Picture

PICTURE_SECONDS = 60.0
"""How often the picture in the notebook is replaced while nothing but figures change."""
FIRST_SAMPLE_SECONDS = 1.0
MOST_OUTPUTS = 20
"""Outputs of one widget whose picture is kept up to date."""
WIDGET_MIME = "application/vnd.jupyter.widget-view+json"
OUTPUT_MIME = "application/vnd.gpucluster.output+json"
"""Tells our JupyterLab extension to show the picture until there is a live view, and after it."""


def _static(name: str) -> str:
    try:
        return files(__package__).joinpath("static", name).read_text(encoding="utf-8")
    except OSError:
        return ""  # The front end was not built; the picture is all there is.


class ClusterWidget(anywidget.AnyWidget):
    """A live view of one cluster. Made by ``Cluster.gauges``, ``Cluster.dashboard`` and its card.

    Nothing that a front end sends changes a trait: wishes come as messages, which are checked.

    Parameters
    ----------
    cluster : Cluster
        What is shown.
    control : AsyncControl
        How to reach it.
    """

    face: str = ""
    """Which view is drawn."""
    wants_samples = True

    _esm = traitlets.Unicode().tag(sync=True)
    _css = traitlets.Unicode().tag(sync=True)
    view = traitlets.Unicode().tag(sync=True)
    cluster = traitlets.Dict().tag(sync=True)
    # Bytes of a whole event as the supervisor wrote them: parsed nowhere in Python.
    sample = traitlets.Bytes().tag(sync=True)
    refusal = traitlets.Unicode().tag(sync=True)
    note = traitlets.Unicode().tag(sync=True)
    kernel_over = traitlets.Bool(False).tag(sync=True)

    def __init__(self, cluster: Cluster, control: AsyncControl, **traits: Any) -> None:
        self.control = control
        self.cluster_id = cluster.id
        self.attendance = Attendance()
        self._model = cluster.model
        self._outputs: list[str] = []
        self._pictured_at = 0.0
        self._pictured = ""
        self._acting: asyncio.Task[None] | None = None
        self._over = ""
        super().__init__(
            view=self.face, cluster=self._model.model_dump(mode="json", exclude={"log_tail"}),
            note=_note(self._model), **traits,
        )  # fmt: skip
        widget_kernel().add(self)

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
        """Return what to put into an output, which is then kept up to date.

        Parameters
        ----------
        output : str
            Its ``display_id``.
        """
        self._outputs = [*self._outputs[1 - MOST_OUTPUTS :], output]
        self.attendance.displayed()
        widget_kernel().call(widget_kernel().attend, self)
        if self.wants_samples and not self.sample and self._model.scheduler_address is not None:
            self._wait_for_sample()
        return self._bundle(live=not self._over and bool(self._esm))

    def picture(self) -> Picture:
        """Return the cluster as it was last seen."""
        return Picture(self._model, self._parsed_sample(), self._over or self.note, card=False)

    def close(self) -> None:
        """Stop the updates. The outputs keep the last state."""
        self.end("")

    def end(self, why: str, *, stay: bool = False) -> None:
        """Say in the outputs why nothing moves any more, and hear of the cluster no more.

        Parameters
        ----------
        why : str
            A sentence; empty where there is nothing to say.
        stay : bool
            The kernel ends: leave the views where they are, with their last state.
        """
        if self.comm is None or self._over:
            return
        self._over = why or self.note or "This is the last state."
        widget_kernel().call(widget_kernel().forget, self)
        with suppress(Exception):  # At the end of a kernel, its channels may be closed already.
            self.kernel_over = stay
            self.note = self._over
            self._replace_outputs()
            if not stay:
                super().close()

    # -- what the feed says (on the background loop) -----------------------------------------------

    def on_model(self, model: ClusterModel) -> None:
        """Show that the cluster has changed."""
        before, self._model = self._model, model
        if model != before:
            self.cluster = model.model_dump(mode="json", exclude={"log_tail"})
        self.note = _note(model)
        if model.state != before.state and model.state.ended:
            self._keep_picture()
            if not self.attendance.keeps:
                self._replace_outputs()
        elif (model.state, model.n_workers, model.reason) != (before.state, before.n_workers, before.reason):
            self._keep_picture()

    def on_sample(self, line: bytes) -> None:
        """Show a sample, unless the last ones have not been drawn yet."""
        if not self.attendance.may_send(busy=widget_kernel().busy):
            return
        first = not self.sample
        self.attendance.sent()
        self.sample = line
        if first or time.monotonic() - self._pictured_at > PICTURE_SECONDS:
            self._keep_picture()

    def on_removed(self) -> None:
        """End with the cluster, whose entry is gone."""
        self.end(f"The cluster '{self._model.name}' has been removed; this is the last state.")

    # -- what a view says --------------------------------------------------------------------------

    def set_state(self, sync_data: Any) -> None:
        """Ignore what a front end wants to put into traits."""

    def _handle_msg(self, msg: Any) -> None:
        data = msg.get("content", {}).get("data") if isinstance(msg, dict) else None
        if not isinstance(data, dict):
            return
        if data.get("method") == "request_state":
            self.send_state()
        elif data.get("method") == "custom":
            message = read_message(data.get("content"))
            if message is not None:
                widget_kernel().call(self._on_message, message)

    def _on_message(self, message: Opened | Closed | Drawn | Scale | Stop | Page | Retire) -> None:
        match message:
            case Opened():
                self.attendance.opened(message.view, message.keeps)
                widget_kernel().attend(self)
                if self.wants_samples:
                    self._act(self._send_history())
                self._keep_picture()
            case Closed():
                self.attendance.closed(message.view)
                widget_kernel().attend(self)
            case Drawn():
                self.attendance.answered()
            case _:
                self.on_wish(message)

    def on_wish(self, wish: Scale | Stop | Page | Retire) -> None:
        """Do what somebody asked for in a view. Wishes that the view does not offer are ignored."""

    def carry_out(self, wish: Scale | Stop | Retire) -> None:
        """Scale, stop or retire, one wish at a time; a refusal is a sentence in the view."""
        if self._acting is None or self._acting.done():
            self._acting = self._act(self._carry_out(wish))

    # -- parts -------------------------------------------------------------------------------------

    async def _carry_out(self, wish: Scale | Stop | Retire) -> None:
        self.refusal = ""
        try:
            match wish:
                case Scale():
                    await self.control.patch(self.cluster_id, parse_patch({"n_workers": wish.n_workers}))
                case Stop():
                    await self.control.stop(self.cluster_id, wait=False)
                case Retire():
                    await self.control.retire(self.cluster_id, wish.worker)
        except GPUClusterError as error:
            # The view knows no fields, only the box that is labelled so.
            self.refusal = error.message.replace("n_workers:", "Workers:", 1)

    async def _send_history(self) -> None:
        # Nobody knows the past of a cluster that is not running.
        with suppress(GPUClusterError):
            history = await self.control.history(self.cluster_id)
            self.send({"kind": "history"}, [history.model_dump_json().encode()])

    def _act(self, work: Awaitable[None]) -> asyncio.Task[None]:
        return asyncio.get_running_loop().create_task(_quietly(work))

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

    def _bundle(self, *, live: bool) -> dict[str, Any]:
        picture = self.picture()
        bundle: dict[str, Any] = {"text/plain": picture.text, "text/html": picture.html, OUTPUT_MIME: {}}
        if live:
            bundle[WIDGET_MIME] = {"version_major": 2, "version_minor": 1, "model_id": self.model_id}
        return bundle

    def _keep_picture(self) -> None:
        """Let the views that can put a new picture into the notebook, which is saved with it."""
        self._pictured_at = time.monotonic()
        picture = self.picture()
        if self.attendance.keeps and picture.html != self._pictured:
            self._pictured = picture.html
            self.send({"kind": "picture", "html": picture.html, "text": picture.text})

    def _replace_outputs(self) -> None:
        """Leave nothing but the picture in the outputs: what is live ends here."""
        from IPython.display import update_display

        bundle = self._bundle(live=False)
        for output in self._outputs:
            update_display(bundle, display_id=output, raw=True)  # type: ignore[no-untyped-call]


async def _quietly(work: Awaitable[None]) -> None:
    # Whatever goes wrong here has no cell to be shown in; the view keeps its last state.
    with suppress(Exception):
        await work


def _note(model: ClusterModel) -> str:
    if not model.state.ended:
        return ""
    return f"The cluster has {model.state.value}; this is the last state."

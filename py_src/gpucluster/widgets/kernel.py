"""Widgets of this kernel: their feeds, the messages of their views, the kernel's activity, and its end."""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from ..client.background import background_loop
from ..client.control import AsyncControl
from ..client.display.presentation import shell_of_notebook
from ..client.transport import follow_telemetry, is_sampled
from ..protocol.errors import ClusterNotFound, GPUClusterError
from ..protocol.models import ClusterModel

if TYPE_CHECKING:
    from .views import ClusterWidget, OutputWidget


LOOK_SECONDS = 0.25
RETRY_SECONDS = 2.0


class ClusterFeed:
    """Follows one cluster while it has listeners. Runs on the background loop, where listeners must not block."""

    def __init__(self, control: AsyncControl, id: str) -> None:
        self._control = control
        self._id = id
        self._listeners: list[ClusterWidget] = []
        self._task: asyncio.Task[None] | None = None
        self._model: ClusterModel | None = None
        self._line: bytes | None = None
        self.first_sample = asyncio.Event()  # Set once there is a sample.

    @property
    def running(self) -> bool:
        return self._task is not None

    def add(self, listener: ClusterWidget) -> None:
        """Add a listener; it first receives the current state."""
        if listener in self._listeners:
            return
        self._listeners.append(listener)
        if self._task is None:
            self._line = None  # It may be old.
            self.first_sample.clear()
            self._task = asyncio.get_running_loop().create_task(self._follow())
            return
        if self._model is not None:
            listener.on_model(self._model)
        if self._line is not None:
            listener.on_sample(self._line)

    def discard(self, listener: ClusterWidget) -> None:
        """Remove a listener; the last one stops the feed."""
        if listener in self._listeners:
            self._listeners.remove(listener)
        if not self._listeners and self._task is not None:
            self._task.cancel()
            self._task = None

    async def _follow(self) -> None:
        reading: asyncio.Task[None] | None = None
        self._model = None
        try:
            while True:
                try:
                    model = self._control.registry.find(self._id)
                except ClusterNotFound:
                    for listener in list(self._listeners):
                        listener.on_removed()
                    return
                except (GPUClusterError, OSError):
                    # A record of another version, or a full disk: keep the last state.
                    await asyncio.sleep(RETRY_SECONDS)
                    continue
                if model != self._model:
                    self._model = model
                    for listener in list(self._listeners):
                        listener.on_model(model)
                if is_sampled(model) and (reading is None or reading.done()):
                    reading = asyncio.get_running_loop().create_task(self._read())
                await asyncio.sleep(RETRY_SECONDS if model.state.ended else LOOK_SECONDS)
        finally:
            if reading is not None:
                reading.cancel()

    async def _read(self) -> None:
        with suppress(GPUClusterError):
            async for line in follow_telemetry(self._control.registry, self._id):
                self._line = line
                self.first_sample.set()
                for listener in list(self._listeners):
                    listener.on_sample(line)
        await asyncio.sleep(RETRY_SECONDS)  # Do not repeat refused requests four times a second.


PATIENCE_SECONDS = 30.0  # Views that do not respond within this time are gone: the browser was closed.
UNANSWERED = 12  # Most unanswered messages to a front end; views answer every fifth second.
UNANSWERED_WHILE_BUSY = 60  # While the kernel runs a cell: most kernels then read no answers.
PROBE_SECONDS = 10.0  # Interval of messages to a front end that does not keep up.
MOST_VIEWS = 100


class Presence:
    """State of the views of one widget, from their messages and missing answers; the clock returns seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._views: dict[str, bool] = {}
        self._expected = False
        self._seen = clock()
        self._sent = 0.0
        self._unanswered = 0

    def displayed(self) -> None:
        """Note that a view will open: a busy kernel may receive its message much later."""
        self._expected = True
        self.touch()

    def opened(self, view: str, keeps: bool) -> None:
        """Note a view. ``keeps``: its output can be replaced without redrawing the view."""
        if len(self._views) < MOST_VIEWS:
            self._views[view] = keeps
        self._expected = False
        self.answered()

    def closed(self, view: str) -> None:
        self._views.pop(view, None)

    def touch(self) -> None:
        """Restart the timeout for answers."""
        self._seen = self._clock()

    def answered(self) -> None:
        """Note that a view has drawn the last message."""
        self._unanswered = 0
        self.touch()

    def sent(self) -> None:
        self._unanswered += 1
        self._sent = self._clock()

    def may_send(self, *, busy: bool) -> bool:
        """Return whether few enough messages are unanswered to send another one."""
        limit = UNANSWERED_WHILE_BUSY if busy else UNANSWERED
        return self._unanswered < limit or self._clock() - self._sent >= PROBE_SECONDS

    def looked_at(self, *, busy: bool) -> bool:
        """Return whether a view is open or about to be."""
        if not self._views and not self._expected:
            return False
        return busy or self._clock() - self._seen < PATIENCE_SECONDS

    @property
    def keeps(self) -> bool:
        """Whether the output of a view can be replaced without redrawing the view."""
        return any(self._views.values())


VIEWS_SECONDS = 5.0  # Interval of checks for open views.
EXIT_SECONDS = 2.0
_RESET_NAME = "_gpucluster_widgets"
KERNEL_OVER = "The kernel has stopped; this is the last state."
RESET = "The notebook's variables were reset; this is the last state."


class WidgetKernel:
    """All widgets of this process, and one feed per cluster. Everything but ``call`` runs on the background loop."""

    def __init__(self) -> None:
        self._pid = os.getpid()
        self._feeds: dict[tuple[str, str], ClusterFeed] = {}
        self._widgets: list[ClusterWidget] = []
        self._players: list[OutputWidget] = []  # Widgets without a cluster.
        self._looking: asyncio.Task[None] | None = None
        self._shell: Any = None
        self.busy = False  # Whether a cell runs. Most kernels then read no messages.
        atexit.register(self._on_exit)

    # -- from any thread ---------------------------------------------------------------------------

    def call(self, function: Callable[..., Any], *arguments: Any) -> None:
        with suppress(RuntimeError):  # the loop has been closed
            background_loop().call_soon_threadsafe(function, *arguments)

    def add(self, widget: ClusterWidget) -> None:
        self._listen_to_shell()
        self.call(self._admit, widget)

    def keep(self, player: OutputWidget) -> None:
        """Add a widget without a cluster."""
        self._listen_to_shell()
        self.call(self._players.append, player)

    def end_all(self, why: str, *, stay: bool = False) -> None:
        """End all widgets; their outputs keep the last state."""
        for widget in [*self._widgets, *self._players]:
            widget.end(why, stay=stay)

    # -- on the background loop --------------------------------------------------------------------

    def feed(self, control: AsyncControl, id: str) -> ClusterFeed | None:
        return self._feeds.get((str(control.registry.directory), id))

    def attend(self, widget: ClusterWidget) -> None:
        """Connect a widget to its feed if it has open views, else disconnect it. The last listener stops a feed."""
        key = (str(widget.control.registry.directory), widget.cluster_id)
        feed = self._feeds.get(key)
        if widget in self._widgets and widget.presence.looked_at(busy=self.busy):
            if feed is None:
                feed = self._feeds[key] = ClusterFeed(widget.control, widget.cluster_id)
            feed.add(widget)
        elif feed is not None:
            feed.discard(widget)
            if not feed.running:
                del self._feeds[key]
        if self._looking is None and any(feed.running for feed in self._feeds.values()):
            self._looking = asyncio.get_running_loop().create_task(self._look())

    def forget(self, widget: OutputWidget) -> None:
        if widget in self._players:
            self._players.remove(widget)
        for fed in [fed for fed in self._widgets if fed is widget]:
            self._widgets.remove(fed)
            self.attend(fed)

    def _admit(self, widget: ClusterWidget) -> None:
        self._widgets.append(widget)
        # Widgets without open views have no feed that would report the removal of their cluster.
        for other in list(self._widgets):
            if self.feed(other.control, other.cluster_id) is None and _is_removed(other):
                other.on_removed()

    async def _look(self) -> None:
        try:
            while any(feed.running for feed in self._feeds.values()):
                await asyncio.sleep(VIEWS_SECONDS)
                for widget in list(self._widgets):
                    self.attend(widget)
        finally:
            self._looking = None

    async def _hang_up(self) -> None:
        for widget in list(self._widgets):
            self.forget(widget)
        if self._looking is not None:
            self._looking.cancel()
        await asyncio.sleep(0)  # Let cancelled tasks end.
        await asyncio.sleep(0)

    # -- events of the kernel ----------------------------------------------------------------------

    def _listen_to_shell(self) -> None:
        shell = shell_of_notebook()
        if shell is None:
            return
        if self._shell is not shell:
            self._shell = shell
            self.busy = True  # Widgets are created in a cell.
            shell.events.register("pre_run_cell", self._on_cell)
            shell.events.register("post_run_cell", self._on_cell_done)
        if _RESET_NAME not in shell.user_ns:
            # '%reset' has no event, but deletes this object from the namespace.
            mark = _Mark()
            shell.user_ns[_RESET_NAME] = mark
            shell.user_ns_hidden[_RESET_NAME] = mark
            weakref.finalize(mark, self.end_all, RESET).atexit = False

    def _on_cell(self, *_: Any) -> None:
        self.busy = True

    def _on_cell_done(self, *_: Any) -> None:
        self.busy = False
        for widget in list(self._widgets):
            widget.presence.touch()

    def _on_exit(self) -> None:
        if os.getpid() != self._pid or threading.current_thread() is not threading.main_thread():
            return  # A forked child has the registration, but none of the widgets.
        self.end_all(KERNEL_OVER, stay=True)
        with suppress(Exception):  # There is nowhere left to report it.
            asyncio.run_coroutine_threadsafe(self._hang_up(), background_loop()).result(EXIT_SECONDS)


def _is_removed(widget: ClusterWidget) -> bool:
    try:
        widget.control.registry.find(widget.cluster_id)
    except ClusterNotFound:
        return True
    except (GPUClusterError, OSError):  # A record of another version, or a full disk.
        pass
    return False


class _Mark:
    """Lives as long as the notebook's variables."""


_kernel: WidgetKernel | None = None


def widget_kernel() -> WidgetKernel:
    """Return the one of this process, created at its first use (and again in a forked child)."""
    global _kernel
    if _kernel is None or _kernel._pid != os.getpid():
        _kernel = WidgetKernel()
    return _kernel


ViewId = Annotated[str, Field(min_length=1, max_length=64)]


class _Message(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Opened(_Message):
    """A view was drawn. ``keeps``: it stays when the output's text is replaced."""

    kind: Literal["opened"]
    view: ViewId
    keeps: bool


class Closed(_Message):
    kind: Literal["closed"]
    view: ViewId


class Drawn(_Message):
    """A view has drawn the last message."""

    kind: Literal["drawn"]


class Page(_Message):
    kind: Literal["page"]
    page: Annotated[str, Field(max_length=80)]


class Moment(_Message):
    """A recording has stopped at this sample."""

    kind: Literal["moment"]
    sample: Annotated[int, Field(ge=0, le=10**6)]


class Request(_Message):
    """A verb with its arguments in order; irreversible ones were confirmed."""

    kind: str

    async def send(self, control: AsyncControl, id: str) -> None:
        """Send the request to the cluster. Raises `GPUClusterError`."""
        named: dict[str, Any] = self.model_dump(exclude={"kind"})
        await getattr(control, self.kind)(id, *named.values(), wait=False)


class Scale(Request):
    """Another number of workers, checked like every such request."""

    kind: Literal["scale"]
    n_workers: int | float | str | bool | None


class Retire(Request):
    kind: Literal["retire"]
    worker: Annotated[str, Field(min_length=1, max_length=200)]


class Stop(Request):
    kind: Literal["stop"]


Message: TypeAlias = Opened | Closed | Drawn | Page | Moment | Scale | Retire | Stop
_MESSAGE: TypeAdapter[Message] = TypeAdapter(Annotated[Message, Field(discriminator="kind")])


def read_message(content: Any) -> Message | None:
    """Return the message; None: invalid."""
    try:
        return _MESSAGE.validate_python(content)
    except (ValidationError, RecursionError):
        return None

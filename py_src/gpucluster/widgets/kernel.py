"""The kernel that widgets live in: its feeds, whether it is busy, and its end."""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol

from ..client.background import background_loop
from ..client.control import AsyncControl
from ..client.presentation import shell_of_notebook
from ..protocol.errors import ClusterNotFound, GPUClusterError
from .feed import ClusterFeed, Listener
from .presence import Presence

LOOK_SECONDS = 5.0
"""How often it is asked whether somebody still looks."""
EXIT_SECONDS = 2.0
_RESET_NAME = "_gpucluster_widgets"
KERNEL_OVER = "The kernel has stopped; this is the last state."
RESET = "The notebook's variables were reset; this is the last state."


class KeptWidget(Protocol):
    """A widget that ends with the kernel."""

    def end(self, why: str, *, stay: bool = False) -> None:
        """Say why nothing moves any more."""


class FedWidget(KeptWidget, Listener, Protocol):
    """A widget that shows a cluster."""

    control: AsyncControl
    cluster_id: str
    presence: Presence


class WidgetKernel:
    """All widgets of this process, and one feed per cluster.

    Everything but ``call`` happens on the background loop.
    """

    def __init__(self) -> None:
        self._pid = os.getpid()
        self._feeds: dict[tuple[str, str], ClusterFeed] = {}
        self._widgets: list[FedWidget] = []
        self._players: list[KeptWidget] = []
        """Those that are fed by no cluster."""
        self._looking: asyncio.Task[None] | None = None
        self._shell: Any = None
        self.busy = False
        """Whether a cell runs. Most kernels then read no messages of the front end."""
        atexit.register(self._on_exit)

    # -- from any thread ---------------------------------------------------------------------------

    def call(self, function: Callable[..., Any], *arguments: Any) -> None:
        """Do something on the background loop, soon."""
        with suppress(RuntimeError):  # the loop has been closed
            background_loop().call_soon_threadsafe(function, *arguments)

    def add(self, widget: FedWidget) -> None:
        """Look after a widget."""
        self._listen_to_shell()
        self.call(self._admit, widget)

    def keep(self, player: KeptWidget) -> None:
        """Look after a widget that is fed by no cluster."""
        self._listen_to_shell()
        self.call(self._players.append, player)

    def end_all(self, why: str, *, stay: bool = False) -> None:
        """End all widgets; their outputs keep the last state."""
        for widget in [*self._widgets, *self._players]:
            widget.end(why, stay=stay)

    # -- on the background loop --------------------------------------------------------------------

    def feed(self, control: AsyncControl, id: str) -> ClusterFeed | None:
        """Return the feed of a cluster, if somebody listens to it."""
        return self._feeds.get((str(control.registry.directory), id))

    def attend(self, widget: FedWidget) -> None:
        """Connect a widget that is looked at to its feed, or disconnect it. A feed goes with its last listener."""
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

    def forget(self, widget: FedWidget) -> None:
        """Look after a widget no longer."""
        if widget in self._widgets:
            self._widgets.remove(widget)
        self.attend(widget)

    def release(self, player: KeptWidget) -> None:
        """Look after a widget no longer that is fed by no cluster."""
        if player in self._players:
            self._players.remove(player)

    def _admit(self, widget: FedWidget) -> None:
        self._widgets.append(widget)
        # Nobody looks at these, so no feed tells them that their cluster is gone.
        for other in list(self._widgets):
            if self.feed(other.control, other.cluster_id) is None and _is_removed(other):
                other.on_removed()

    async def _look(self) -> None:
        try:
            while any(feed.running for feed in self._feeds.values()):
                await asyncio.sleep(LOOK_SECONDS)
                for widget in list(self._widgets):
                    self.attend(widget)
        finally:
            self._looking = None

    async def _hang_up(self) -> None:
        for widget in list(self._widgets):
            self.forget(widget)
        if self._looking is not None:
            self._looking.cancel()
        await asyncio.sleep(0)  # Cancelled tasks end in the next rounds.
        await asyncio.sleep(0)

    # -- what happens to the kernel ----------------------------------------------------------------

    def _listen_to_shell(self) -> None:
        shell = shell_of_notebook()
        if shell is None:
            return
        if self._shell is not shell:
            self._shell = shell
            self.busy = True  # Whoever makes a widget does it in a cell.
            shell.events.register("pre_run_cell", self._on_cell)
            shell.events.register("post_run_cell", self._on_cell_done)
        if _RESET_NAME not in shell.user_ns:
            # '%reset' tells nobody; it deletes what is in the namespace, this too.
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
            return  # a forked child has the registration, but none of the widgets
        self.end_all(KERNEL_OVER, stay=True)
        with suppress(Exception):  # There is nobody left to tell.
            asyncio.run_coroutine_threadsafe(self._hang_up(), background_loop()).result(EXIT_SECONDS)


def _is_removed(widget: FedWidget) -> bool:
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
    """Return that of this process, made when it is first needed (and again in a forked child)."""
    global _kernel
    if _kernel is None or _kernel._pid != os.getpid():
        _kernel = WidgetKernel()
    return _kernel

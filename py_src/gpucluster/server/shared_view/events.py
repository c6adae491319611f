"""The stream of a shared view, from one reader per cluster for all viewers with a link.

The reader has the cluster's state, and the figures of the last minutes that links show.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from jupyter_server.auth.decorator import allow_unauthenticated
from jupyter_server.base.websocket import WebSocketMixin
from tornado.websocket import WebSocketClosedError, WebSocketHandler

from ...client.control import AsyncControl
from ...client.transport import follow_telemetry, is_sampled
from ...protocol.errors import GPUClusterError
from ...protocol.links import SharedChanged, SharedCluster, SharedHello, SharedLink, SharedOver, shown_cluster
from ...registry.record import now
from ..admission import RefusalMixin
from ..event_stream import EventMessage, Viewer, Write, event_message
from .handler import SharedViewHandler, SharedViewMixin, TooOften
from .sessions import OpenViews, ViewSession
from .shown import shown_pages, shown_telemetry

MOST_MESSAGE_BYTES = 1024  # Viewers' messages are ignored.
OVER_CODE = 4001  # Closes a WebSocket for good: the page does not reconnect.
FULL_CODE = 1013  # Of the protocol: try again later.
TOO_MANY = "Too many pages are open with this link. Close some, and load this one again."
WHY_OVER = "The link has expired or was revoked, or the cluster has stopped."


class SharedSocket(SharedViewMixin, WebSocketMixin, WebSocketHandler, RefusalMixin):
    """A WebSocket of a viewer with a link."""

    views: OpenViews
    session: ViewSession | None = None

    def admit_socket(self, cluster: str) -> SharedLink:
        """Return the viewer's link. Raises `ViewRefused`, `LoginFirst`, `TooOften`."""
        self.session, link = self.session_and_link(cluster)
        if not self.sessions.has_room(self.session):
            raise TooOften(TOO_MANY)
        self.count_opening(self.session)
        return link

    def watch_link(self) -> bool:
        """Close the open WebSocket when the link is revoked. Returns whether it may stay: others may have filled up."""
        assert self.session is not None
        if not self.sessions.has_room(self.session):
            self.close(FULL_CODE, TOO_MANY)
            return False
        self.views.add(self.session, self.end_view)
        return True

    def unwatch_link(self) -> None:
        self.views.remove(self.end_view)

    def end_view(self) -> None:
        self.close(OVER_CODE, "over")


class SharedEventsHandler(SharedSocket):
    """Sends one cluster's state and figures to one page."""

    feeds: ViewFeeds
    _viewer: Viewer | None = None
    _cluster = ""
    _tasks = False
    _hello = b""

    @property
    def max_message_size(self) -> int:
        return MOST_MESSAGE_BYTES

    @allow_unauthenticated
    async def get(self, cluster: str) -> None:
        link = self.admit_socket(cluster)
        model = await self.control.get(cluster)
        gpus = model.has_gpus or any(worker.device is not None for worker in model.workers)
        hello = SharedHello(
            cluster=shown_cluster(model),
            ends_at=link.ends_at,
            now=now(),
            pages=shown_pages(tasks=link.tasks, gpus=gpus),
        )
        self._cluster, self._tasks = cluster, link.tasks
        self._hello = hello.model_dump_json().encode()
        await WebSocketHandler.get(self)

    def open(self, *args: str, **kwargs: str) -> None:
        WebSocketMixin.open(self, *args, **kwargs)
        if not self.watch_link():
            return
        self.write_message(self._hello.decode())
        self._viewer = self.feeds.attach(self._cluster, self._write, tasks=self._tasks)

    def on_message(self, message: str | bytes) -> None:
        """Ignore messages of a page."""

    def on_close(self) -> None:
        self.unwatch_link()
        if self._viewer is not None:
            self.feeds.detach(self._cluster, self._viewer)
            self._viewer = None

    def end_view(self) -> None:
        try:
            self.write_message(SharedOver(message=WHY_OVER).model_dump_json())
        except WebSocketClosedError:
            return
        super().end_view()

    def _write(self, message: EventMessage) -> asyncio.Future[Any]:
        return self.write_message(message.payload, binary=message.compressed)


class SharedHistoryHandler(SharedViewHandler):
    """The last ten minutes of one cluster."""

    @allow_unauthenticated
    async def get(self, cluster: str) -> None:
        session, _ = self.session_and_link(cluster)
        self.count_opening(session)
        self.set_header("Content-Type", "application/json")
        self.finish((await self.control.history(cluster)).model_dump_json())


LOOK_SECONDS = 0.5
RETRY_SECONDS = 2.0


class ViewFeeds:
    """The clusters that are viewed through a link."""

    def __init__(self, control: AsyncControl, log: logging.Logger) -> None:
        self._control = control
        self._log = log
        self._feeds: dict[str, _Feed] = {}

    def attach(self, cluster: str, write: Write, *, tasks: bool) -> Viewer:
        """Add a viewer to a cluster, which receives changes from now on; ``tasks``: with task keys."""
        feed = self._feeds.get(cluster)
        if feed is None:
            feed = self._feeds[cluster] = _Feed(self._control, cluster, self._log)
        return feed.attach(write, tasks)

    def detach(self, cluster: str, viewer: Viewer) -> None:
        """Remove a viewer; the last one of a cluster stops the reading."""
        feed = self._feeds.get(cluster)
        if feed is not None and not feed.detach(viewer):
            del self._feeds[cluster]

    async def close(self) -> None:
        tasks = [task for feed in self._feeds.values() for task in feed.stop()]
        self._feeds.clear()
        if tasks:
            await asyncio.wait(tasks)


class _Feed:
    def __init__(self, control: AsyncControl, cluster: str, log: logging.Logger) -> None:
        self._control = control
        self._id = cluster
        self._log = log
        self._viewers: dict[Viewer, bool] = {}  # Whether each of them may see task keys.
        self._last: SharedCluster | None = None
        self._newest: dict[bool, EventMessage] = {}  # Without and with task keys.
        self._tasks = [asyncio.create_task(self._watch()), asyncio.create_task(self._follow())]

    def attach(self, write: Write, tasks: bool) -> Viewer:
        viewer = Viewer(write)
        self._viewers[viewer] = tasks
        if tasks in self._newest:
            viewer.offer(self._newest[tasks])
        return viewer

    def detach(self, viewer: Viewer) -> bool:
        """Return whether viewers are left."""
        self._viewers.pop(viewer, None)
        if not self._viewers:
            self.stop()
        return bool(self._viewers)

    def stop(self) -> list[asyncio.Task[None]]:
        for task in self._tasks:
            task.cancel()
        return self._tasks

    async def _watch(self) -> None:
        while True:
            with suppress(GPUClusterError, OSError):
                shown = shown_cluster(await self._control.get(self._id))
                if self._last is not None and shown != self._last:
                    event = SharedChanged(cluster=shown).model_dump_json().encode()
                    message = event_message("cluster", self._id, event)
                    self._send({False: message, True: message})
                self._last = shown
            await asyncio.sleep(LOOK_SECONDS)

    async def _follow(self) -> None:
        failed = False
        while True:
            try:
                if is_sampled(await self._control.get(self._id)):
                    async for line in follow_telemetry(self._control.registry, self._id):
                        failed = False
                        self._newest = {
                            tasks: event_message("telemetry", self._id, shown)
                            for tasks in (False, True)
                            if (shown := shown_telemetry(line, tasks=tasks)) is not None
                        }
                        self._send(self._newest)
                else:
                    self._newest = {}
            except (GPUClusterError, OSError):
                pass  # It has just ended, or hangs: its state shows that.
            except Exception as error:
                if not failed:
                    self._log.warning("The data stream of a shared view was interrupted: %s", error, exc_info=True)
                failed = True
            await asyncio.sleep(RETRY_SECONDS)

    def _send(self, messages: Mapping[bool, EventMessage]) -> None:
        for viewer, tasks in self._viewers.items():
            if tasks in messages:
                viewer.offer(messages[tasks])

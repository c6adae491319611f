"""The stream of a shared view, and the figures of the last minutes."""

from __future__ import annotations

import asyncio
from typing import Any

from jupyter_server.auth.decorator import allow_unauthenticated
from jupyter_server.base.websocket import WebSocketMixin
from tornado.websocket import WebSocketClosedError, WebSocketHandler

from ...protocol.links import SharedHello, SharedLink, SharedOver, shown_cluster
from ...registry.record import now
from ..admission import RefusalMixin
from ..events.viewers import EventMessage, Viewer
from .feed import ViewFeeds
from .handler import SharedViewHandler, SharedViewMixin, TooOften
from .sessions import OpenViews, ViewSession
from .shown import shown_pages

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

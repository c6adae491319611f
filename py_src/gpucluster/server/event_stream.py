"""The WebSocket ``gpucluster/api/events``, and one reader of the event stream for all its viewers.

The registry is watched once for all open pages, each cluster's samples are read once and passed on without parsing, and
each message is created once.
"""

from __future__ import annotations

import asyncio
import gzip
import logging
import struct
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, cast

from jupyter_server.auth.decorator import authorized, ws_authenticated
from jupyter_server.base.websocket import WebSocketMixin
from tornado.iostream import StreamClosedError
from tornado.websocket import WebSocketClosedError, WebSocketHandler

from ..client.control import AsyncControl
from ..client.transport import RawTelemetry
from ..protocol.errors import RegistryUnsafe
from ..protocol.models import ClusterChanged, ClusterModel, ClusterRemoved, Event, Hello, HostChanged
from .admission import AdmissionMixin, RefusalMixin
from .api import AUTH_RESOURCE
from .devices import HostWatch
from .standby import StandbyKeeper

RETRY_SECONDS = (1.0, 30.0)  # First and longest pause before the stream is opened again after a failure.


class EventPump:
    """Reads ``control.raw_events()``, and the GPUs on this machine, while at least one viewer is attached."""

    def __init__(self, control: AsyncControl, host: HostWatch, log: logging.Logger) -> None:
        self._control = control
        self._host = host
        self._log = log
        self._viewers: set[Viewer] = set()
        self._clusters: dict[str, ClusterModel] | None = None
        self._newest: dict[tuple[str, str], EventMessage] = {}
        """The last reading of this machine and of each cluster, for new viewers."""
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def running(self) -> bool:
        return bool(self._tasks)

    def attach(self, write: Write, close: Callable[[], object] = lambda: None) -> Viewer:
        """Add a viewer; its first message is a ``Hello`` with the current list.

        `close`: closes its connection. A page then requests the list, and receives the error.
        """
        viewer = Viewer(write, close)
        self._viewers.add(viewer)
        if not self._tasks:
            self._tasks = [asyncio.create_task(self._read()), asyncio.create_task(self._read_host())]
        elif self._clusters is not None:
            newest_first = sorted(self._clusters.values(), key=lambda model: model.created_at, reverse=True)
            viewer.offer(_message(Hello(clusters=newest_first)))
            for message in self._newest.values():
                viewer.offer(message)
        return viewer

    def detach(self, viewer: Viewer) -> None:
        """Remove a viewer; the last one stops the reading."""
        self._viewers.discard(viewer)
        if not self._viewers:
            self._stop()

    async def close(self) -> None:
        self._viewers.clear()
        if tasks := self._stop():
            await asyncio.wait(tasks)

    def _stop(self) -> list[asyncio.Task[None]]:
        tasks, self._tasks, self._clusters = self._tasks, [], None
        self._newest.clear()
        for task in tasks:
            task.cancel()
        return tasks

    async def _read(self) -> None:
        delay, longest = RETRY_SECONDS
        while True:
            try:
                stream = cast("AsyncGenerator[Event | RawTelemetry, None]", self._control.raw_events())
                async with aclosing(stream) as events:
                    async for event in events:
                        delay = RETRY_SECONDS[0]
                        self._deliver(event)
            except RegistryUnsafe as error:
                self._log.error("Clusters are not available: %s", error.message)
                for viewer in list(self._viewers):
                    viewer.close()
            except Exception as error:
                self._log.warning("The event stream was interrupted; reconnecting: %s", error, exc_info=True)
            await asyncio.sleep(delay)
            delay = min(2 * delay, longest)

    async def _read_host(self) -> None:
        async for host in self._host.readings():
            message = _message(HostChanged(host=host))
            self._newest[message.about] = message
            if self._clusters is not None:  # Not before a viewer's first message, the Hello.
                self._send(message)

    def _deliver(self, event: Event | RawTelemetry) -> None:
        if isinstance(event, RawTelemetry):
            message = event_message(event.kind, event.id, event.line)
            self._newest[message.about] = message
            self._send(message)
            return
        match event:
            case Hello(clusters=clusters):
                first = self._clusters is None
                self._clusters = {model.id: model for model in clusters}
                self._send(_message(event))
                for message in self._newest.values() if first else ():
                    self._send(message)
                return
            case ClusterChanged(cluster=cluster) if self._clusters is not None:
                self._clusters[cluster.id] = cluster
                if cluster.state.ended:
                    self._forget_readings(cluster.id)
            case ClusterRemoved(id=cluster_id) if self._clusters is not None:
                self._clusters.pop(cluster_id, None)
                self._forget_readings(cluster_id)
        self._send(_message(event))

    def _forget_readings(self, id: str) -> None:
        for kind in ("telemetry", "cells"):
            self._newest.pop((kind, id), None)

    def _send(self, message: EventMessage) -> None:
        for viewer in self._viewers:
            viewer.offer(message)


def _message(event: Event) -> EventMessage:
    id = (
        event.cluster.id if isinstance(event, ClusterChanged) else event.id if isinstance(event, ClusterRemoved) else ""
    )
    return event_message(event.kind, id, event.model_dump_json().encode())


MAX_MESSAGE_BYTES = 1024  # Viewers' messages are ignored.


class EventsHandler(AdmissionMixin, WebSocketMixin, WebSocketHandler, RefusalMixin):
    """Sends events to one page; login and origin are checked before the upgrade."""

    auth_resource = AUTH_RESOURCE
    control: AsyncControl
    pump: EventPump
    standby: StandbyKeeper
    _viewer: Viewer | None = None
    _plain = True

    @property
    def max_message_size(self) -> int:
        return MAX_MESSAGE_BYTES

    @ws_authenticated
    @authorized
    async def get(self, *args: Any, **kwargs: Any) -> None:
        # The list of clusters then reports the error.
        self.control.registry.check_directory()
        await super().get(*args, **kwargs)

    def open(self, *args: str, **kwargs: str) -> None:
        super().open(*args, **kwargs)
        self.standby.used()
        # With WebSocket compression, which a site may enable, frames differ between viewers.
        self._plain = self.get_compression_options() is None
        self._viewer = self.pump.attach(self._write, self.close)

    def on_message(self, message: str | bytes) -> None:
        """Ignore messages of a page."""

    def on_close(self) -> None:
        if self._viewer is not None:
            self.pump.detach(self._viewer)

    def _write(self, message: EventMessage) -> asyncio.Future[Any]:
        stream = self.ws_connection.stream if self.ws_connection is not None else None
        if stream is None:
            raise WebSocketClosedError
        if self._plain:
            # The same bytes for all viewers; write_message would create a frame and a task for each.
            return stream.write(message.frame)
        return self.write_message(message.payload, binary=message.compressed)


COMPRESS_ABOVE_BYTES = 8 * 1024  # Longer messages go as a binary frame that holds gzip.
_LEVEL = 5
_FINAL, _TEXT, _BINARY = 0x80, 0x1, 0x2


@dataclass(frozen=True)
class EventMessage:
    about: tuple[str, str]  # Kind and subject of the event: a later message about it replaces this one.
    payload: bytes  # JSON, or gzip of it.
    compressed: bool
    frame: bytes  # The payload as an unmasked WebSocket frame, the same for all viewers.


def event_message(kind: str, id: str, text: bytes) -> EventMessage:
    compressed = len(text) > COMPRESS_ABOVE_BYTES
    payload = gzip.compress(text, _LEVEL, mtime=0) if compressed else text
    return EventMessage((kind, id), payload, compressed, _frame(payload, _BINARY if compressed else _TEXT))


def _frame(payload: bytes, opcode: int) -> bytes:
    """Return an unfragmented frame (RFC 6455, section 5.2)."""
    first, length = _FINAL | opcode, len(payload)
    if length < 126:
        head = struct.pack("!BB", first, length)
    elif length < 2**16:
        head = struct.pack("!BBH", first, 126, length)
    else:
        head = struct.pack("!BBQ", first, 127, length)
    return head + payload


Write = Callable[[EventMessage], "asyncio.Future[Any]"]
"""Starts to send a message. The future is done once the connection has taken it."""


class Viewer:
    """Queue of one page. While its connection is full, only the newest message about each subject is kept."""

    def __init__(self, write: Write, close: Callable[[], object] = lambda: None) -> None:
        self._write = write
        self.close = close
        self._waiting: dict[tuple[str, str], EventMessage] = {}
        self._writing: asyncio.Future[Any] | None = None

    def offer(self, message: EventMessage) -> None:
        """Send a message now, or once the page can take it."""
        if self._writing is None and not self._waiting:
            self._send(message)
            return
        kind, id = message.about
        if kind == "hello":
            self._waiting.clear()
        elif kind == "removed":
            for known in ("cluster", "telemetry", "cells"):
                self._waiting.pop((known, id), None)
        # Append it: the replaced message may be older than others that wait.
        self._waiting.pop(message.about, None)
        self._waiting[message.about] = message

    def _send(self, message: EventMessage) -> None:
        try:
            writing = self._write(message)
        except (StreamClosedError, WebSocketClosedError):
            return  # The connection reports its own end.
        if not writing.done():
            self._writing = writing
            writing.add_done_callback(self._sent)

    def _sent(self, writing: asyncio.Future[Any]) -> None:
        self._writing = None
        if writing.cancelled() or writing.exception() is not None:
            self._waiting.clear()
        while self._waiting and self._writing is None:
            self._send(self._waiting.pop(next(iter(self._waiting))))

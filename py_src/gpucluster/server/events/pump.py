"""One reader of the event stream for all viewers.

The registry is watched once for all open pages, each cluster's samples are read once and passed on without parsing, and
each message is created once.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import cast

from ...client.control import AsyncControl
from ...client.events import RawTelemetry
from ...protocol.errors import RegistryUnsafe
from ...protocol.models import ClusterChanged, ClusterModel, ClusterRemoved, Event, Hello, HostChanged
from ..machine.devices import HostWatch
from .viewers import EventMessage, Viewer, Write, event_message

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

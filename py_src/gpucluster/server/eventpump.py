"""One reader of the event stream for all viewers.

However many pages are open, the registry is watched once. A viewer that is slow to read never holds up
the others: it keeps at most one message per cluster and one sample per cluster waiting, always the latest.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import cast

from ..client.control import AsyncControl
from ..protocol.models import ClusterChanged, ClusterModel, ClusterRemoved, Event, Hello, Telemetry

RETRY_SECONDS = (1.0, 30.0)
"""First and longest pause before the stream is opened again after a failure."""


class Viewer:
    """What one page has still to be told."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, str], str] = {}
        self._something = asyncio.Event()

    def offer(self, event: Event, text: str) -> None:
        """Put an event, with its JSON, in place of an older one about the same thing."""
        match event:
            case Hello():
                self._waiting.clear()
                key = ("hello", "")
            case ClusterChanged(cluster=cluster):
                key = ("cluster", cluster.id)
            case ClusterRemoved(id=cluster_id):
                self._waiting.pop(("telemetry", cluster_id), None)
                key = ("cluster", cluster_id)
            case Telemetry(sample=sample):
                key = ("telemetry", sample.id)
        self._waiting.pop(key, None)
        self._waiting[key] = text
        self._something.set()

    async def take(self) -> list[str]:
        """Wait for messages and take all that are waiting, oldest first."""
        await self._something.wait()
        self._something.clear()
        texts = list(self._waiting.values())
        self._waiting.clear()
        return texts


class EventPump:
    """Reads ``control.events()`` while at least one viewer is attached."""

    def __init__(self, control: AsyncControl, log: logging.Logger) -> None:
        self._control = control
        self._log = log
        self._viewers: set[Viewer] = set()
        self._clusters: dict[str, ClusterModel] | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def running(self) -> bool:
        """Whether the stream is being read."""
        return self._task is not None

    def attach(self) -> Viewer:
        """Add a viewer; its first message is a ``Hello`` with the current list."""
        viewer = Viewer()
        self._viewers.add(viewer)
        if self._task is None:
            self._task = asyncio.create_task(self._run())
        elif self._clusters is not None:
            newest_first = sorted(self._clusters.values(), key=lambda model: model.created_at, reverse=True)
            hello = Hello(clusters=newest_first)
            viewer.offer(hello, hello.model_dump_json())
        return viewer

    def detach(self, viewer: Viewer) -> None:
        """Remove a viewer; the last one stops the reading."""
        self._viewers.discard(viewer)
        if not self._viewers:
            self._stop()

    async def close(self) -> None:
        """Stop reading and wait until it is over."""
        self._viewers.clear()
        if (task := self._stop()) is not None:
            await asyncio.wait([task])

    def _stop(self) -> asyncio.Task[None] | None:
        task, self._task, self._clusters = self._task, None, None
        if task is not None:
            task.cancel()
        return task

    async def _run(self) -> None:
        delay, longest = RETRY_SECONDS
        while True:
            try:
                stream = cast("AsyncGenerator[Event, None]", self._control.events())
                async with aclosing(stream) as events:
                    async for event in events:
                        delay = RETRY_SECONDS[0]
                        self._deliver(event)
            except Exception as error:
                self._log.warning("The event stream broke off and is opened again: %s", error, exc_info=True)
            await asyncio.sleep(delay)
            delay = min(2 * delay, longest)

    def _deliver(self, event: Event) -> None:
        match event:
            case Hello(clusters=clusters):
                self._clusters = {model.id: model for model in clusters}
            case ClusterChanged(cluster=cluster) if self._clusters is not None:
                self._clusters[cluster.id] = cluster
            case ClusterRemoved(id=cluster_id) if self._clusters is not None:
                self._clusters.pop(cluster_id, None)
        text = event.model_dump_json()
        for viewer in self._viewers:
            viewer.offer(event, text)

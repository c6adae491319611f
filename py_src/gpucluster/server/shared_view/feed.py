"""One reader per cluster for all viewers with a link: its state and the figures that links show."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress

from ...client.control import AsyncControl
from ...client.events import follow_telemetry, is_sampled
from ...protocol.errors import GPUClusterError
from ...protocol.links import SharedChanged, SharedCluster, shown_cluster
from ..events.viewers import EventMessage, Viewer, Write, event_message
from .shown import shown_telemetry

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

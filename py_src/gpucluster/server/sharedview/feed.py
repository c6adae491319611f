"""One reader of one cluster for all who look at it by a link: its state, and its figures as far as they are shown."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress

from ...client.control import AsyncControl
from ...client.telemetry import follow_telemetry, is_sampled
from ...protocol.errors import GPUClusterError
from ...protocol.links import SharedChanged, SharedCluster, shown_cluster
from ..eventmessage import EventMessage, event_message
from ..viewer import Viewer, Write
from .shown import shown_telemetry

LOOK_SECONDS = 0.5
RETRY_SECONDS = 2.0


class ViewFeeds:
    """The clusters that somebody looks at by a link."""

    def __init__(self, control: AsyncControl, log: logging.Logger) -> None:
        self._control = control
        self._log = log
        self._feeds: dict[str, _Feed] = {}

    def attach(self, cluster: str, write: Write) -> Viewer:
        """Add a viewer to a cluster, who is told from now on what changes."""
        feed = self._feeds.get(cluster)
        if feed is None:
            feed = self._feeds[cluster] = _Feed(self._control, cluster, self._log)
        return feed.attach(write)

    def detach(self, cluster: str, viewer: Viewer) -> None:
        """Remove a viewer; the last one of a cluster stops the reading."""
        feed = self._feeds.get(cluster)
        if feed is not None and not feed.detach(viewer):
            del self._feeds[cluster]

    async def close(self) -> None:
        """Read nothing any more."""
        tasks = [task for feed in self._feeds.values() for task in feed.stop()]
        self._feeds.clear()
        if tasks:
            await asyncio.wait(tasks)


class _Feed:
    def __init__(self, control: AsyncControl, cluster: str, log: logging.Logger) -> None:
        self._control = control
        self._id = cluster
        self._log = log
        self._viewers: set[Viewer] = set()
        self._last: SharedCluster | None = None
        self._newest: EventMessage | None = None
        self._tasks = [asyncio.create_task(self._watch()), asyncio.create_task(self._follow())]

    def attach(self, write: Write) -> Viewer:
        viewer = Viewer(write)
        self._viewers.add(viewer)
        if self._newest is not None:
            viewer.offer(self._newest)
        return viewer

    def detach(self, viewer: Viewer) -> bool:
        """Return whether anybody is left."""
        self._viewers.discard(viewer)
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
                    self._send(event_message("cluster", self._id, _json(SharedChanged(cluster=shown))))
                self._last = shown
            await asyncio.sleep(LOOK_SECONDS)

    async def _follow(self) -> None:
        failed = False
        while True:
            try:
                if is_sampled(await self._control.get(self._id)):
                    async for line in follow_telemetry(self._control.registry, self._id):
                        failed = False
                        if (shown := shown_telemetry(line)) is not None:
                            self._newest = event_message("telemetry", self._id, shown)
                            self._send(self._newest)
                else:
                    self._newest = None
            except (GPUClusterError, OSError):
                pass  # It has just ended, or hangs: what it is now is told by its state.
            except Exception as error:
                if not failed:
                    self._log.warning("The figures of a shared view broke off: %s", error, exc_info=True)
                failed = True
            await asyncio.sleep(RETRY_SECONDS)

    def _send(self, message: EventMessage) -> None:
        for viewer in self._viewers:
            viewer.offer(message)


def _json(event: SharedChanged) -> bytes:
    return event.model_dump_json().encode()

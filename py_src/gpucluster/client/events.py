"""Streams of events: changes of clusters, read from the registry, and samples of their telemetry."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Collection
from contextlib import aclosing, suppress
from typing import NamedTuple

from pydantic import ValidationError

from ..protocol.errors import ClusterNotFound, GPUClusterError, SupervisorUnreachable
from ..protocol.models import EVENT, ClusterChanged, ClusterModel, ClusterRemoved, ClusterState, Event, Hello, Telemetry
from ..protocol.telemetry import TelemetrySample
from ..registry.record import Folder
from ..registry.store import Registry
from ..registry.watching import RegistryWatch
from .transport import stream_lines

CELLS = b'{"kind":"cells"'
"""How a line that is no sample begins."""
RETRY_SECONDS = 1.0
SAMPLE_SECONDS = 10.0


def is_sampled(model: ClusterModel) -> bool:
    return model.state in {ClusterState.RUNNING, ClusterState.SCALING}


def telemetry_lines(folder: Folder, *, cells: bool = False) -> AsyncGenerator[bytes, None]:
    """Yield each sample as the unparsed JSON of an event, until the cluster's process ends the stream.

    `cells`: also how far cells are; these lines begin with ``CELLS``.
    """
    return stream_lines(folder, "/telemetry?cells=1" if cells else "/telemetry")


async def follow_telemetry(registry: Registry, id: str, *, cells: bool = False) -> AsyncGenerator[bytes, None]:
    """Yield lines like ``telemetry_lines``, reconnecting if necessary, until the cluster has ended."""
    folder = registry.folder(id)
    heard = False
    while True:
        try:
            async with aclosing(telemetry_lines(folder, cells=cells)) as lines:
                async for line in lines:
                    heard = True
                    yield line
        except GPUClusterError:
            if not heard:
                raise
        if _has_ended(registry, id):
            return
        await asyncio.sleep(RETRY_SECONDS)


async def newest_sample(folder: Folder) -> TelemetrySample:
    """Return the first sample that a supervisor sends. Raises `SupervisorUnreachable`, `GPUClusterError`."""
    try:
        async with asyncio.timeout(SAMPLE_SECONDS), aclosing(telemetry_lines(folder)) as lines:
            async for line in lines:
                return Telemetry.model_validate_json(line).sample
    except (TimeoutError, ValidationError) as error:
        raise SupervisorUnreachable("The cluster's process sent no data; it may be very busy.") from error
    raise SupervisorUnreachable("The cluster's process sent no data; it has just ended.")


def _has_ended(registry: Registry, id: str) -> bool:
    try:
        return registry.find(id).state.ended
    except ClusterNotFound:
        return True
    except (GPUClusterError, OSError):  # A record of another version, or a full disk.
        return False


LOOK_SECONDS = 0.25
_ASK_AGAIN_SECONDS = 2.0


class RawTelemetry(NamedTuple):
    """An unparsed sample, or how far cells are."""

    id: str  # Cluster.
    line: bytes  # JSON of the event.

    @property
    def kind(self) -> str:
        return "cells" if self.line.startswith(CELLS) else "telemetry"


class _Feeds:
    """One connection per running cluster, and the newest line of each kind."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._feeds: dict[str, asyncio.Task[None]] = {}
        self._newest: dict[tuple[str, str], RawTelemetry] = {}
        self.something = asyncio.Event()

    def follow(self, models: Collection[ClusterModel]) -> None:
        """Listen to those of these clusters that are running."""
        live = {model.id for model in models if is_sampled(model)}
        for id in live:
            if id not in self._feeds or self._feeds[id].done():
                self._feeds[id] = asyncio.create_task(self._feed(id))
        for id in self._feeds.keys() - live:
            self._feeds.pop(id).cancel()
            self._newest = {about: line for about, line in self._newest.items() if line.id != id}

    def take(self) -> list[RawTelemetry]:
        self.something.clear()
        taken = list(self._newest.values())
        self._newest.clear()
        return taken

    def close(self) -> None:
        for feed in self._feeds.values():
            feed.cancel()

    async def _feed(self, id: str) -> None:
        with suppress(GPUClusterError):
            async for line in follow_telemetry(self._registry, id, cells=True):
                raw = RawTelemetry(id, line)
                self._newest[raw.kind, id] = raw
                self.something.set()
        await asyncio.sleep(_ASK_AGAIN_SECONDS)  # Do not repeat refused requests four times a second.


async def raw_watch(registry: Registry, *, telemetry: bool = True) -> AsyncGenerator[Event | RawTelemetry, None]:
    """Yield ``Hello``, then ``ClusterChanged``, ``ClusterRemoved`` and ``RawTelemetry`` until cancelled."""
    loop = asyncio.get_running_loop()
    watch = RegistryWatch(registry)
    feeds = _Feeds(registry)
    try:
        yield Hello(clusters=watch.start())
        look = loop.time()
        while True:
            if telemetry:
                feeds.follow(watch.known.values())
            look = max(look + LOOK_SECONDS, loop.time())
            while loop.time() < look:
                with suppress(TimeoutError):
                    async with asyncio.timeout_at(look):
                        await feeds.something.wait()
                for sample in feeds.take():
                    yield sample
            # In a thread: it may delete what a killed cluster has spilled.
            changes = await asyncio.to_thread(watch.look)
            for model in changes.changed:
                yield ClusterChanged(cluster=model)
            for id in changes.removed:
                yield ClusterRemoved(id=id)
    finally:
        feeds.close()


async def watch(registry: Registry, *, telemetry: bool = True) -> AsyncGenerator[Event, None]:
    """Yield ``Hello``, then changes, samples and how far cells are, until cancelled."""
    async with aclosing(raw_watch(registry, telemetry=telemetry)) as events:
        async for event in events:
            if not isinstance(event, RawTelemetry):
                yield event
                continue
            # A newer cluster may send unknown figures.
            with suppress(ValidationError):
                yield EVENT.validate_json(event.line)

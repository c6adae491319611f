"""The event stream: what changes in the registry, and samples of the running clusters.

The registry's files are the truth and are looked at four times a second, so nothing can be missed, whichever
face made the change. Samples come over one connection per running cluster and are dropped when nobody keeps up.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

from pydantic import ValidationError

from ..protocol.errors import GPUClusterError
from ..protocol.models import (
    ClusterChanged,
    ClusterModel,
    ClusterRemoved,
    ClusterState,
    Event,
    Hello,
    Telemetry,
    TelemetrySample,
)
from ..registry.record import Folder
from ..registry.store import Registry
from .transport import stream_lines

LOOK_SECONDS = 0.25
RETRY_SECONDS = 2.0
_LIVE = {ClusterState.RUNNING, ClusterState.SCALING}


async def _feed(folder: Folder, samples: asyncio.Queue[TelemetrySample]) -> None:
    with suppress(GPUClusterError):
        await _lines(folder, samples)
    await asyncio.sleep(RETRY_SECONDS)  # Whoever refuses is not asked four times a second.


async def _lines(folder: Folder, samples: asyncio.Queue[TelemetrySample]) -> None:
    async for line in stream_lines(folder, "/telemetry"):
        with suppress(ValidationError, asyncio.QueueFull):
            samples.put_nowait(TelemetrySample.model_validate_json(line))


async def watch(registry: Registry, *, telemetry: bool) -> AsyncIterator[Event]:
    """Yield ``Hello``, then ``ClusterChanged``, ``ClusterRemoved`` and ``Telemetry`` until cancelled."""
    loop = asyncio.get_running_loop()
    samples: asyncio.Queue[TelemetrySample] = asyncio.Queue(maxsize=1000)
    feeds: dict[str, asyncio.Task[None]] = {}
    models = registry.list()
    known: dict[str, ClusterModel] = {model.id: model for model in models}
    try:
        yield Hello(clusters=models)
        while True:
            if telemetry:
                for id, model in known.items():
                    if model.state in _LIVE and (id not in feeds or feeds[id].done()):
                        feeds[id] = asyncio.create_task(_feed(registry.folder(id), samples))
                for id in [id for id in feeds if id not in known or known[id].state.ended]:
                    feeds.pop(id).cancel()
            look = loop.time() + LOOK_SECONDS
            while (left := look - loop.time()) > 0:
                with suppress(TimeoutError):
                    sample = await asyncio.wait_for(samples.get(), left)
                    if sample.id in known:
                        yield Telemetry(sample=sample)
            found = {model.id: model for model in registry.list()}
            for id, model in found.items():
                if known.get(id) != model:
                    yield ClusterChanged(cluster=model)
            for id in known.keys() - found.keys():
                yield ClusterRemoved(id=id)
            known = found
    finally:
        for feed in feeds.values():
            feed.cancel()

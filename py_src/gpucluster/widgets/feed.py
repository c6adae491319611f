"""What a kernel hears of one cluster: one connection, however many widgets show it."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Protocol

from ..client.control import AsyncControl
from ..client.telemetry import follow_telemetry, is_sampled
from ..protocol.errors import ClusterNotFound, GPUClusterError
from ..protocol.models import ClusterModel

LOOK_SECONDS = 0.25
RETRY_SECONDS = 2.0


class Listener(Protocol):
    """What wants to hear of a cluster. Called on the background loop; must not block or raise."""

    def on_model(self, model: ClusterModel) -> None:
        """The cluster has changed."""

    def on_sample(self, line: bytes) -> None:
        """A sample has come: JSON of a whole event, not parsed."""

    def on_removed(self) -> None:
        """The cluster's entry is gone."""


class ClusterFeed:
    """Follows one cluster while somebody listens. Lives on the background loop.

    Parameters
    ----------
    control : AsyncControl
        How to reach it.
    id : str
        Of the cluster.
    """

    def __init__(self, control: AsyncControl, id: str) -> None:
        self._control = control
        self._id = id
        self._listeners: list[Listener] = []
        self._task: asyncio.Task[None] | None = None
        self._model: ClusterModel | None = None
        self._line: bytes | None = None
        self.first_sample = asyncio.Event()
        """Set once there is a sample."""

    @property
    def running(self) -> bool:
        """Whether it follows the cluster now."""
        return self._task is not None

    def add(self, listener: Listener) -> None:
        """Tell a listener what is known, and what comes from now on."""
        if listener in self._listeners:
            return
        self._listeners.append(listener)
        if self._task is None:
            self._line = None  # What was heard last may be old.
            self.first_sample.clear()
            self._task = asyncio.get_running_loop().create_task(self._follow())
            return
        if self._model is not None:
            listener.on_model(self._model)
        if self._line is not None:
            listener.on_sample(self._line)

    def discard(self, listener: Listener) -> None:
        """Tell a listener nothing more; with the last one, hang up."""
        if listener in self._listeners:
            self._listeners.remove(listener)
        if not self._listeners and self._task is not None:
            self._task.cancel()
            self._task = None

    async def _follow(self) -> None:
        reading: asyncio.Task[None] | None = None
        self._model = None
        try:
            while True:
                try:
                    model = self._control.registry.find(self._id)
                except ClusterNotFound:
                    for listener in list(self._listeners):
                        listener.on_removed()
                    return
                except (GPUClusterError, OSError):
                    # A record of another version, or a full disk: what is shown stays.
                    await asyncio.sleep(RETRY_SECONDS)
                    continue
                if model != self._model:
                    self._model = model
                    for listener in list(self._listeners):
                        listener.on_model(model)
                if is_sampled(model) and (reading is None or reading.done()):
                    reading = asyncio.get_running_loop().create_task(self._read())
                await asyncio.sleep(RETRY_SECONDS if model.state.ended else LOOK_SECONDS)
        finally:
            if reading is not None:
                reading.cancel()

    async def _read(self) -> None:
        with suppress(GPUClusterError):
            async for line in follow_telemetry(self._control.registry, self._id):
                self._line = line
                self.first_sample.set()
                for listener in list(self._listeners):
                    listener.on_sample(line)
        await asyncio.sleep(RETRY_SECONDS)  # Whoever refuses is not asked four times a second.

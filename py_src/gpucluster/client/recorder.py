"""Record what the gauges of one cluster show into a file."""

from __future__ import annotations

import atexit
import os
from collections.abc import Generator
from pathlib import Path
from typing import Any, Self

from ..protocol.errors import InvalidRequest, InvalidState
from ..protocol.models import ClusterModel
from ..recordings.writing import LineRecorder
from .control import AsyncControl
from .sync_methods import Synchronous, synchronous
from .transport import follow_telemetry


class AsyncRecorder(LineRecorder):
    """Writes the telemetry of one cluster into a file, from ``start`` to ``stop``. Made by ``AsyncCluster.recording``.

    An asynchronous context manager: leaving the block stops it. It also stops when the cluster or the kernel ends, and
    when the file reaches the maximum size. For the parameters, see ``AsyncCluster.recording``.

    Raises `InvalidRequest` when nothing can be written there, or the seconds are invalid.
    """

    def __init__(
        self, control: AsyncControl, model: ClusterModel, file: str | Path, *, title: str | None = None,
        note: str | None = None, seconds: float | None = None,
    ) -> None:  # fmt: skip
        is_number = isinstance(seconds, (int, float)) and not isinstance(seconds, bool)
        if seconds is not None and not (is_number and seconds > 0):
            raise InvalidRequest(f"seconds: must be a number above 0, not {str(seconds)[:40]!r}.")
        registry, id = control.registry, model.id
        super().__init__(
            file, model.name, lambda: follow_telemetry(registry, id), lambda: registry.find(id),
            title=title, note=note, seconds=seconds,
        )  # fmt: skip
        self._pid = os.getpid()

    async def start(self) -> None:
        """Start; returns when the first sample is written. Calling it twice changes nothing."""
        model = self._model()
        if self._task is None and model.scheduler_address is None:
            raise InvalidState(f"The cluster '{model.name}' is {model.state.value}; there is nothing to record.")
        await super().start()
        atexit.register(self._on_exit)

    def complete(self) -> None:
        """Give the file its name. Calling it twice is harmless."""
        super().complete()
        atexit.unregister(self._on_exit)

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    def __await__(self) -> Generator[Any, Any, Self]:
        async def started() -> Self:
            await self.start()
            return self

        return started().__await__()

    def __repr__(self) -> str:
        state = "not started" if self._writer is None else "over" if self.over.is_set() else "recording"
        return f"<Recorder of '{self.cluster}' to {self.path}: {state}, {self.samples} samples>"

    def _on_exit(self) -> None:
        if os.getpid() == self._pid:  # A forked child has the registration, but not the recording.
            self.complete()


class Recorder(Synchronous[AsyncRecorder]):
    """Writes the telemetry of one cluster into a file, from ``start`` to ``stop``. Made by ``Cluster.recording``.

    A context manager: leaving the block stops it. Otherwise it is like ``AsyncRecorder``.
    """

    def __init__(self, asynchronous: AsyncRecorder) -> None:
        super().__init__(asynchronous)
        self.path = asynchronous.path
        self.cluster = asynchronous.cluster
        self.over = asynchronous.over  # Set when recording has ended.

    start = synchronous(AsyncRecorder.start)
    stop = synchronous(AsyncRecorder.stop)

    @property
    def samples(self) -> int:
        return self._asynchronous.samples

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        return repr(self._asynchronous)

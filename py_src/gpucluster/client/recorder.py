"""Recording what the gauges of one cluster show into a file."""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from collections.abc import Generator
from contextlib import aclosing, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pydantic import ValidationError

from ..protocol.errors import GPUClusterError, InvalidRequest, InvalidState, SupervisorUnreachable, invalid_request
from ..protocol.models import ClusterModel, Telemetry
from ..protocol.recordings import Recording, RecordingWritten
from ..recordings.places import stem_of
from ..recordings.provenance import provenance
from ..recordings.writing import RecordingFull, RecordingWriter, target_of
from .control import AsyncControl
from .synchronous import Synchronous, synchronous
from .telemetry import follow_telemetry

FIRST_SAMPLE_SECONDS = 10.0


class AsyncRecorder:
    """Writes the telemetry of one cluster into a file, from ``start`` to ``stop``. Made by ``AsyncCluster.recording``.

    An asynchronous context manager: leaving the block stops it. It also stops when the cluster ends, when the file is
    as large as a recording may be, and when the kernel ends.

    Parameters
    ----------
    control : AsyncControl
        How to reach the cluster.
    model : ClusterModel
        The cluster.
    file : str or Path
        Where to write; a recording that is there is replaced.
    title : str, optional
        What it is called; default: the file's name.
    note : str, optional
        What ran, such as a command.
    seconds : float, optional
        When to stop by itself.

    Raises
    ------
    InvalidRequest
        When nothing can be written there, or the seconds are none.
    """

    def __init__(
        self, control: AsyncControl, model: ClusterModel, file: str | Path, *, title: str | None = None,
        note: str | None = None, seconds: float | None = None,
    ) -> None:  # fmt: skip
        is_number = isinstance(seconds, (int, float)) and not isinstance(seconds, bool)
        if seconds is not None and not (is_number and seconds > 0):
            raise InvalidRequest(f"seconds: must be a number above 0, not {str(seconds)[:40]!r}.")
        self.path = target_of(file)
        self.cluster = model.name
        self.over = threading.Event()
        """Set once nothing more is recorded."""
        self._control = control
        self._id = model.id
        self._title = stem_of(self.path.name) if title is None else title
        self._note = note
        self._seconds = seconds
        self._header: Recording | None = None
        self._writer: RecordingWriter | None = None
        self._task: asyncio.Task[None] | None = None
        self._message: str | None = None
        self._lock = threading.Lock()
        self._pid = os.getpid()

    @property
    def samples(self) -> int:
        """Number of samples so far."""
        return self._writer.samples if self._writer is not None else 0

    async def start(self) -> None:
        """Begin; returns when the first sample is written. Doing it twice changes nothing.

        Raises
        ------
        InvalidState
            When the cluster is not running, or the file has no room for the first sample.
        InvalidRequest, SupervisorUnreachable
        """
        if self._task is not None:
            return
        model = self._control.registry.find(self._id)
        if model.scheduler_address is None:
            raise InvalidState(f"The cluster '{model.name}' is {model.state.value}; there is nothing to record.")
        first = asyncio.Event()
        self._task = asyncio.get_running_loop().create_task(self._record(first))
        waiting = asyncio.create_task(first.wait())
        try:
            await asyncio.wait({self._task, waiting}, timeout=FIRST_SAMPLE_SECONDS, return_when="FIRST_COMPLETED")
        finally:
            waiting.cancel()
            if not first.is_set():
                task, self._task = self._task, None
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task  # Its own error is what is raised.
        if self._task is None:
            if self._message is not None:
                raise InvalidState(self._message)
            raise SupervisorUnreachable("The cluster's process sent no figures; it may be very busy.")
        atexit.register(self._on_exit)

    async def stop(self) -> RecordingWritten:
        """Complete the file and return what was written. Doing it twice changes nothing.

        Raises
        ------
        InvalidState
            When it was never started.
        """
        if self._task is None or self._writer is None or self._header is None:
            raise InvalidState("The recording has not begun; call start() first.")
        self._task.cancel()
        with suppress(asyncio.CancelledError, GPUClusterError):
            await self._task
        self._complete()
        return RecordingWritten(
            path=str(self.path),
            cluster=self.cluster,
            samples=self._writer.samples,
            size_bytes=self._writer.size_bytes,
            message=self._message,
            recording=self._header,
        )

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    def __await__(self) -> Generator[Any, Any, Self]:
        async def started() -> Self:
            await self.start()
            return self

        return started().__await__()

    def __repr__(self) -> str:
        state = "not started" if self._writer is None else "over" if self.over.is_set() else "recording"
        return f"<Recorder of '{self.cluster}' to {self.path}: {state}, {self.samples} samples>"

    # -- parts -----------------------------------------------------------------------------------

    async def _record(self, first: asyncio.Event) -> None:
        try:
            async with asyncio.timeout(self._seconds):
                await self._follow(first)
        except TimeoutError:
            pass  # As long as was asked for.
        except RecordingFull as full:
            self._message = str(full)
        except OSError as error:
            self._message = f"The recording ended by itself: {error.strerror or error}."
        finally:
            self._complete()

    async def _follow(self, first: asyncio.Event) -> None:
        async with aclosing(follow_telemetry(self._control.registry, self._id)) as lines:
            async for line in lines:
                if self._writer is None:
                    await self._open(line)
                assert self._writer is not None
                with self._lock:
                    if self.over.is_set():
                        return
                    self._writer.add(line)
                first.set()
        try:
            self._control.registry.find(self._id)
            self._message = "The cluster has ended."
        except GPUClusterError:
            self._message = "The cluster has been removed."

    async def _open(self, line: bytes) -> None:
        sample = Telemetry.model_validate_json(line).sample
        model = self._control.registry.find(self._id)
        try:
            self._header = await asyncio.to_thread(
                provenance, model, sample, title=self._title, note=self._note, recorded_at=sample.at
            )
        except ValidationError as error:
            raise invalid_request(error) from None
        self._writer = RecordingWriter(self.path, self._header)

    def _complete(self) -> None:
        with self._lock:
            if self._writer is None or self.over.is_set():
                return
            atexit.unregister(self._on_exit)
            try:
                if self._writer.samples:
                    self._writer.close()
                else:
                    self._writer.discard()
            except OSError as error:
                self._message = f"The file could not be completed: {error.strerror or error}."
            finally:
                self.over.set()

    def _on_exit(self) -> None:
        if os.getpid() == self._pid:  # A forked child has the registration, but not the recording.
            self._complete()


class Recorder(Synchronous[AsyncRecorder]):
    """Writes the telemetry of one cluster into a file, from ``start`` to ``stop``. Made by ``Cluster.recording``.

    A context manager: leaving the block stops it. It also stops when the cluster ends, when the file is as large as
    a recording may be, and when the kernel ends. The parameters are those of ``AsyncRecorder``.
    """

    def __init__(
        self, control: AsyncControl, model: ClusterModel, file: str | Path, *, title: str | None = None,
        note: str | None = None, seconds: float | None = None,
    ) -> None:  # fmt: skip
        super().__init__(AsyncRecorder(control, model, file, title=title, note=note, seconds=seconds))
        self.path = self._asynchronous.path
        self.cluster = self._asynchronous.cluster
        self.over = self._asynchronous.over
        """Set once nothing more is recorded."""

    start = synchronous(AsyncRecorder.start)
    stop = synchronous(AsyncRecorder.stop)

    @property
    def samples(self) -> int:
        """Number of samples so far."""
        return self._asynchronous.samples

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def __repr__(self) -> str:
        return repr(self._asynchronous)

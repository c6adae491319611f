"""Record the telemetry of one cluster into a file."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import aclosing, suppress
from pathlib import Path

from pydantic import ValidationError

from ..devices import host_devices
from ..protocol.errors import GPUClusterError, InvalidState, SupervisorUnreachable, invalid_request
from ..protocol.models import ClusterModel, DeviceModel, Telemetry
from ..protocol.recordings import RecordedVersions, Recording, RecordingWritten
from ..protocol.telemetry import TelemetrySample
from .places import stem_of
from .writing import RecordingFull, RecordingWriter, target_of

_STAND_INS = ("fake", "simulated", "mock", "dummy")  # Names of devices in tests.
_MOST_LETTERS = 200


def provenance(
    model: ClusterModel, sample: TelemetrySample, *, title: str, note: str | None, recorded_at: str
) -> Recording:
    """Return the header of a recording that begins with this sample.

    GPUs have the names of this machine's driver. If it does not know one of them, as in a simulation, the recording is
    marked as simulated.
    """
    versions = RecordedVersions()
    if (used := model.versions) is not None:
        versions = RecordedVersions(gpucluster=used.gpucluster, dask=used.distributed, rapids=used.dask_cuda)
    on_gpus = model.has_gpus or any(isinstance(device, str) for device in sample.column("device"))
    names: list[str | None] = []
    driver = None
    if on_gpus:
        host = host_devices()
        driver = host.driver_version
        found = _devices_of(model, sample) or _devices_to_come(model, host.devices)
        names = [_name_of(device, host.devices) for device in found]
    known = [name for name in names if name is not None]
    is_real = bool(known) and len(known) == len(names) and driver is not None
    is_simulated = on_gpus and (not is_real or any(word in name.lower() for name in known for word in _STAND_INS))
    return Recording(
        title=title,
        recorded_at=recorded_at,
        backend="cuda" if on_gpus else "local",
        gpus=known,
        driver=driver,
        n_workers=len(sample.workers),
        versions=versions,
        note=note,
        simulated=is_simulated,
    )


def _devices_of(model: ClusterModel, sample: TelemetrySample) -> list[str]:
    """Return UUID, UUID prefix or index of each GPU, without duplicates."""
    listed = {worker.name: worker.device for worker in model.workers}
    reported = zip(sample.workers, sample.column("device"), strict=False)
    # A new worker has not reported its device yet.
    found: Iterable[str] = (str(device or listed.get(name) or "") for name, device in reported)
    return list(dict.fromkeys(found))


def _devices_to_come(model: ClusterModel, known: Iterable[DeviceModel]) -> list[str]:
    """Return the GPUs of future workers, for a cluster without workers: the chosen ones, or all it may use."""
    chosen = getattr(model.spec, "devices", None)
    if chosen is not None:
        return [str(device) for device in chosen]
    return [device.uuid for device in known if device.visible and not device.mig_enabled]


def _name_of(device: str, known: Iterable[DeviceModel]) -> str | None:
    for one in known:
        if device and (one.uuid.startswith(device) or device == str(one.index)):
            name = " ".join("".join(letter for letter in one.name or "" if letter.isprintable()).split())
            return name[:_MOST_LETTERS] or None
    return None


FIRST_SAMPLE_SECONDS = 10.0


class LineRecorder:
    """Writes lines of telemetry into a recording, from ``start`` to ``stop`` or to their end.

    ``lines`` yields telemetry events. ``model`` returns the cluster, and raises once it was removed. ``title`` defaults
    to the file's name. ``seconds``: maximum length. ``private``: no file is replaced, and only you may read the new
    one. Raises `InvalidRequest`: nothing can be written there.
    """

    def __init__(
        self, file: str | Path, cluster: str, lines: Callable[[], AsyncGenerator[bytes, None]],
        model: Callable[[], ClusterModel], *, title: str | None = None, note: str | None = None,
        seconds: float | None = None, private: bool = False,
    ) -> None:  # fmt: skip
        self.path = target_of(file, private=private)
        self.cluster = cluster
        self.over = threading.Event()  # Set when recording has ended.
        self._lines = lines
        self._model = model
        self._title = stem_of(self.path.name) if title is None else title
        self._note = note
        self._seconds = seconds
        self._private = private
        self._header: Recording | None = None
        self._writer: RecordingWriter | None = None
        self._task: asyncio.Task[None] | None = None
        self._message: str | None = None
        self._lock = threading.Lock()

    @property
    def samples(self) -> int:
        return self._writer.samples if self._writer is not None else 0

    async def start(self) -> None:
        """Start; returns when the first sample is written. Calling it twice changes nothing."""
        if self._task is not None:
            return
        first = asyncio.Event()
        self._task = asyncio.get_running_loop().create_task(self._record(first))
        waiting = asyncio.create_task(first.wait())
        has_begun = False
        try:
            await asyncio.wait({self._task, waiting}, timeout=FIRST_SAMPLE_SECONDS, return_when="FIRST_COMPLETED")
            has_begun = first.is_set()
        finally:
            waiting.cancel()
            if not has_begun:
                task, self._task = self._task, None
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task  # Raises the task's own error.
        if self._task is None:
            if self._message is not None:
                raise InvalidState(self._message)
            raise SupervisorUnreachable("The cluster's process sent no data; it may be very busy.")

    async def stop(self, message: str | None = None) -> RecordingWritten:
        """Complete the file and return what was written; ``message``: why it ends without a request.

        Calling it twice changes nothing. Raises `InvalidState`: it was never started.
        """
        if self._task is None:
            raise InvalidState("The recording has not started; call start() first.")
        if message is not None and not self.over.is_set():
            self._message = message
        self._task.cancel()
        return await self.ended()

    async def ended(self) -> RecordingWritten:
        """Wait for the end and return what was written. Raises `InvalidState`: it was never started."""
        if self._task is None or self._writer is None or self._header is None:
            raise InvalidState("The recording has not started; call start() first.")
        await asyncio.wait({self._task})
        if not self._task.cancelled():
            self._task.exception()  # Retrieved; what was written stays.
        self.complete()
        return RecordingWritten(
            path=str(self.path),
            cluster=self.cluster,
            samples=self._writer.samples,
            size_bytes=self._writer.size_bytes,
            message=self._message,
            recording=self._header,
        )

    def complete(self) -> None:
        with self._lock:
            if self._writer is None or self.over.is_set():
                return
            try:
                if self._writer.samples:
                    self._writer.close()
                else:
                    self._writer.discard()
            except OSError as error:
                self._message = f"The file could not be completed: {error.strerror or error}."
            finally:
                self.over.set()

    async def _record(self, first: asyncio.Event) -> None:
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._seconds):
                    await self._follow(first)
        except RecordingFull as full:
            self._message = str(full)
        except OSError as error:
            self._message = f"The recording stopped: {error.strerror or error}."
        finally:
            self.complete()

    async def _follow(self, first: asyncio.Event) -> None:
        async with aclosing(self._lines()) as lines:
            async for line in lines:
                if self._writer is None:
                    await self._open(line)
                # In a thread: a network disk may be slow.
                if not await asyncio.to_thread(self._add, line):
                    return
                first.set()
        try:
            self._model()
            self._message = "The cluster has ended."
        except GPUClusterError:
            self._message = "The cluster has been removed."

    def _add(self, line: bytes) -> bool:
        with self._lock:
            if self._writer is None or self.over.is_set():
                return False
            self._writer.add(line)
            return True

    async def _open(self, line: bytes) -> None:
        sample = Telemetry.model_validate_json(line).sample
        model = self._model()
        try:
            self._header = await asyncio.to_thread(
                provenance, model, sample, title=self._title, note=self._note, recorded_at=sample.at
            )
        except ValidationError as error:
            raise invalid_request(error) from None
        self._writer = RecordingWriter(self.path, self._header, private=self._private)

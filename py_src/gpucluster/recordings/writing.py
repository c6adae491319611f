"""Record the telemetry of one cluster into a file, line by line, so that it can be played even after a crash."""

from __future__ import annotations

import asyncio
import errno
import getpass
import gzip
import io
import json
import os
import platform
import re
import threading
import zlib
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import aclosing, suppress
from pathlib import Path
from typing import IO, Any, TypeAlias

from pydantic import ValidationError

from ..devices.host import host_devices
from ..operating_system.files import exchange_names
from ..protocol.errors import GPUClusterError, InvalidRequest, InvalidState, SupervisorUnreachable, invalid_request
from ..protocol.models import ClusterModel, DeviceModel, Telemetry
from ..protocol.recordings import RECORDING_SUFFIXES, RecordedVersions, Recording, RecordingWritten
from ..protocol.telemetry import TelemetrySample
from .places import stem_of
from .reading import MOST_BYTES, MOST_LINE_BYTES, MOST_PACKED_BYTES, MOST_SAMPLES, read_header

WITHHELD = "withheld"
_NUMBER = re.compile(r"[0-9]{1,6}")
_DEVICE = re.compile(r"(GPU|MIG)-[0-9a-fA-F]")
_DEVICE_IN_TEXT = re.compile(r"(GPU|MIG)-[0-9a-fA-F][0-9a-fA-F-]*")
_BEGINNING = len("GPU-01234567")  # Large clusters show devices by a UUID prefix of at least this length.
_TELLTALE = re.compile(r"[/\\@:]|[0-9]+\.[0-9]+\.[0-9]+|[0-9a-fA-F]{12}")
"""Paths, addresses, URLs, and long keys that could be tokens."""
_NOBODY = "-0000-0000-0000-000000000000"
_MOST_LETTERS = 120
_SEPARATOR = re.compile(r"[\W_]+")
_FEWEST_LETTERS = 3
_EVERYDAY = {"box", "gpu", "home", "host", "lab", "local", "localhost", "map", "node", "root", "sum", "the", "user"}
"""Names of accounts and computers that are common in task keys, too."""


class Pseudonyms:
    """Neutral names for one recording."""

    def __init__(self) -> None:
        self._workers: dict[str, str] = {}
        self._devices: dict[str, str] = {}
        self._hosts: dict[str, str] = {}
        self._private = _private_names()

    def sample(self, sample: dict[str, Any]) -> dict[str, Any]:
        found = {**sample, "id": "recording", "workers": [self.worker(name) for name in sample["workers"]]}
        for column, change in (("host", self.host), ("device", self.device), ("device_error", self.text)):
            if column in sample:
                values = sample[column]
                is_list = isinstance(values, list)
                found[column] = [value and change(value) for value in values] if is_list else change(values)
        if "progress" in sample:
            found["progress"] = [{**kind, "prefix": self.text(kind["prefix"])} for kind in sample["progress"]]
        return found

    def worker(self, name: str) -> str:
        """Return a worker's name: a number stays, a UUID becomes another one, anything else is replaced."""
        if _NUMBER.fullmatch(name):
            return name
        if _DEVICE.match(name):
            return self.device(name)
        return self._workers.setdefault(name, f"worker-{len(self._workers) + 1}")

    def host(self, name: str) -> str:
        return self._hosts.setdefault(name, f"node{len(self._hosts) + 1}")

    def device(self, uuid: str) -> str:
        """Return an artificial UUID of the same kind."""
        kind = "MIG" if uuid.startswith("MIG") else "GPU"
        number = len(self._devices) + 1
        return self._devices.setdefault(uuid[:_BEGINNING], f"{kind}-{number:08x}{_NOBODY}")

    def text(self, text: str) -> str:
        """Return a text unless it may contain a path, an address or the name of a user."""
        plain = _DEVICE_IN_TEXT.sub(lambda found: self.device(found.group()), text)
        tells = _TELLTALE.search(plain.replace(_NOBODY, "")) or self._private.search(text.casefold())
        if tells or len(plain) > _MOST_LETTERS or not plain.isprintable():
            return WITHHELD
        return plain


def _private_names() -> re.Pattern[str]:
    """Return a pattern for the names of this user and this computer, even in part, in casefolded text.

    Common words, numbers and names of fewer than three letters are left out: they would match everywhere.
    """
    names = [platform.node(), platform.node().split(".")[0]]
    with suppress(OSError, KeyError):  # An account without a name, as in some containers.
        names.append(getpass.getuser())
    with suppress(RuntimeError):
        names.append(Path.home().name)
    found = {name.casefold() for name in names}
    found |= {part for name in found if name != platform.node().casefold() for part in _SEPARATOR.split(name)}
    found = {name for name in found if len(name) >= _FEWEST_LETTERS and not name.isdigit() and name not in _EVERYDAY}
    alternatives = "|".join(re.escape(name) for name in sorted(found, key=len, reverse=True))
    # Unlike for \b, an underscore separates names.
    return re.compile(f"(?<![^\\W_])(?:{alternatives})(?![^\\W_])" if found else r"(?!)")


Identity: TypeAlias = tuple[int, int, int, int]

_NO_LINKS = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}  # Errors of file systems without hard links.


def identity_of(path: Path) -> Identity | None:
    """Return values that identify an unchanged file; ``None``: no file."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def give_name(part: Path, path: Path, replaced: Identity | None) -> None:
    """Rename a file in its folder. It may replace only the file with the identity ``replaced``.

    Raises `FileExistsError`: another file has the name; the file keeps its own.
    """
    if replaced is None:
        _take(part, path)
    elif exchange_names(part, path):
        if identity_of(part) != replaced:
            exchange_names(part, path)
            raise _taken(part, path)
        part.unlink()
    elif identity_of(path) == replaced:
        os.replace(part, path)
    else:
        _take(part, path)


def _take(part: Path, path: Path) -> None:
    try:
        os.link(part, path)
    except FileExistsError:
        raise _taken(part, path) from None
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        except FileExistsError:
            raise _taken(part, path) from None
        os.replace(part, path)
    else:
        part.unlink()


def _taken(part: Path, path: Path) -> FileExistsError:
    return FileExistsError(errno.EEXIST, f"{path} exists; the recording is {part}")


PART = ".part"  # Ending of an incomplete file.
_FLUSH_EVERY = 10  # Samples.
_LEFT_OVER_BYTES = 2**20  # Reserve below the limit of a packed file, for what is not flushed yet.


class RecordingFull(Exception):
    """The recording has the maximum size."""


def target_of(file: str | Path, *, private: bool = False) -> Path:
    """Return the checked path of a new recording.

    A name without an ending gets one that JupyterLab knows. ``private``: no file may exist there. Raises
    `InvalidRequest`.
    """
    text = os.fspath(file)
    if not text.strip() or not text.isprintable():
        raise InvalidRequest("FILE: must be a file name, such as kmeans.gpucluster.jsonl.gz.")
    try:
        path = Path(text).expanduser()
        if path.is_dir() or text.endswith(os.sep):
            raise InvalidRequest(f"FILE: {path} is a directory; specify a file name, such as {path / 'kmeans'}.")
        if not path.suffix:
            path = path.with_name(path.name + RECORDING_SUFFIXES[0])
        if not path.name.endswith((".jsonl", ".jsonl.gz")):
            raise InvalidRequest("FILE: must end in .jsonl or .jsonl.gz; JupyterLab opens .gpucluster.jsonl.gz.")
        if not path.parent.is_dir():
            raise InvalidRequest(f"FILE: directory {path.parent} does not exist.")
        if path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
            raise InvalidRequest(f"FILE: {path} cannot be written; choose another name.")
        exists = identity_of(path) is not None and path.exists()  # From Python 3.14 on, exists() raises nothing.
    except (OSError, RuntimeError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise InvalidRequest(f"FILE: {text[:100]} cannot be used: {why.rstrip('.')}. Choose another name.") from None
    if exists and private:
        raise InvalidRequest(f"FILE: {path} already exists; choose another name.")
    if exists:
        try:
            read_header(path)  # Only recordings are replaced.
        except GPUClusterError:
            raise InvalidRequest(f"FILE: {path} already exists and is not a recording; choose another name.") from None
    return path


class RecordingWriter:
    """Writes one recording, compressed if its name ends in ``.gz``. The file gets its name when it is complete.

    ``private``: no file is replaced, and only you may read the new one. Raises `InvalidRequest`: the file cannot be
    written, or is being written already.
    """

    def __init__(self, path: Path, header: Recording, *, private: bool = False) -> None:
        self.path = path
        self._replaced = None if private else identity_of(path)
        self.samples = 0
        self._part = path.with_name(path.name + PART)
        self._pseudonyms = Pseudonyms()
        self._bytes = 0
        try:
            mode = 0o600 if private else 0o666
            descriptor = os.open(self._part, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
            self._raw: IO[bytes] = os.fdopen(descriptor, "wb")
        except FileExistsError:
            raise InvalidRequest(
                f"{self._part} exists: another recording is writing it, or was interrupted and can be played. Remove "
                "it, or choose another name."
            ) from None
        except OSError as error:
            raise InvalidRequest(f"{self._part} cannot be written: {error.strerror or error}.") from None
        # No name and time in the compressed file.
        self._file: IO[bytes] | gzip.GzipFile = self._raw
        if path.suffix == ".gz":
            self._file = gzip.GzipFile(filename="", mode="wb", fileobj=self._raw, mtime=0)
        try:
            self._write(header.model_dump_json(exclude_none=True).encode() + b"\n")
            self._file.flush()
        except OSError as error:
            self.discard()
            raise InvalidRequest(f"{self._part} cannot be written: {error.strerror or error}.") from None

    @property
    def size_bytes(self) -> int:
        with suppress(OSError):
            return (self.path if self._raw.closed else self._part).stat().st_size
        return 0

    def add(self, line: bytes) -> None:
        """Write an event with neutral names. Raises `RecordingFull`, or `OSError` (disk full); the rest stays."""
        event = {"kind": "telemetry", "sample": self._pseudonyms.sample(json.loads(line)["sample"])}
        text = json.dumps(event, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
        if len(text) > MOST_LINE_BYTES:
            raise RecordingFull("The cluster is too large to be recorded.")
        packed = self._raw.tell() if self._file is not self._raw else 0
        is_large = self._bytes + len(text) > MOST_BYTES or packed > MOST_PACKED_BYTES - _LEFT_OVER_BYTES
        if self.samples >= MOST_SAMPLES or is_large:
            raise RecordingFull("The recording stopped: it has reached the maximum length.")
        self._write(text)
        if self.samples % _FLUSH_EVERY == 0:
            self._file.flush()
        self.samples += 1

    def close(self) -> None:
        """Complete and rename the file. Closing it twice is harmless.

        Raises `FileExistsError`: another file has got the name meanwhile; the recording stays beside it.
        """
        if self._raw.closed:
            return
        with self._raw:
            if isinstance(self._file, gzip.GzipFile):
                self._file.close()
        give_name(self._part, self.path, self._replaced)

    def discard(self) -> None:
        if isinstance(self._file, gzip.GzipFile):
            # Discard its buffer, which it would otherwise write when it is garbage-collected.
            self._file.fileobj = io.BytesIO()
            with suppress(ValueError, zlib.error):
                self._file.close()
        with suppress(OSError, io.UnsupportedOperation):
            self._raw.close()
        self._part.unlink(missing_ok=True)

    def _write(self, text: bytes) -> None:
        self._file.write(text)
        self._bytes += len(text)


_STAND_INS = ("fake", "simulated", "mock", "dummy")  # Names of devices in tests.
_LONGEST_DEVICE_NAME = 200


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
            return name[:_LONGEST_DEVICE_NAME] or None
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
                task = self._task
                task.cancel()
                try:
                    with suppress(asyncio.CancelledError):
                        await task  # Raises the task's own error.
                finally:
                    if not self.samples:  # Otherwise the file is complete, and stop() returns what was written.
                        self._task = None
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

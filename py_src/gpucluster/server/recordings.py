"""Recordings over REST, and their folder below Jupyter's root."""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from datetime import UTC, datetime
from itertools import chain, count
from pathlib import Path, PurePosixPath
from typing import Literal

from ..protocol.errors import GPUClusterError, InvalidRequest, InvalidState, RecordingNotFound
from ..protocol.recordings import RECORDING_SUFFIXES, RecordingEntry, RecordingList
from ..recordings.places import bundled_recordings, is_recording, recordings_below
from ..recordings.reading import read_header, read_length, read_recording
from ..recordings.writing import PART
from .api import ClusterAPIHandler

_AT_ONCE = 2  # Recordings that are read at the same time; reading one may take a second and some memory.
_LONGEST_PATH = 1000
_LARGE_BYTES = 2**20
_MOST_LENGTHS = 2000


class RecordingFolder:
    """The recordings of one server.

    `root`: Jupyter's root; nothing outside it is read or written, even through links. `made`: folder below it for
    recordings made in the panel.
    """

    def __init__(self, root: Path, made: str = "gpucluster-recordings") -> None:
        self.root = root
        self._made = made
        self._reading = asyncio.Semaphore(_AT_ONCE)
        self._listing: asyncio.Task[RecordingList] | None = None
        self._lengths: dict[tuple[str, int, int], float | None] = {}

    async def list(self) -> RecordingList:
        """Return all recordings, the bundled ones first. Simultaneous requests share one answer."""
        if self._listing is None or self._listing.done():
            self._listing = asyncio.create_task(asyncio.to_thread(self._list))
        return await asyncio.shield(self._listing)

    async def read(self, source: str, path: str) -> bytes:
        """Return one recording as JSON of a ``RecordedSession``."""
        async with self._reading:
            return await asyncio.to_thread(lambda: read_recording(self._find(source, path)).encoded())

    def entry(self, path: Path) -> RecordingEntry:
        shown = path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else str(path)
        return self._entry("folder", path, shown)

    def new_file(self, cluster: str) -> Path:
        folder = self.root / self._made
        try:
            if not folder.resolve().is_relative_to(self.root.resolve()):
                raise InvalidState(f"Cannot write recordings to {folder}: it is outside Jupyter's root.")
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InvalidState(f"Cannot write recordings to {folder}: {error.strerror or error}.") from None
        name = re.sub(r"[^\w-]+", "-", cluster)
        stem = f"{name}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
        names = (f"{stem}{more}{RECORDING_SUFFIXES[0]}" for more in chain([""], (f"-{n}" for n in count(2))))
        return next(
            folder / name for name in names if not any((folder / (name + part)).exists() for part in ("", PART))
        )

    def _list(self) -> RecordingList:
        found, complete = recordings_below(self.root)
        bundled = [self._entry("bundled", path, path.name) for path in bundled_recordings()]
        # A copy of gpucluster's own folder has them a second time.
        known = {(path.name, one.size_bytes) for path, one in zip(bundled_recordings(), bundled, strict=True)}
        own = [self._entry("folder", path, path.relative_to(self.root).as_posix()) for path in found]
        own = [one for one in own if (PurePosixPath(one.path).name, one.size_bytes) not in known]
        return RecordingList(recordings=[*bundled, *own], complete=complete)

    def _find(self, source: str, path: str) -> Path:
        if source == "bundled":
            for known in bundled_recordings():
                if known.name == path:
                    return known
            raise RecordingNotFound("There is no bundled recording of that name.")
        if source != "folder":
            raise InvalidRequest("source: must be 'folder' or 'bundled'.")
        parts = PurePosixPath(path).parts
        hidden = any(part.startswith(".") for part in parts)  # of which '..' is one
        if not parts or len(path) > _LONGEST_PATH or not path.isprintable() or "\\" in path or path.startswith("/"):
            raise InvalidRequest("path: must be the path of a recording below Jupyter's root.")
        if hidden or not is_recording(parts[-1]):
            raise InvalidRequest(
                "path: must end in .gpucluster.jsonl or .gpucluster.jsonl.gz and must not be in a hidden folder."
            )
        with suppress(OSError, RuntimeError, ValueError):
            found = self.root.joinpath(*parts).resolve()
            if found.is_relative_to(self.root.resolve()):
                return found
        raise RecordingNotFound("There is no such recording below Jupyter's root.")

    def _entry(self, source: Literal["folder", "bundled"], path: Path, shown: str) -> RecordingEntry:
        size = 0
        try:
            status = path.stat()
            size = status.st_size
            header = read_header(path)
            seconds = self._length(path, (str(path), status.st_mtime_ns, size))
        except OSError as error:
            why = f"The recording cannot be read: {error.strerror}."
            return RecordingEntry(source=source, path=shown, size_bytes=size, message=why)
        except GPUClusterError as error:
            return RecordingEntry(source=source, path=shown, size_bytes=size, message=error.message)
        return RecordingEntry(
            source=source, path=shown, size_bytes=size, title=header.title, label=header.label, note=header.note,
            n_workers=header.n_workers, seconds=seconds,
        )  # fmt: skip

    def _length(self, path: Path, state: tuple[str, int, int]) -> float | None:
        """Return the length of a recording in seconds; ``None`` for large ones, which take long to unpack."""
        if state[2] > _LARGE_BYTES:
            return None
        if state not in self._lengths:
            if len(self._lengths) >= _MOST_LENGTHS:
                self._lengths.clear()
            self._lengths[state] = read_length(path)
        return self._lengths[state]


class RecordedSessionHandler(ClusterAPIHandler):
    recordings: RecordingFolder

    async def get(self) -> None:
        source = self.get_query_argument("source", "folder")
        path = self.get_query_argument("path", "", strip=False)
        self.set_header("Content-Type", "application/json")
        self.finish(await self.recordings.read(source, path))


class ClusterRecordingHandler(ClusterAPIHandler):
    recordings: RecordingFolder

    async def post(self, cluster: str) -> None:
        model = await self.control.get(cluster)
        if model.scheduler_address is None:
            raise InvalidState(f"The cluster '{model.name}' is {model.state.value}; there is nothing to record.")
        file = await asyncio.to_thread(self.recordings.new_file, model.name)
        self.answer(await self.control.begin_recording(model.id, file), 201)

    async def delete(self, cluster: str) -> None:
        model = await self.control.get(cluster)
        if model.recording is None:
            raise InvalidState(f"The cluster '{model.name}' is not being recorded.")
        await self.control.end_recording(model.id)
        self.answer(await asyncio.to_thread(self.recordings.entry, Path(model.recording.path)))

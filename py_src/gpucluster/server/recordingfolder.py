"""Recordings that the browser may read: those below Jupyter's root, and those that come with gpucluster."""

from __future__ import annotations

import asyncio
from pathlib import Path, PurePosixPath
from typing import Literal

from ..protocol.errors import GPUClusterError, InvalidRequest, RecordingNotFound
from ..protocol.recordings import RecordedSession, RecordingEntry, RecordingList
from ..recordings.places import bundled_recordings, is_recording, recordings_below
from ..recordings.reading import read_header, read_length, read_recording

_AT_ONCE = 2
"""Recordings that are read at the same time; reading one may take a second and some memory."""
_LONGEST_PATH = 1000
_LARGE_BYTES = 2**20
_MOST_LENGTHS = 2000


class RecordingFolder:
    """Where recordings are looked for.

    Parameters
    ----------
    root : pathlib.Path
        Jupyter's root: nothing outside of it is read, whatever a link in it leads to.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._reading = asyncio.Semaphore(_AT_ONCE)
        self._listing: asyncio.Task[RecordingList] | None = None
        self._lengths: dict[tuple[str, int, int], float | None] = {}

    async def list(self) -> RecordingList:
        """Return all that there are, the bundled ones first. Who asks while somebody is answered gets the same."""
        if self._listing is None or self._listing.done():
            self._listing = asyncio.create_task(asyncio.to_thread(self._list))
        return await asyncio.shield(self._listing)

    async def read(self, source: str, path: str) -> bytes:
        """Return one recording as JSON of a ``RecordedSession``.

        Raises
        ------
        InvalidRequest
            When the path is none that a recording below the root can have.
        RecordingNotFound, RecordingUnreadable
        """
        async with self._reading:
            return await asyncio.to_thread(self._read, source, path)

    def _list(self) -> RecordingList:
        found, complete = recordings_below(self.root)
        bundled = [self._entry("bundled", path, path.name) for path in bundled_recordings()]
        # In a copy of gpucluster's own folder they are a second time.
        known = {(path.name, one.size_bytes) for path, one in zip(bundled_recordings(), bundled, strict=True)}
        own = [self._entry("folder", path, path.relative_to(self.root).as_posix()) for path in found]
        own = [one for one in own if (PurePosixPath(one.path).name, one.size_bytes) not in known]
        return RecordingList(recordings=[*bundled, *own], complete=complete)

    def _read(self, source: str, path: str) -> bytes:
        session: RecordedSession = read_recording(self._find(source, path))
        return session.encoded()

    def _find(self, source: str, path: str) -> Path:
        if source == "bundled":
            for known in bundled_recordings():
                if known.name == path:
                    return known
            raise RecordingNotFound("No recording of that name comes with gpucluster.")
        if source != "folder":
            raise InvalidRequest("source: must be 'folder' or 'bundled'.")
        parts = PurePosixPath(path).parts
        hidden = any(part.startswith(".") for part in parts)  # of which '..' is one
        if not parts or len(path) > _LONGEST_PATH or not path.isprintable() or "\\" in path or path.startswith("/"):
            raise InvalidRequest("path: must be the path of a recording below Jupyter's root.")
        if hidden or not is_recording(parts[-1]):
            raise InvalidRequest("path: must end in .gpucluster.jsonl or .gpucluster.jsonl.gz, in no hidden folder.")
        try:
            found = self.root.joinpath(*parts).resolve()
            inside = found.is_relative_to(self.root.resolve())
        except (OSError, RuntimeError, ValueError):
            inside = False
        if not inside:
            raise RecordingNotFound("There is no such recording below Jupyter's root.")
        return found

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
        """Return how long a recording is; large ones, which take long to unpack, are not looked through for that."""
        if state[2] > _LARGE_BYTES:
            return None
        if state not in self._lengths:
            if len(self._lengths) >= _MOST_LENGTHS:
                self._lengths.clear()
            self._lengths[state] = read_length(path)
        return self._lengths[state]

"""Recordings that the browser may read: those below Jupyter's root, and those that come with gpucluster."""

from __future__ import annotations

import asyncio
from pathlib import Path, PurePosixPath
from typing import Literal

from ..protocol.errors import GPUClusterError, InvalidRequest, RecordingNotFound
from ..protocol.recordings import RecordedSession, RecordingEntry, RecordingList
from ..recordings.places import bundled_recordings, is_recording, recordings_below
from ..recordings.reading import read_header, read_recording

_AT_ONCE = 2
"""Recordings that are read at the same time; reading one may take a second and some memory."""
_LONGEST_PATH = 1000


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
        bundled = [_entry("bundled", path, path.name) for path in bundled_recordings()]
        own = [_entry("folder", path, path.relative_to(self.root).as_posix()) for path in found]
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


def _entry(source: Literal["folder", "bundled"], path: Path, shown: str) -> RecordingEntry:
    size = 0
    try:
        size = path.stat().st_size
        header = read_header(path)
    except OSError as error:
        why = f"The recording cannot be read: {error.strerror}."
        return RecordingEntry(source=source, path=shown, size_bytes=size, message=why)
    except GPUClusterError as error:
        return RecordingEntry(source=source, path=shown, size_bytes=size, message=error.message)
    return RecordingEntry(source=source, path=shown, size_bytes=size, title=header.title, label=header.label)

"""The recordings of a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..protocol.errors import RecordingNotFound
from ..protocol.recordings import RecordingWritten

if TYPE_CHECKING:
    from ..client.recorder import Recorder


class Recorders:
    """Remembers recordings until they are stopped."""

    def __init__(self) -> None:
        self._recorders: list[Recorder] = []

    def add(self, recorder: Recorder) -> None:
        """Remember a started recording."""
        self._recorders.append(recorder)

    def stop(self, name: str | None = None) -> list[RecordingWritten]:
        """Stop all, or those of one cluster, and return what was written; also of those that have ended already."""
        ending = [recorder for recorder in self._recorders if name in {None, recorder.cluster}]
        if name is not None and not ending:
            names = ", ".join(dict.fromkeys(recorder.cluster for recorder in self._recorders)) or "none"
            raise RecordingNotFound(
                f"'{name[:60]}' is not being recorded in this notebook. Active recordings: {names}."
            )
        self._recorders = [recorder for recorder in self._recorders if recorder not in ending]
        return [recorder.stop() for recorder in ending]

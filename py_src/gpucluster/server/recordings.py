"""Recordings over REST: which there are, one of them to be played, and making one."""

from __future__ import annotations

from pathlib import Path

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from ..protocol.errors import InvalidState
from .api import ClusterAPIHandler
from .recording_folder import RecordingFolder


class RecordingHandler(ClusterAPIHandler):
    """What every handler about recordings knows."""

    recordings: RecordingFolder


class RecordingsHandler(RecordingHandler):
    """All recordings."""

    @authenticated
    @authorized
    async def get(self) -> None:
        """List those below Jupyter's root and those that come with gpucluster."""
        self.answer(await self.recordings.list())


class RecordedSessionHandler(RecordingHandler):
    """One recording."""

    @authenticated
    @authorized
    async def get(self) -> None:
        """Read it."""
        source = self.get_query_argument("source", "folder")
        path = self.get_query_argument("path", "", strip=False)
        self.set_header("Content-Type", "application/json")
        self.finish(await self.recordings.read(source, path))


class ClusterRecordingHandler(RecordingHandler):
    """The recording that is made of one cluster."""

    @authenticated
    @authorized
    async def post(self, cluster: str) -> None:
        """Begin to record, into a new file below Jupyter's root."""
        model = await self.control.get(cluster)
        if model.scheduler_address is None:
            raise InvalidState(f"The cluster '{model.name}' is {model.state.value}; there is nothing to record.")
        model = await self.control.begin_recording(model.id, await self.recordings.new_file(model.name))
        self.answer(model, 201)

    @authenticated
    @authorized
    async def delete(self, cluster: str) -> None:
        """Complete the recording."""
        model = await self.control.get(cluster)
        if model.recording is None:
            raise InvalidState(f"The cluster '{model.name}' is not being recorded.")
        await self.control.end_recording(model.id)
        self.answer(await self.recordings.entry(Path(model.recording.path)))

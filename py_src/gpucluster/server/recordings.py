"""Recordings over REST: which there are, and one of them to be played."""

from __future__ import annotations

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from .api import ClusterAPIHandler
from .recordingfolder import RecordingFolder


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

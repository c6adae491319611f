"""The view of a class: who is where, and what fails most."""

from __future__ import annotations

import asyncio
from pathlib import Path

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from ..protocol.errors import GPUClusterError
from .api import ClusterAPIHandler


class NoClassHere(GPUClusterError):
    """This server shows no class."""

    code = "no_class"
    http_status = 404


class ClassHandler(ClusterAPIHandler):
    """The class whose folder is in the configuration."""

    polled = True
    folder: Path | None

    @authenticated
    @authorized
    async def get(self) -> None:
        """Read what the learners of the class share."""
        if self.folder is None:
            raise NoClassHere(
                "This server shows no class. Start it with --GPUClusterExtension.class_folder=FOLDER, "
                "or run: gpucluster lessons class FOLDER"
            )
        # Imported here: only servers of instructors read classes.
        from ..lessons.classroom import read_class

        self.answer(await asyncio.to_thread(read_class, self.folder))

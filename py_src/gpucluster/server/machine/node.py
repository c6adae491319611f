"""What instructors do with the clusters of a class."""

from __future__ import annotations

import asyncio

from ...client.instructing import message_class, stop_class
from ...protocol.errors import parsed
from ...protocol.instructing import ClassMessage, ClassStop
from ..api import ClusterAPIHandler


class ClassMessageHandler(ClusterAPIHandler):
    """What an instructor tells the owners of clusters."""

    async def post(self) -> None:
        asked = parsed(ClassMessage, self.body())
        self.answer(await asyncio.to_thread(message_class, asked.user, asked.text))


class ClassStopHandler(ClusterAPIHandler):
    """The clusters of a user that an instructor stops."""

    async def post(self) -> None:
        asked = parsed(ClassStop, self.body())
        self.answer(await asyncio.to_thread(stop_class, asked.user, asked.reason))

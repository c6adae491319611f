"""Users of each GPU of this machine, and the queue; what instructors do with the clusters of a class."""

from __future__ import annotations

import asyncio

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from ...client.instructing import class_clusters, message_class, stop_class
from ...client.node import node
from ...protocol.errors import parsed
from ...protocol.instructing import ClassMessage, ClassStop
from ..api import ClusterAPIHandler


class NodeHandler(ClusterAPIHandler):
    """This machine, as all of its users see it."""

    polled = True

    @authenticated
    @authorized
    async def get(self) -> None:
        self.answer(await asyncio.to_thread(node))


class ClassClustersHandler(ClusterAPIHandler):
    """The clusters of all users; each cluster's own process decides whom it tells."""

    polled = True

    @authenticated
    @authorized
    async def get(self) -> None:
        self.answer(await asyncio.to_thread(class_clusters))


class ClassMessageHandler(ClusterAPIHandler):
    """What an instructor tells the owners of clusters."""

    @authenticated
    @authorized
    async def post(self) -> None:
        asked = parsed(ClassMessage, self.body())
        self.answer(await asyncio.to_thread(message_class, asked.user, asked.text))


class ClassStopHandler(ClusterAPIHandler):
    """The clusters of a user that an instructor stops."""

    @authenticated
    @authorized
    async def post(self) -> None:
        asked = parsed(ClassStop, self.body())
        self.answer(await asyncio.to_thread(stop_class, asked.user, asked.reason))

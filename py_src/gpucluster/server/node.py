"""Who has which GPU of this machine, and who waits for one."""

from __future__ import annotations

import asyncio

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from ..client.node import node
from .api import ClusterAPIHandler


class NodeHandler(ClusterAPIHandler):
    """This machine, as all of its users see it."""

    polled = True

    @authenticated
    @authorized
    async def get(self) -> None:
        """Return it."""
        self.answer(await asyncio.to_thread(node))

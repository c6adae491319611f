"""Links to a shared view over REST, for the owner: list, make, withdraw."""

from __future__ import annotations

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from ..client.links import FORBIDDEN
from ..protocol.errors import LinkRefused
from ..protocol.links import NewLink, parse_link_request
from .api import ClusterAPIHandler


class LinksHandler(ClusterAPIHandler):
    """The links of one cluster."""

    allowed: bool

    @authenticated
    @authorized
    async def get(self, cluster: str) -> None:
        """List those that have not ended. What they are opened with is not told again."""
        self.answer(await self.control.links(cluster))

    @authenticated
    @authorized
    async def post(self, cluster: str) -> None:
        """Make a link; the only answer that holds what it is opened with."""
        model = await self.control.get(cluster)
        request = parse_link_request(self.body())
        if not self.allowed:
            raise LinkRefused(FORBIDDEN.replace("This site", "This Jupyter server"))
        made = await self.control.share(model.id, hours=request.hours, tasks=request.tasks, public=request.public)
        self.set_header("Cache-Control", "no-store")
        self.answer(NewLink(link=made.link, path=made.path), 201)  # The page knows its server's address.

    @authenticated
    @authorized
    async def delete(self, cluster: str) -> None:
        """Withdraw all."""
        self.answer(await self.control.withdraw(cluster))


class LinkHandler(ClusterAPIHandler):
    """One link of one cluster."""

    @authenticated
    @authorized
    async def delete(self, cluster: str, link: str) -> None:
        """Withdraw it."""
        self.answer(await self.control.withdraw(cluster, link))

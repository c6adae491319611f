"""Dask's dashboard through the Jupyter server, by cluster id, over HTTP and WebSocket: for the owner."""

from __future__ import annotations

from urllib.parse import quote

from jupyter_server.auth.decorator import authorized, ws_authenticated
from jupyter_server.base.handlers import JupyterHandler
from jupyter_server.utils import url_path_join
from tornado.web import HTTPError, authenticated

from ..client.control import AsyncControl
from .admission import AdmissionMixin
from .api import AUTH_RESOURCE
from .dashboard_relay import DashboardRelay
from .upstream import DashboardClient


class DashboardHandler(AdmissionMixin, DashboardRelay):
    """One address of one dashboard; a page or a WebSocket."""

    auth_resource = AUTH_RESOURCE
    linkable = True

    def initialize(self, control: AsyncControl, client: DashboardClient) -> None:
        """Take the long-lived objects of the extension."""
        self.control = control
        self.client = client

    async def prepare(self) -> None:  # type: ignore[override]
        """Authenticate: a page is sent to the login, a WebSocket is refused."""
        await JupyterHandler.prepare(self, _redirect_to_login=not self.wants_socket)
        self.admit()

    def refuse_stranger(self) -> None:
        """Send a person to the log-in."""
        if self.wants_socket:
            raise HTTPError(403)
        self.send_to_login()

    @ws_authenticated
    @authorized
    async def get(self, cluster: str, path: str | None = None) -> None:
        """Get a page, or open a WebSocket."""
        if not path:
            self.redirect(f"{self.public_path(cluster)}/status")
        elif self.wants_socket:
            await self.pass_socket(cluster, path)
        else:
            await self.pass_page(cluster, path)

    @authenticated
    @authorized
    async def head(self, cluster: str, path: str | None = None) -> None:
        """Get the headers of a page; Dask itself knows no HEAD."""
        await self.pass_page(cluster, path or "status")

    def public_path(self, cluster: str) -> str:
        """Return the path below the base URL."""
        return url_path_join(self.base_url, "gpucluster/dashboard", quote(cluster, safe=""))

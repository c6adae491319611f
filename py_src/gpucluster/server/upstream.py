"""The connection from the Jupyter server to a dashboard on loopback."""

from __future__ import annotations

from dataclasses import dataclass

from tornado.httpclient import HTTPClientError, HTTPRequest, HTTPResponse
from tornado.httputil import HTTPHeaders
from tornado.simple_httpclient import SimpleAsyncHTTPClient
from tornado.websocket import WebSocketClientConnection, WebSocketError, websocket_connect

from ..protocol.errors import GPUClusterError
from ..registry.record import DashboardAddress

CONNECT_SECONDS = 5.0
REQUEST_SECONDS = 30.0
MAX_CLIENTS = 64
"""Requests at the same time, over all dashboards."""
MAX_BYTES = 128 * 2**20
"""Largest body or message."""

FORWARDED_HEADERS = ("Accept", "Accept-Language")
"""Nothing else is sent on: no cookie and no token of Jupyter's."""
RETURNED_HEADERS = ("Content-Type", "Content-Disposition", "Cache-Control", "Expires", "Last-Modified")
"""Nothing else comes back: no cookie on Jupyter's origin, no hop-by-hop header."""


class DashboardUnreachable(GPUClusterError):
    """The dashboard does not answer."""

    code = "dashboard_unreachable"
    http_status = 502

    def __init__(self) -> None:
        super().__init__("The dashboard of this cluster does not answer. Try again, or look at the cluster's log.")


@dataclass(frozen=True)
class Target:
    """A checked path of one dashboard."""

    address: DashboardAddress
    path: str
    query: str

    def url(self, scheme: str) -> str:
        """Return the address to connect to; holds the secret, so it goes into no log."""
        host = f"[{self.address.host}]" if ":" in self.address.host else self.address.host
        query = f"?{self.query}" if self.query else ""
        return f"{scheme}://{host}:{self.address.port}/{self.address.prefix}/{self.path}{query}"


class DashboardClient:
    """Connects to dashboards; follows no redirect."""

    def __init__(self) -> None:
        self._client: SimpleAsyncHTTPClient | None = None

    async def fetch(self, target: Target, headers: HTTPHeaders) -> HTTPResponse:
        """Get one page.

        Raises
        ------
        DashboardUnreachable
            When nothing answers there.
        """
        if self._client is None:
            # Made on first use, when the event loop runs.
            self._client = SimpleAsyncHTTPClient(
                force_instance=True, max_clients=MAX_CLIENTS, max_buffer_size=MAX_BYTES, max_body_size=MAX_BYTES
            )
        request = HTTPRequest(
            target.url("http"),
            headers={name: headers[name] for name in FORWARDED_HEADERS if name in headers},
            follow_redirects=False,
            decompress_response=False,
            connect_timeout=CONNECT_SECONDS,
            request_timeout=REQUEST_SECONDS,
        )
        try:
            return await self._client.fetch(request, raise_error=False)
        except (HTTPClientError, OSError):
            raise DashboardUnreachable from None

    async def connect(self, target: Target, subprotocols: list[str]) -> WebSocketClientConnection:
        """Open a WebSocket.

        Raises
        ------
        DashboardUnreachable
            When nothing answers there, or not with a WebSocket.
        """
        request = HTTPRequest(target.url("ws"), connect_timeout=CONNECT_SECONDS, request_timeout=CONNECT_SECONDS)
        try:
            return await websocket_connect(request, subprotocols=subprotocols or None, max_message_size=MAX_BYTES)
        except (HTTPClientError, WebSocketError, OSError):
            raise DashboardUnreachable from None

    def close(self) -> None:
        """Close the idle connections."""
        if self._client is not None:
            self._client.close()
            self._client = None

"""The connection from the Jupyter server to a dashboard, on a unix socket or on loopback."""

from __future__ import annotations

import hashlib
import socket
from dataclasses import dataclass
from typing import Any

from tornado.httpclient import HTTPClientError, HTTPRequest, HTTPResponse
from tornado.httputil import HTTPHeaders
from tornado.netutil import DefaultLoopResolver, Resolver
from tornado.simple_httpclient import SimpleAsyncHTTPClient
from tornado.websocket import WebSocketClientConnection, WebSocketError, websocket_connect

from ...protocol.errors import GPUClusterError
from ...registry.record import DashboardAddress

CONNECT_SECONDS = 5.0
REQUEST_SECONDS = 30.0
MAX_CLIENTS = 64  # Requests at the same time, over all dashboards.
MOST_SOCKETS = 1024  # More than a user's clusters.
MAX_BYTES = 128 * 2**20  # Largest body or message.

FORWARDED_HEADERS = ("Accept", "Accept-Language")  # Nothing else is forwarded: no cookie and no token of Jupyter.
RETURNED_HEADERS = ("Content-Type", "Content-Disposition", "Cache-Control", "Expires", "Last-Modified")
"""Nothing else is returned: no cookie for Jupyter's origin, no hop-by-hop header."""


class DashboardUnreachable(GPUClusterError):
    """The dashboard does not respond."""

    code = "dashboard_unreachable"
    http_status = 502

    def __init__(self) -> None:
        super().__init__("The dashboard of this cluster does not respond. Try again, or look at the cluster's log.")


@dataclass(frozen=True)
class Target:
    """A checked path of one dashboard."""

    address: DashboardAddress
    path: str
    query: str

    @property
    def host(self) -> str:
        """Host and port as in addresses; for a socket, a reserved name."""
        if self.address.socket is not None:
            return hashlib.sha256(self.address.socket.encode()).hexdigest()[:32] + _SOCKETS
        host = self.address.host or ""
        return f"{f'[{host}]' if ':' in host else host}:{self.address.port}"

    def url(self, scheme: str) -> str:
        """Return the address to connect to; it contains the secret, so do not log it."""
        query = f"?{self.query}" if self.query else ""
        return f"{scheme}://{self.host}{self.address.below}/{self.path}{query}"


_SOCKETS = ".gpucluster.invalid"


class SocketResolver(Resolver):
    """Finds the unix sockets of dashboards, and everything else as usual."""

    def initialize(self, paths: dict[str, str]) -> None:
        self._paths = paths
        self._others = DefaultLoopResolver()

    async def resolve(self, host: str, port: int, family: int = socket.AF_UNSPEC) -> list[tuple[int, Any]]:
        if host.endswith(_SOCKETS):
            if host not in self._paths:
                raise OSError("not the socket of a dashboard")
            return [(socket.AF_UNIX, self._paths[host])]
        found: list[tuple[int, Any]] = await self._others.resolve(host, port, socket.AddressFamily(family))
        return found

    def close(self) -> None:
        """Nothing is kept open."""


class DashboardClient:
    """Connects to dashboards; follows no redirect."""

    def __init__(self) -> None:
        self._client: SimpleAsyncHTTPClient | None = None
        self._sockets: dict[str, str] = {}
        self._resolver = SocketResolver(paths=self._sockets)

    def _url(self, target: Target, scheme: str) -> str:
        if target.address.socket is not None:
            while len(self._sockets) >= MOST_SOCKETS:
                self._sockets.pop(next(iter(self._sockets)))
            self._sockets[target.host] = target.address.socket
        return target.url(scheme)

    async def fetch(self, target: Target, headers: HTTPHeaders) -> HTTPResponse:
        """Get one page. Raises `DashboardUnreachable` when nothing answers there."""
        if self._client is None:
            # Created at first use, when the event loop runs.
            self._client = SimpleAsyncHTTPClient(
                force_instance=True,
                max_clients=MAX_CLIENTS,
                max_buffer_size=MAX_BYTES,
                max_body_size=MAX_BYTES,
                resolver=self._resolver,
            )
        request = HTTPRequest(
            self._url(target, "http"),
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
        """Open a WebSocket. Raises `DashboardUnreachable` when nothing answers there, or not with a WebSocket."""
        url = self._url(target, "ws")
        request = HTTPRequest(url, connect_timeout=CONNECT_SECONDS, request_timeout=CONNECT_SECONDS)
        try:
            return await websocket_connect(
                request, subprotocols=subprotocols or None, max_message_size=MAX_BYTES, resolver=self._resolver
            )
        except (HTTPClientError, WebSocketError, OSError):
            raise DashboardUnreachable from None

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None

"""Relays a dashboard by cluster id, through a connection to a unix socket or loopback."""

from __future__ import annotations

import asyncio
import hashlib
import re
import socket
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from jupyter_server.auth.decorator import authorized, ws_authenticated
from jupyter_server.base.handlers import JupyterHandler
from jupyter_server.base.websocket import WebSocketMixin
from jupyter_server.utils import url_path_join
from tornado.escape import xhtml_escape
from tornado.httpclient import HTTPClientError, HTTPRequest, HTTPResponse
from tornado.httputil import HTTPHeaders
from tornado.netutil import DefaultLoopResolver, Resolver
from tornado.simple_httpclient import SimpleAsyncHTTPClient
from tornado.web import HTTPError
from tornado.websocket import (
    WebSocketClientConnection,
    WebSocketClosedError,
    WebSocketError,
    WebSocketHandler,
    websocket_connect,
)

from ..client.control import AsyncControl
from ..protocol.errors import GPUClusterError, InvalidState
from ..registry.record import DashboardAddress
from .admission import AdmissionMixin, RefusalMixin
from .api import AUTH_RESOURCE

NOT_FORWARDED_ARGUMENTS = frozenset({"token", "_xsrf"})  # For Jupyter; Bokeh would write them into its pages.


class PathRefused(GPUClusterError):
    code = "not_found"
    http_status = 404


def checked_path(path: str) -> str:
    """Return a decoded dashboard path, encoded for the upstream URL.

    Raises `PathRefused` for ``..``, empty segments (``//host``), backslashes, control characters, and for Dask's own
    ``/proxy``, which reaches other hosts.
    """
    segments = path.split("/")
    # A path may end with a slash, but no other segment is empty.
    if any(part in {".", ".."} for part in segments) or "" in segments[:-1] or re.search(r"[\\\x00-\x1f\x7f]", path):
        raise PathRefused("This is not the address of a dashboard.")
    if segments[0].casefold() == "proxy":
        raise PathRefused("Pages of single workers are not shown here: use the pages of the cluster.")
    return quote(path, safe="/:@!$&'()*+,;=~-._")


def forwarded_query(query: str) -> str:
    pairs = parse_qsl(query, keep_blank_values=True)
    return urlencode([(name, value) for name, value in pairs if name not in NOT_FORWARDED_ARGUMENTS])


@dataclass(frozen=True)
class Disguise:
    """Replaces the dashboard's secret prefix by the public path."""

    prefix: str  # The secret, without slashes; empty if another program serves the pages, without a prefix.
    public: str  # Path of the dashboard below the Jupyter server, without a slash at the end.

    def text(self, text: str) -> str:
        return self.body(text.encode()).decode() if self.prefix in text else text

    def body(self, body: bytes) -> bytes:
        secret = self.prefix.encode()
        if not secret or secret not in body:
            return body
        public = self.public.encode()
        # The second replacement catches other spellings; a broken link is better than a leak.
        return body.replace(b"/" + secret, public).replace(secret, b"dashboard")

    def location(self, location: str, host: str) -> str | None:
        """Return the public form of a redirect, or ``None`` when it leads out of the dashboard."""
        parts = urlsplit(location)
        if (parts.scheme or parts.netloc) and parts.netloc != host:
            return None
        if not self.prefix and (parts.path.startswith("/") or parts.netloc):
            path = parts._replace(scheme="", netloc="").geturl()
            return None if path.startswith("//") else self.public + path
        if (parts.path.startswith("/") or parts.netloc) and not f"{parts.path}/".startswith(f"/{self.prefix}/"):
            return None
        return self.text(parts._replace(scheme="", netloc="").geturl())


_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="gpucluster-refusal"><title>Dashboard</title>
<style>body {{ font: 14px/1.5 system-ui, sans-serif; margin: 3em; color: #333 }}</style>
</head><body><h1>No dashboard</h1><p>{message}</p></body></html>
"""


class DashboardRelay(WebSocketMixin, WebSocketHandler, RefusalMixin):
    """Relays one address of one dashboard, a page or a WebSocket."""

    _upstream: WebSocketClientConnection | None = None
    _relay: asyncio.Task[None] | None = None
    control: AsyncControl
    client: DashboardClient

    @abstractmethod
    def public_path(self, cluster: str) -> str:
        """Return the path of the dashboard on this server, for a browser."""

    def fit_page(self, body: bytes) -> bytes:
        return body

    def passed_on(self, message: str | bytes) -> Sequence[str | bytes]:
        return (message,)

    def shown(self, message: str) -> str:
        return message

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        message = self.refusal(status_code, **kwargs).message
        self.set_header("Content-Type", "text/html; charset=utf-8")
        self.finish(_PAGE.format(message=xhtml_escape(message)))

    @property
    def wants_socket(self) -> bool:
        return self.request.headers.get("Upgrade", "").lower() == "websocket"

    async def _target(self, cluster: str, path: str) -> Target:
        model = await self.control.get(cluster)
        if model.state.ended:
            # Its port may belong to another program by now.
            raise InvalidState(f"The cluster '{model.name}' has {model.state.value}: it no longer has a dashboard.")
        address = self.control.dashboard(model.id)
        self._disguise = Disguise(address.prefix, self.public_path(cluster))
        return Target(address, checked_path(path), forwarded_query(self.request.query))

    async def pass_page(self, cluster: str, path: str) -> None:
        target = await self._target(cluster, path)
        response = await self.client.fetch(target, self.request.headers)
        self.set_status(response.code)
        for name in RETURNED_HEADERS:
            if (value := response.headers.get(name)) is not None:
                self.set_header(name, self._disguise.text(value))
        if (location := response.headers.get("Location")) is not None:
            shown = self._disguise.location(location, target.host)
            if shown is None:
                raise DashboardUnreachable
            self.set_header("Location", shown)
        self.finish(self.fit_page(self._disguise.body(response.body or b"")) or None)

    async def pass_socket(self, cluster: str, path: str) -> None:
        """Open a WebSocket on both sides; returns when it has closed."""
        offered = self.request.headers.get("Sec-WebSocket-Protocol", "")
        subprotocols = [name.strip() for name in offered.split(",") if name.strip()]
        self._upstream = await self.client.connect(await self._target(cluster, path), subprotocols)
        try:
            await WebSocketHandler.get(self)
        finally:
            self._upstream.close()

    @property
    def max_message_size(self) -> int:
        return MAX_BYTES

    def select_subprotocol(self, subprotocols: list[str]) -> str | None:
        return self._upstream.selected_subprotocol if self._upstream else None

    def open(self, *args: str, **kwargs: str) -> None:
        super().open(*args, **kwargs)
        self._relay = asyncio.create_task(self._pass_messages())

    async def on_message(self, message: str | bytes) -> None:
        if self._upstream is not None:
            try:
                for frame in self.passed_on(message):
                    await self._upstream.write_message(frame, binary=isinstance(frame, bytes))
            except WebSocketClosedError:
                self.close()

    def on_close(self) -> None:
        if self._relay is not None:
            self._relay.cancel()
        if self._upstream is not None:
            self._upstream.close()

    async def _pass_messages(self) -> None:
        assert self._upstream is not None
        try:
            # One message at a time: a slow page only slows down its own stream.
            while (message := await self._upstream.read_message()) is not None:
                if isinstance(message, str):
                    message = self.shown(self._disguise.text(message))
                await self.write_message(message, binary=isinstance(message, bytes))
        except WebSocketClosedError:
            return
        self.close(1001, "The dashboard has closed.")


class DashboardHandler(AdmissionMixin, DashboardRelay):
    """One address of one dashboard, a page or a WebSocket."""

    auth_resource = AUTH_RESOURCE
    linkable = True

    async def prepare(self) -> None:  # type: ignore[override]
        """Authenticate: redirect a page to the login, refuse a WebSocket."""
        await JupyterHandler.prepare(self, _redirect_to_login=not self.wants_socket)
        self.admit()

    def refuse_stranger(self) -> None:
        if self.wants_socket:
            raise HTTPError(403)
        self.send_to_login()

    @ws_authenticated
    @authorized
    async def get(self, cluster: str, path: str | None = None) -> None:
        if not path:
            self.redirect(f"{self.public_path(cluster)}/status")
        elif self.wants_socket:
            await self.pass_socket(cluster, path)
        else:
            await self.pass_page(cluster, path)

    async def head(self, cluster: str, path: str | None = None) -> None:
        """Get the headers of a page; Dask itself does not support HEAD."""
        await self.pass_page(cluster, path or "status")

    def public_path(self, cluster: str) -> str:
        return url_path_join(self.base_url, "gpucluster/dashboard", quote(cluster, safe=""))


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

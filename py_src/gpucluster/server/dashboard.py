"""Dask's dashboard through the Jupyter server, by cluster id, over HTTP and WebSocket.

Host, port and secret prefix come from our own record and never from the browser; the prefix never goes
to the browser. Only what is needed passes in either direction.
"""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import quote

from jupyter_server.auth.decorator import authorized, ws_authenticated
from jupyter_server.base.handlers import JupyterHandler
from jupyter_server.base.websocket import WebSocketMixin
from jupyter_server.utils import url_path_join
from tornado.escape import xhtml_escape
from tornado.web import HTTPError, authenticated
from tornado.websocket import WebSocketClientConnection, WebSocketClosedError, WebSocketHandler

from ..client.control import AsyncControl
from ..protocol.errors import InvalidState
from .admission import AdmissionMixin
from .api import AUTH_RESOURCE
from .proxiedpath import Disguise, checked_path, forwarded_query
from .refusals import RefusalMixin
from .upstream import MAX_BYTES, RETURNED_HEADERS, DashboardClient, DashboardUnreachable, Target

_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="gpucluster-refusal"><title>Dashboard</title>
<style>body {{ font: 14px/1.5 system-ui, sans-serif; margin: 3em; color: #333 }}</style>
</head><body><h1>No dashboard</h1><p>{message}</p></body></html>
"""


class DashboardHandler(AdmissionMixin, WebSocketMixin, WebSocketHandler, RefusalMixin):
    """One address of one dashboard; a page or a WebSocket."""

    auth_resource = AUTH_RESOURCE
    linkable = True
    _upstream: WebSocketClientConnection | None = None
    _relay: asyncio.Task[None] | None = None

    def initialize(self, control: AsyncControl, client: DashboardClient) -> None:
        """Take the long-lived objects of the extension."""
        self.control = control
        self.client = client

    async def prepare(self) -> None:  # type: ignore[override]
        """Authenticate: a page is sent to the login, a WebSocket is refused."""
        await JupyterHandler.prepare(self, _redirect_to_login=not self._wants_socket)
        self.admit()

    def refuse_stranger(self) -> None:
        """Send a person to the log-in."""
        if self._wants_socket:
            raise HTTPError(403)
        self.send_to_login()

    @ws_authenticated
    @authorized
    async def get(self, cluster: str, path: str | None = None) -> None:
        """Get a page, or open a WebSocket."""
        if not path:
            self.redirect(f"{self._public_path(cluster)}/status")
        elif self._wants_socket:
            await self._pass_socket(cluster, path)
        else:
            await self._pass_page(cluster, path)

    @authenticated
    @authorized
    async def head(self, cluster: str, path: str | None = None) -> None:
        """Get the headers of a page; Dask itself knows no HEAD."""
        await self._pass_page(cluster, path or "status")

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Say in a small page what is wrong."""
        message = self.refusal(status_code, **kwargs).message
        self.set_header("Content-Type", "text/html; charset=utf-8")
        self.finish(_PAGE.format(message=xhtml_escape(message)))

    @property
    def _wants_socket(self) -> bool:
        return self.request.headers.get("Upgrade", "").lower() == "websocket"

    def _public_path(self, cluster: str) -> str:
        return url_path_join(self.base_url, "gpucluster/dashboard", quote(cluster, safe=""))

    async def _target(self, cluster: str, path: str) -> Target:
        model = await self.control.get(cluster)
        if model.state.ended:
            # Its port may belong to somebody else by now.
            raise InvalidState(f"The cluster '{model.name}' has {model.state.value}: it has no dashboard any more.")
        address = self.control.dashboard(model.id)
        self._disguise = Disguise(address.prefix, self._public_path(cluster))
        return Target(address, checked_path(path), forwarded_query(self.request.query))

    async def _pass_page(self, cluster: str, path: str) -> None:
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
        self.finish(self._disguise.body(response.body or b"") or None)

    async def _pass_socket(self, cluster: str, path: str) -> None:
        offered = self.request.headers.get("Sec-WebSocket-Protocol", "")
        subprotocols = [name.strip() for name in offered.split(",") if name.strip()]
        self._upstream = await self.client.connect(await self._target(cluster, path), subprotocols)
        try:
            # Returns when the WebSocket has closed.
            await super().get()
        finally:
            self._upstream.close()

    @property
    def max_message_size(self) -> int:
        """Bound what a page may send."""
        return MAX_BYTES

    def select_subprotocol(self, subprotocols: list[str]) -> str | None:
        """Choose what the dashboard chose."""
        return self._upstream.selected_subprotocol if self._upstream else None

    def open(self, *args: str, **kwargs: str) -> None:
        """Start to pass on what the dashboard sends."""
        super().open(*args, **kwargs)
        self._relay = asyncio.create_task(self._pass_messages())

    async def on_message(self, message: str | bytes) -> None:
        """Pass on what the page sends."""
        if self._upstream is not None:
            try:
                await self._upstream.write_message(message, binary=isinstance(message, bytes))
            except WebSocketClosedError:
                self.close()

    def on_close(self) -> None:
        """Leave the dashboard, too."""
        if self._relay is not None:
            self._relay.cancel()
        if self._upstream is not None:
            self._upstream.close()

    async def _pass_messages(self) -> None:
        assert self._upstream is not None
        try:
            # One message at a time: a slow page slows down its own stream only.
            while (message := await self._upstream.read_message()) is not None:
                if isinstance(message, str):
                    message = self._disguise.text(message)
                await self.write_message(message, binary=isinstance(message, bytes))
        except WebSocketClosedError:
            return
        self.close(1001, "The dashboard has closed.")

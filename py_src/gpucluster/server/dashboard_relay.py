"""Pages and WebSockets of Dask's dashboard on their way through the Jupyter server, whoever may look at them.

Host, port and secret prefix come from our own record and never from the browser; the prefix never goes
to the browser. Only what is needed passes in either direction. Who is let in is said by what derives from this.
"""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from jupyter_server.base.websocket import WebSocketMixin
from tornado.escape import xhtml_escape
from tornado.websocket import WebSocketClientConnection, WebSocketClosedError, WebSocketHandler

from ..client.control import AsyncControl
from ..protocol.errors import InvalidState
from .proxied_path import Disguise, checked_path, forwarded_query
from .refusals import RefusalMixin
from .upstream import MAX_BYTES, RETURNED_HEADERS, DashboardClient, DashboardUnreachable, Target

_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="gpucluster-refusal"><title>Dashboard</title>
<style>body {{ font: 14px/1.5 system-ui, sans-serif; margin: 3em; color: #333 }}</style>
</head><body><h1>No dashboard</h1><p>{message}</p></body></html>
"""


class DashboardRelay(WebSocketMixin, WebSocketHandler, RefusalMixin):
    """Passes on one address of one dashboard; a page or a WebSocket."""

    _upstream: WebSocketClientConnection | None = None
    _relay: asyncio.Task[None] | None = None
    control: AsyncControl
    client: DashboardClient

    @abstractmethod
    def public_path(self, cluster: str) -> str:
        """Return the path of the dashboard on this server, for a browser."""

    def fit_page(self, body: bytes) -> bytes:
        """Return a page as it is shown here."""
        return body

    def passed_on(self, message: str | bytes) -> Sequence[str | bytes]:
        """Return what goes on to the dashboard of something that the page sends."""
        return (message,)

    def shown(self, message: str) -> str:
        """Return a text that the dashboard sends as the page gets it."""
        return message

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Say in a small page what is wrong."""
        message = self.refusal(status_code, **kwargs).message
        self.set_header("Content-Type", "text/html; charset=utf-8")
        self.finish(_PAGE.format(message=xhtml_escape(message)))

    @property
    def wants_socket(self) -> bool:
        """Whether a WebSocket is to be opened."""
        return self.request.headers.get("Upgrade", "").lower() == "websocket"

    async def _target(self, cluster: str, path: str) -> Target:
        model = await self.control.get(cluster)
        if model.state.ended:
            # Its port may belong to somebody else by now.
            raise InvalidState(f"The cluster '{model.name}' has {model.state.value}: it has no dashboard any more.")
        address = self.control.dashboard(model.id)
        self._disguise = Disguise(address.prefix, self.public_path(cluster))
        return Target(address, checked_path(path), forwarded_query(self.request.query))

    async def pass_page(self, cluster: str, path: str) -> None:
        """Get a page and give it to the browser."""
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
                for frame in self.passed_on(message):
                    await self._upstream.write_message(frame, binary=isinstance(frame, bytes))
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
                    message = self.shown(self._disguise.text(message))
                await self.write_message(message, binary=isinstance(message, bytes))
        except WebSocketClosedError:
            return
        self.close(1001, "The dashboard has closed.")

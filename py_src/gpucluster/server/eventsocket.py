"""The WebSocket ``gpucluster/api/events``."""

from __future__ import annotations

import asyncio
from typing import Any

from jupyter_server.auth.decorator import authorized, ws_authenticated
from jupyter_server.base.websocket import WebSocketMixin
from tornado.websocket import WebSocketClosedError, WebSocketHandler

from .api import AUTH_RESOURCE
from .eventpump import EventPump, Viewer
from .refusals import RefusalMixin
from .standby import StandbyKeeper

MAX_MESSAGE_BYTES = 1024
"""A viewer has nothing to say."""


class EventsHandler(WebSocketMixin, WebSocketHandler, RefusalMixin):
    """Sends events to one page; login and origin are checked before the upgrade."""

    auth_resource = AUTH_RESOURCE
    _viewer: Viewer | None = None
    _sender: asyncio.Task[None] | None = None

    def initialize(self, pump: EventPump, standby: StandbyKeeper) -> None:
        """Take the long-lived objects of the extension."""
        self.pump = pump
        self.standby = standby

    @property
    def max_message_size(self) -> int:
        """Bound what a page may send."""
        return MAX_MESSAGE_BYTES

    @ws_authenticated
    @authorized
    async def get(self, *args: Any, **kwargs: Any) -> None:
        """Upgrade to a WebSocket."""
        await super().get(*args, **kwargs)

    def open(self, *args: str, **kwargs: str) -> None:
        """Attach to the pump."""
        super().open(*args, **kwargs)
        self.standby.used()
        self._viewer = self.pump.attach()
        self._sender = asyncio.create_task(self._send(self._viewer))

    def on_message(self, message: str | bytes) -> None:
        """Ignore what a page says."""

    def on_close(self) -> None:
        """Detach from the pump."""
        if self._viewer is not None:
            self.pump.detach(self._viewer)
        if self._sender is not None:
            self._sender.cancel()

    async def _send(self, viewer: Viewer) -> None:
        try:
            while True:
                for text in await viewer.take():
                    # Waits while the page is slow; what comes meanwhile is put together by the viewer.
                    await self.write_message(text)
        except WebSocketClosedError:
            pass

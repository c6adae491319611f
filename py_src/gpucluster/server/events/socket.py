"""The WebSocket ``gpucluster/api/events``."""

from __future__ import annotations

import asyncio
from typing import Any

from jupyter_server.auth.decorator import authorized, ws_authenticated
from jupyter_server.base.websocket import WebSocketMixin
from tornado.websocket import WebSocketClosedError, WebSocketHandler

from ...client.control import AsyncControl
from ..admission import AdmissionMixin, RefusalMixin
from ..api import AUTH_RESOURCE
from ..standby import StandbyKeeper
from .pump import EventPump
from .viewers import EventMessage, Viewer

MAX_MESSAGE_BYTES = 1024  # Viewers' messages are ignored.


class EventsHandler(AdmissionMixin, WebSocketMixin, WebSocketHandler, RefusalMixin):
    """Sends events to one page; login and origin are checked before the upgrade."""

    auth_resource = AUTH_RESOURCE
    control: AsyncControl
    pump: EventPump
    standby: StandbyKeeper
    _viewer: Viewer | None = None
    _plain = True

    @property
    def max_message_size(self) -> int:
        return MAX_MESSAGE_BYTES

    @ws_authenticated
    @authorized
    async def get(self, *args: Any, **kwargs: Any) -> None:
        # The list of clusters then reports the error.
        self.control.registry.check_directory()
        await super().get(*args, **kwargs)

    def open(self, *args: str, **kwargs: str) -> None:
        super().open(*args, **kwargs)
        self.standby.used()
        # With WebSocket compression, which a site may enable, frames differ between viewers.
        self._plain = self.get_compression_options() is None
        self._viewer = self.pump.attach(self._write, self.close)

    def on_message(self, message: str | bytes) -> None:
        """Ignore messages of a page."""

    def on_close(self) -> None:
        if self._viewer is not None:
            self.pump.detach(self._viewer)

    def _write(self, message: EventMessage) -> asyncio.Future[Any]:
        stream = self.ws_connection.stream if self.ws_connection is not None else None
        if stream is None:
            raise WebSocketClosedError
        if self._plain:
            # The same bytes for all viewers; write_message would create a frame and a task for each.
            return stream.write(message.frame)
        return self.write_message(message.payload, binary=message.compressed)

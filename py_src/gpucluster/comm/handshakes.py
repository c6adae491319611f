"""Limits on connections that have not authenticated.

Each of them takes an open file and memory of the scheduler; distributed itself waits for them forever.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from ..dask_internals.listening import tls_servers

if TYPE_CHECKING:
    from tornado.httpserver import HTTPServer
    from tornado.httputil import HTTPServerRequest
    from tornado.iostream import IOStream

logger = logging.getLogger("gpucluster.comm")

PATIENCE_SECONDS = 30.0  # As long as a peer on a busy machine tries to connect (``distributed.comm.timeouts.connect``).
MOST_UNFINISHED = 512  # More than the workers of a cluster, which connect at the same moment when it starts.

Handle = Callable[["IOStream", Any], Awaitable[None]]
Handshake = Callable[[Any], Awaitable[Any]]


class UnprovenConnections:
    """Connections that have not authenticated yet: a limited number, each for a limited time."""

    def __init__(self) -> None:
        self._timers: dict[IOStream, asyncio.TimerHandle] = {}

    def add(self, stream: IOStream) -> None:
        """Start the timeout of a new connection; if there are too many, close the oldest."""
        if len(self._timers) >= MOST_UNFINISHED:
            self._give_up(next(iter(self._timers)))  # Members of the cluster need only a moment.
        self._timers[stream] = asyncio.get_running_loop().call_later(PATIENCE_SECONDS, self._give_up, stream)

    def remove(self, stream: IOStream) -> None:
        """Stop the timeout: it has authenticated, or is closed."""
        if (timer := self._timers.pop(stream, None)) is not None:
            timer.cancel()

    def _give_up(self, stream: IOStream) -> None:
        self.remove(stream)
        stream.close()


class HandshakeLimit:
    """Passes connections on to ``handle``, of a tornado ``TCPServer``, after their handshake.

    ``handshake`` gets the stream and raises ``OSError`` if it fails; default: that of TLS.
    """

    def __init__(self, handle: Handle, handshake: Handshake = lambda stream: stream.wait_for_handshake()) -> None:
        self._handle = handle
        self._handshake = handshake
        self._unproven = UnprovenConnections()

    async def handle_stream(self, stream: IOStream, address: Any) -> None:
        """Wait for the handshake of a new connection, with a timeout."""
        self._unproven.add(stream)
        stream.set_close_callback(lambda: self._unproven.remove(stream))
        try:
            await self._handshake(stream)
        except OSError as error:
            stream.close()
            logger.info("A connection that does not belong to this cluster was closed (%s)", error)
            return
        finally:
            self._unproven.remove(stream)
        stream.set_close_callback(None)
        await self._handle(stream, address)


class FirstRequestLimit:
    """Limits connections to a server's web pages before their first request below the secret path."""

    def __init__(self, server: HTTPServer) -> None:
        self._unproven = UnprovenConnections()
        self._handle = server.handle_stream
        server.handle_stream = self._handle_stream  # type: ignore[method-assign]

    def let_in(self, request: HTTPServerRequest) -> None:
        """Keep the connection of a request that has the secret."""
        self._unproven.remove(request.connection.stream)  # type: ignore[union-attr]  # tornado has HTTP/1 only

    def _handle_stream(self, stream: IOStream, address: tuple[Any, ...]) -> None:
        self._unproven.add(stream)
        self._handle(stream, address)


def limit_handshakes(scheduler: Any) -> None:
    """Limit the handshakes of each TLS listener of a scheduler, once."""
    for server in tls_servers(scheduler):
        known = getattr(server.handle_stream, "__self__", None)
        if not isinstance(known, HandshakeLimit):
            server.handle_stream = HandshakeLimit(server.handle_stream).handle_stream

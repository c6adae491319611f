"""Bounds on those who connect and do not show that they belong to the cluster.

Each of them holds an open file and memory of the scheduler; distributed itself waits for them for ever.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from ..dask_internals.listening import tls_servers

if TYPE_CHECKING:
    from tornado.iostream import IOStream

logger = logging.getLogger("gpucluster.comm")

PATIENCE_SECONDS = 30.0
"""As long as a worker or client on a very busy machine tries to connect (``distributed.comm.timeouts.connect``)."""
MOST_UNFINISHED = 512
"""More than all workers of a cluster, which connect at the same moment when it starts."""

Handle = Callable[["IOStream", Any], Awaitable[None]]


async def _tls(stream: Any) -> None:
    await stream.wait_for_handshake()


class HandshakeLimit:
    """Passes connections on to whoever handles them as soon as their handshake is done.

    Parameters
    ----------
    handle : callable
        ``handle_stream`` of a tornado ``TCPServer``.
    handshake : callable, optional
        Given the stream; returns when it is done, and raises ``OSError`` where it fails; default: that of TLS.
    """

    def __init__(self, handle: Handle, handshake: Callable[[IOStream], Awaitable[None]] = _tls) -> None:
        self._handle = handle
        self._handshake = handshake
        self._unfinished: dict[IOStream, asyncio.TimerHandle] = {}

    async def handle_stream(self, stream: IOStream, address: Any) -> None:
        """Wait for the handshake of a new connection, for a bounded time."""
        if len(self._unfinished) >= MOST_UNFINISHED:
            # The oldest: those who belong here need a moment only.
            next(iter(self._unfinished)).close()
        timer = asyncio.get_running_loop().call_later(PATIENCE_SECONDS, stream.close)
        self._unfinished[stream] = timer
        stream.set_close_callback(lambda: self._forget(stream))
        try:
            await self._handshake(stream)
        except OSError as error:
            stream.close()
            logger.info("A connection that does not belong to this cluster was closed (%s)", error)
            return
        finally:
            self._forget(stream)
        stream.set_close_callback(None)
        await self._handle(stream, address)

    def _forget(self, stream: IOStream) -> None:
        timer = self._unfinished.pop(stream, None)
        if timer is not None:
            timer.cancel()


def limit_handshakes(scheduler: Any) -> None:
    """Put a handshake limit in front of each TLS listener of a scheduler that has none."""
    for server in tls_servers(scheduler):
        known = getattr(server.handle_stream, "__self__", None)
        if not isinstance(known, HandshakeLimit):
            server.handle_stream = HandshakeLimit(server.handle_stream).handle_stream

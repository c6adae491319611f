"""The comm backend: what distributed loads for the scheme."""

from __future__ import annotations

import asyncio
import hmac
import itertools
import logging
import os
import socket
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import dask
from distributed.comm.core import Connector
from distributed.comm.registry import Backend
from tornado.iostream import IOStream, StreamClosedError
from tornado.tcpserver import TCPServer

from ..dask_internals.comm_parts import (
    MAX_BUFFER_BYTES,
    BaseListener,
    CommClosedError,
    FatalCommClosedError,
    StreamComm,
)
from ..operating_system.files import short_address
from ..operating_system.sockets import peer_of
from . import folder as folders
from .folder import HOST, PREFIX, SECRET_BYTES, address_of, path_of
from .handshakes import HandshakeLimit

if TYPE_CHECKING:
    from distributed.comm.core import Comm

logger = logging.getLogger("gpucluster.comm")

FULL_QUEUE_SECONDS = 0.01
SEND_BUFFER_BYTES = 2**20
"""What a side may send ahead of its reader, if the system allows it. With the default, 208 KiB on Linux and 8 KiB on
macOS, the two processes alternate more often, and blocks of 64 MiB take 1.3 times as long."""
_ENDED = "this cluster has ended"


class UnixConnector(Connector):
    """Connects to a socket in a comm folder."""

    async def connect(self, address: str, deserialize: bool = True, **connection_args: Any) -> Comm:
        """Connect to a socket, and send the folder's secret.

        Raises `CommClosedError` if nothing listens, and `FatalCommClosedError` if the cluster has ended or belongs to
        another user.
        """
        path = path_of(address)
        try:
            secret = folders.secret_of(os.path.dirname(path))
        except OSError as error:
            # Without a path: messages to users name the cluster. It does not come back, so this is fatal.
            raise FatalCommClosedError(
                f"{_ENDED}, or is not yours: its secret cannot be read ({error.strerror})"
            ) from error
        try:
            connection = await _connected(path)
        except OSError as error:
            if not os.path.isdir(os.path.dirname(path)):  # The secret was known from before.
                raise FatalCommClosedError(f"{_ENDED}; gpucluster.list() shows running ones") from error
            raise CommClosedError(f"connection refused ({type(error).__name__}: {error.strerror})") from error
        process, user = peer_of(connection)
        if user not in {os.getuid(), None}:
            connection.close()
            raise FatalCommClosedError("the socket belongs to another user")
        stream = IOStream(connection, max_buffer_size=MAX_BUFFER_BYTES)
        try:
            await stream.write(secret)
        except StreamClosedError as error:
            raise CommClosedError(str(error)) from error
        except BaseException:
            stream.close()
            raise
        peer = address_of(path)
        local = f"{peer}#{os.getpid()}-{next(_numbers)}"
        return StreamComm(stream, local, peer, deserialize, {"pid": process, "uid": user})


async def _connected(path: str) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.setblocking(False)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
        while True:
            try:
                with short_address(path) as address:
                    connection.connect(address)
            except BlockingIOError:
                # Many connect at the same moment; the caller has a timeout.
                await asyncio.sleep(FULL_QUEUE_SECONDS)
            else:
                return connection
    except BaseException:
        connection.close()
        raise


_numbers = itertools.count(1)


class UnixListener(BaseListener):
    """Listens on a new socket in a comm folder, as distributed's own listeners do."""

    prefix = PREFIX  # Workers write it to their log.

    def __init__(self, folder: str, comm_handler: Any, deserialize: bool, allow_offload: bool) -> None:
        super().__init__()
        self.comm_handler = comm_handler
        self._folder = folder
        self._deserialize = deserialize
        self._allow_offload = allow_offload
        self._server: TCPServer | None = None
        self._path: str | None = None

    async def start(self) -> None:
        self._secret = folders.secret_of(self._folder)
        folders.sweep(self._folder)
        backlog = int(dask.config.get("distributed.comm.socket-backlog"))
        listening, self._path = folders.bind(self._folder, backlog=backlog)
        self._server = TCPServer(max_buffer_size=MAX_BUFFER_BYTES)
        limit = HandshakeLimit(self._handle, handshake=self._is_let_in)
        self._server.handle_stream = limit.handle_stream  # type: ignore[method-assign]
        self._server.add_socket(listening)

    def stop(self) -> None:
        server, self._server = self._server, None
        if server is not None:
            server.stop()
            assert self._path is not None
            with suppress(OSError):
                os.unlink(self._path)

    async def _is_let_in(self, stream: IOStream) -> None:
        _, user = peer_of(stream.socket)
        if user not in {os.getuid(), None}:
            raise PermissionError("it belongs to another user")
        if not hmac.compare_digest(await stream.read_bytes(SECRET_BYTES), self._secret):
            raise PermissionError("it does not know the secret")

    async def _handle(self, stream: IOStream, address: Any) -> None:
        if self._server is None:
            # It came after those that were closed with the listener, and would stay open.
            stream.close()
            return
        stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
        process, user = peer_of(stream.socket)
        peer = f"{self.listen_address}#{process or 0}-{next(_numbers)}"
        comm = StreamComm(stream, self.listen_address, peer, self._deserialize, {"pid": process, "uid": user})
        comm.allow_offload = self._allow_offload
        try:
            await self.on_connection(comm)
        except CommClosedError:
            return
        await self.comm_handler(comm)

    @property
    def listen_address(self) -> str:
        if self._path is None:
            raise ValueError("this listener has not started")
        return address_of(self._path)

    @property
    def contact_address(self) -> str:
        return self.listen_address


class UnixBackend(Backend):
    """The scheme, for distributed."""

    def get_connector(self) -> Connector:
        return UnixConnector()

    def get_listener(
        self, loc: str, handle_comm: Any, deserialize: bool, allow_offload: bool = True, **connection_args: Any
    ) -> UnixListener:
        """Return a listener.

        ``loc``: the comm folder instead of a host, and a port without meaning; default: the configured folder
        (``gpucluster.comm-folder``), as in workers.
        """
        folder = path_of(loc.rpartition(":")[0]) or dask.config.get("gpucluster.comm-folder", None)
        if not folder:
            raise ValueError(
                f"{PREFIX} needs a cluster's folder. Create a cluster with gpucluster.create(), and scale it with "
                "cluster.scale(). For workers started by hand, with 'dask worker', create it with protocol='tcp', "
                "which anyone on this machine can reach, or 'tls'."
            )
        return UnixListener(folder, handle_comm, deserialize, allow_offload)

    def get_address_host(self, loc: str) -> str:
        """Return the same host for all, which are on one machine."""
        return HOST

    def get_address_host_port(self, loc: str) -> tuple[str, int]:
        """Raise `ValueError`: there is no port."""
        raise ValueError(
            f"{PREFIX}{loc} has no port: this cluster listens on unix sockets. For a program that needs host and port, "
            "create the cluster with protocol='tcp', which anyone on this machine can reach, or 'tls'."
        )

    def resolve_address(self, loc: str) -> str:
        return loc

    def get_local_address_for(self, loc: str) -> str:
        """Return the folder: all who use it can reach a listener there."""
        return f"{os.path.dirname(path_of(loc))}:0"

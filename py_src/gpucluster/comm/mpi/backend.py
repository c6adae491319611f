"""The comm backend that distributed loads for ``mpi://``, with its connections between ranks."""

from __future__ import annotations

import asyncio
import weakref
from typing import TYPE_CHECKING, Any

from distributed.comm.core import Connector
from distributed.comm.registry import Backend, get_backend

from ...dask_internals.comm_parts import BaseListener, Comm, CommClosedError, from_frames, parse_host_port, to_frames
from . import engine as engines
from .channel import Channel
from .engine import Engine
from .world import PREFIX, Location, World, here, parse

if TYPE_CHECKING:
    from distributed.comm.core import Comm


class RankComm(Comm):
    """Messages to and from one other rank."""

    def __init__(
        self, engine: Engine, channel: Channel, local_address: str, peer_address: str, deserialize: bool
    ) -> None:
        super().__init__(deserialize=deserialize)
        self._engine = engine
        self._channel = channel
        self._local_addr = local_address
        self._peer_addr = peer_address
        # When it is garbage-collected, in any thread, it is closed for the other side, too.
        self._finalizer = weakref.finalize(self, _close_later, engine, channel)
        self._finalizer.atexit = False

    @property
    def local_address(self) -> str:
        return self._local_addr

    @property
    def peer_address(self) -> str:
        return self._peer_addr

    @property
    def same_host(self) -> bool:
        return self._engine.world.bell.is_near(self._channel.peer)

    @property
    def extra_info(self) -> dict[str, Any]:
        return {"rank": self._channel.peer}

    async def read(self, deserializers: Any = None) -> Any:
        channel = self._channel
        self._require_open()
        while (message := channel.take()) is None:
            await channel.wait()
            self._require_open()
        if message.envelope is None:
            self.abort()
            raise CommClosedError(f"rank {channel.peer} has closed the connection")
        self._engine.received(channel)
        try:
            return await from_frames(
                message.envelope.frames(message.buffers),
                deserialize=self.deserialize,
                deserializers=deserializers,
                allow_offload=self.allow_offload,
            )
        except EOFError:
            self.abort()
            raise CommClosedError("a message is incomplete") from None

    async def write(self, msg: Any, serializers: Any = None, on_error: Any = "message") -> int:
        self._require_open()
        frames = await to_frames(
            msg,
            allow_offload=self.allow_offload,
            serializers=serializers,
            on_error=on_error,
            context={"sender": self.local_info, "recipient": self.remote_info, **self.handshake_options},
        )
        self._require_open()  # It may have been closed meanwhile.
        if self._channel.closed_there:
            raise CommClosedError(f"rank {self._channel.peer} has closed the connection")
        self._engine.send(self._channel, frames)
        return sum(memoryview(frame).nbytes for frame in frames)

    async def close(self) -> None:
        self.abort()

    def abort(self) -> None:
        self._finalizer.detach()
        self._engine.close(self._channel)

    def closed(self) -> bool:
        return self._channel.closed_here or self._channel.failure is not None

    def _require_open(self) -> None:
        if self._channel.failure is not None:
            raise CommClosedError(self._channel.failure)
        if self._channel.closed_here:
            raise CommClosedError("the connection is closed")


def _close_later(engine: Engine, channel: Channel) -> None:
    if not engine.loop.is_closed():
        engine.loop.call_soon_threadsafe(engine.close, channel)


class RankConnector(Connector):
    """Connects by MPI if both sides are ranks of one world, otherwise to the port of the address."""

    async def connect(self, address: str, deserialize: bool = True, **connection_args: Any) -> Comm:
        """Connect to a rank; the other arguments are for the port, with TLS."""
        location = parse(address)
        world = here()
        if world is not None and location.world == world.name and location.rank is not None:
            engine = engines.started(world)
            if engine is not None:
                local, peer = _unlistened(world, world.rank), f"{PREFIX}{location}"
                return RankComm(engine, engine.open(location.rank, _port_of(location)), local, peer, deserialize)
        by_port = _by_port(connection_args).get_connector()
        made: Comm = await by_port.connect(location.port, deserialize, **connection_args)
        return made


class RankListener(BaseListener):
    """Listens for ranks, and at a port for all others."""

    prefix = PREFIX  # Workers write it to their log.

    def __init__(self, port: Any, comm_handler: Any, deserialize: bool, allow_offload: bool) -> None:
        super().__init__()
        self._port = port
        self.comm_handler = comm_handler
        self._deserialize = deserialize
        self._allow_offload = allow_offload
        self._world: World | None = None
        self._serving: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Start listening; `RuntimeError` if this process has not joined, or listens in another event loop."""
        world = here()
        if world is None:
            # Joining here would wait for ranks that may never do so.
            raise RuntimeError(
                f"{PREFIX} is for ranks of an MPI program that have joined each other: call "
                "gpucluster.comm.mpi.world.join() in all of them first, or create a cluster with "
                "gpucluster.create('mpi', protocol='mpi')"
            )
        engine = engines.started(world)
        if engine is None:
            raise RuntimeError("servers of a rank that listen by MPI share one event loop; give others protocol='tls'")
        await self._port.start()
        self._world = world
        engine.listen(_port_of(parse(self.contact_address)), self._accept)

    def stop(self) -> Any:
        engine = engines.started(self._world) if self._world is not None else None
        if engine is not None:
            engine.stop_listening(_port_of(parse(self.contact_address)))
        return self._port.stop()

    def abort_handshaking_comms(self) -> None:
        super().abort_handshaking_comms()
        self._port.abort_handshaking_comms()

    def _accept(self, channel: Channel) -> None:
        task = asyncio.ensure_future(self._serve(channel))
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)

    async def _serve(self, channel: Channel) -> None:
        assert self._world is not None
        engine = engines.started(self._world)
        if engine is None:
            return  # MPI has failed meanwhile.
        peer = _unlistened(self._world, channel.peer)
        comm = RankComm(engine, channel, self.contact_address, peer, self._deserialize)
        comm.allow_offload = self._allow_offload
        try:
            await self.on_connection(comm)
        except CommClosedError:
            return
        await self.comm_handler(comm)

    @property
    def listen_address(self) -> str:
        """The address with scheme, without the rank before it listens."""
        return self._with_rank(self._port.listen_address)

    @property
    def contact_address(self) -> str:
        """The address with scheme: port, rank, world."""
        return self._with_rank(self._port.contact_address)

    def _with_rank(self, address: str) -> str:
        port = address.partition("://")[2]
        world = self._world
        return f"{PREFIX}{Location(port, world.rank, world.name) if world is not None else port}"


class RankBackend(Backend):
    """The scheme, for distributed."""

    def get_connector(self) -> Connector:
        return RankConnector()

    def get_listener(
        self, loc: str, handle_comm: Any, deserialize: bool, allow_offload: bool = True, **connection_args: Any
    ) -> RankListener:
        """Return a listener; ``loc``: host and port, as for TLS."""
        place = parse(loc).port
        port = _by_port(connection_args).get_listener(
            place, handle_comm, deserialize, allow_offload=allow_offload, **connection_args
        )
        return RankListener(port, handle_comm, deserialize, allow_offload)

    def get_address_host(self, loc: str) -> str:
        return self.get_address_host_port(loc)[0]

    def get_address_host_port(self, loc: str) -> tuple[str, int]:
        host, port = parse_host_port(parse(loc).port)
        return host, int(port)

    def resolve_address(self, loc: str) -> str:
        """Return the address with the host's IP address."""
        location = parse(loc)
        return str(Location(get_backend("tcp").resolve_address(location.port), location.rank, location.world))

    def get_local_address_for(self, loc: str) -> str:
        """Return the address of this host towards another."""
        local: str = get_backend("tcp").get_local_address_for(parse(loc).port)
        return local


def _by_port(connection_args: dict[str, Any]) -> Backend:
    return get_backend("tls" if connection_args.get("ssl_context") is not None else "tcp")


def _port_of(location: Location) -> int:
    return int(parse_host_port(location.port)[1])


def _unlistened(world: World, rank: int) -> str:
    """Return the address of a rank that is only shown and never connected to."""
    return f"{PREFIX}{Location(f'{world.hosts[rank]}:0', rank, world.name)}"

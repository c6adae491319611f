"""The comm backend: what distributed loads for ``mpi://``."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from distributed.comm.core import Connector
from distributed.comm.registry import Backend, get_backend

from ...dask_internals.comm_parts import BaseListener, CommClosedError, parse_host_port
from . import engine as engines
from .address import PREFIX, Location, parse
from .connection import RankComm
from .world import World, here

if TYPE_CHECKING:
    from distributed.comm.core import Comm

    from .channel import Channel


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

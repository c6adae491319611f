"""What the ranks of one program share: a private communicator, a name, and the bells that wake them.

A bell is needed because MPI has nothing that a process can wait for together with its other work. Each rank has a
datagram socket. A rank that has sent something through MPI rings the bell of the receiver, whose event loop then polls
MPI. On one machine it is an abstract unix socket, which opens no port; between machines it is a UDP port, which ignores
datagrams without the world's secret.

A ring contains the number of envelopes that its sender has sent so far. If MPI finds none, one may still be on its way:
MPI may have been busy with any number of other packets, or the network was slower than the ring. So a rank polls until
it has as many as were announced. The next ring makes up for a lost one, and a ring for which a rank has no room is
repeated. If the last ring is lost on a network, that costs ``engine.LONGEST_SLEEP_SECONDS`` at most.

Importing this module imports nothing of Dask or MPI.
"""

from __future__ import annotations

import hmac
import os
import re
import secrets
import socket
import struct
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ...operating_system.resources import SHARED_MEMORY, mapped_files, may_read_each_other
from ...operating_system.sockets import nameless_datagrams, place_on_network

SCHEME = "mpi"
PREFIX = f"{SCHEME}://"
_RANK = re.compile(r"(\d{1,7})\.([0-9a-f]{16})")


@dataclass(frozen=True)
class Location:
    """Where a server listens."""

    port: str  # ``host:port`` of the listener for all that are not ranks of the world.
    rank: int | None = None  # ``None``: not known before it listens.
    world: str = ""

    def __str__(self) -> str:
        return self.port if self.rank is None else f"{self.port}/{self.rank}.{self.world}"


def parse(location: str) -> Location:
    """Read an address, with or without its scheme; `ValueError` if its rank is malformed."""
    port, slash, rank = location.removeprefix(PREFIX).partition("/")
    if not slash:
        return Location(port)
    found = _RANK.fullmatch(rank)
    if found is None:
        raise ValueError(f"{PREFIX}{location.removeprefix(PREFIX)!s} is not the address of a rank: {rank!r}")
    return Location(port, int(found[1]), found[2])


def prepare_library() -> None:
    """Let MPICH copy large messages within one machine once instead of twice, if processes may read each other.

    Its default takes several times as long for 64 MiB. Open MPI does this automatically.
    Existing environment variables are kept.
    """
    if may_read_each_other():
        os.environ.setdefault("MPIR_CVAR_CH4_CMA_ENABLE", "1")


def forget_names_of_shared_memory(world: Any) -> None:
    """Unlink MPICH's shared memory, all ranks together: killed ranks would leave megabytes until a restart."""
    paths = [path for path in mapped_files() if path.startswith(f"{SHARED_MEMORY}/mpich_shm_")]
    world.Barrier()
    for path in paths:
        with suppress(OSError):  # Another rank of this machine was faster.
            os.unlink(path)


_NAME_BYTES = 8
_joined: World | None = None


class World:
    """All ranks of this program. Made by ``join``."""

    def __init__(self, communicator: Any, host: str) -> None:
        # A copy, so that no message of user code or of gpucluster.learn is taken for one of Dask's.
        self.communicator: Any = communicator.Dup()
        self.rank: int = self.communicator.Get_rank()
        self.size: int = self.communicator.Get_size()
        token: bytes = self.communicator.bcast(secrets.token_bytes(_NAME_BYTES + SECRET_BYTES), root=0)
        self.name = token[:_NAME_BYTES].hex()
        self.bell = Bell(host)
        places = self.communicator.allgather((host, self.bell.place))
        self.hosts: list[str] = [host for host, _ in places]  # Address of the host of each rank.
        self.bell.meet([place for _, place in places], token[_NAME_BYTES:], self.rank)


def join(host: str) -> World:
    """Join the other ranks, which must all call this. Further calls return the same world.

    ``host``: the address by which ranks of other machines reach this one. Raises `RuntimeError` if MPI does not support
    several threads, which Dask has.
    """
    global _joined
    if _joined is None:
        from mpi4py import MPI

        if MPI.Query_thread() < MPI.THREAD_MULTIPLE:
            raise RuntimeError(
                "protocol 'mpi' needs an MPI that allows calls from several threads (MPI_THREAD_MULTIPLE), but "
                f"{MPI.Get_library_version().splitlines()[0].strip()} was started without it. Create the cluster with "
                "protocol='tls', or load another MPI"
            )
        _joined = World(MPI.COMM_WORLD, host)
    return _joined


def here() -> World | None:
    """Return the world that this process has joined; ``None``: none."""
    return _joined


SECRET_BYTES = 16
_RING = struct.Struct("<IQ")  # The sender's rank, and how many envelopes it has sent to the receiver.
_RING_BYTES = SECRET_BYTES + _RING.size


@dataclass(frozen=True)
class Place:
    """The addresses of a rank's bell."""

    machine: str  # The same for ranks that reach each other's unix sockets.
    path: bytes | None  # Abstract name of the unix socket.
    port: tuple[str, int] | None


class Bell:
    """The bell of this rank, on other machines reached at ``host``."""

    def __init__(self, host: str) -> None:
        self._near = nameless_datagrams()
        path: bytes | None = self._near.getsockname() if self._near is not None else None
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._far: socket.socket | None = socket.socket(family, socket.SOCK_DGRAM)
        self._far.bind((host, 0))
        for one in self.sockets:
            one.setblocking(False)
        self.place = Place(place_on_network(), path, self._far.getsockname()[:2])
        self._others: list[Place] = []
        self._secret = b""
        self._rank = 0
        self._sent: list[int] = []  # Envelopes sent to each rank.
        self._taken: list[int] = []  # Envelopes received from each rank.
        self._announced: list[int] = []  # Envelopes announced by each rank.
        self._missing: set[int] = set()  # Ranks that announced more than was received.
        self._unheard: set[int] = set()  # Ranks that had no room for a ring.

    @property
    def sockets(self) -> list[socket.socket]:
        return [one for one in (self._near, self._far) if one is not None]

    def meet(self, others: list[Place], secret: bytes, rank: int) -> None:
        """Set the places of all ranks and the world's secret; close the port if it is not needed."""
        self._others, self._secret, self._rank = others, secret, rank
        self._sent, self._taken, self._announced = ([0] * len(others) for _ in range(3))
        if self._far is not None and all(self._is_near(place) for place in others):
            self._far.close()
            self._far = None

    def announce(self, rank: int) -> None:
        """Count an envelope that was sent to a rank, and wake it."""
        self._sent[rank] += 1
        self.ring(rank)

    def ring(self, rank: int) -> None:
        place = self._others[rank]
        ring = self._secret + _RING.pack(self._rank, self._sent[rank])
        self._unheard.discard(rank)
        try:
            if self._is_near(place):
                assert self._near is not None and place.path is not None
                self._near.sendto(ring, place.path)
            elif self._far is not None and place.port is not None:
                self._far.sendto(ring, place.port)
        except BlockingIOError:
            self._unheard.add(rank)
        except OSError:
            pass  # It has ended.

    def ring_again(self) -> None:
        for rank in tuple(self._unheard):
            self.ring(rank)

    def took(self, rank: int) -> None:
        self._taken[rank] += 1
        if self._taken[rank] >= self._announced[rank]:
            self._missing.discard(rank)

    @property
    def is_waiting(self) -> bool:
        """Whether an envelope is on its way to this rank, or a ring must be repeated."""
        return bool(self._missing or self._unheard)

    def is_near(self, rank: int) -> bool:
        return self.place.machine == self._others[rank].machine

    def heard(self) -> bool:
        """Receive all rings; return whether one of them was valid."""
        ours = False
        for one in self.sockets:
            with suppress(OSError):
                for _ in range(64):
                    ours |= self._is_ours(one.recv(_RING_BYTES + 1))
        return ours

    def _is_ours(self, ring: bytes) -> bool:
        if len(ring) != _RING_BYTES or not hmac.compare_digest(ring[:SECRET_BYTES], self._secret):
            return False
        rank, sent = _RING.unpack_from(ring, SECRET_BYTES)
        self._announced[rank] = max(sent, self._announced[rank])
        if self._taken[rank] < sent:
            self._missing.add(rank)
        return True

    def close(self) -> None:
        for one in self.sockets:
            one.close()
        self._near = self._far = None

    def _is_near(self, place: Place) -> bool:
        return self._near is not None and place.path is not None and place.machine == self.place.machine

"""What lesson 12 measures links with, what it simulates, and published figures."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

import numpy as np

from ....comm.folder import PREFIX, SCHEME, make_comm_folder
from ....dask_internals.listening import known_transports, listener, payload
from ..lesson_09_mpi_and_dask.probes import run_coroutine
from .echoing import ENCRYPTED, HOST, security_of

if TYPE_CHECKING:
    from distributed import Client


# How long a message takes, by its size, over every transport that is there: a ping-pong between two processes.


SIZES = (1, 1_000, 10_000, 100_000, 1_000_000, 4_000_000, 16_000_000)
"""Bytes of a message."""
MEASURED = ("inproc", SCHEME, "tcp", "tls", "ws")
"""Transports of Dask that are measured between two processes of this machine (``inproc``: within one)."""
_NOT_MEASURED = {"wss", "gpucluster"}
"""``tls`` tells what encryption costs; ``gpucluster://`` looks up a cluster by its name, and carries nothing."""
BETWEEN_RANKS = "mpi"
"""A transport whose two ends must be ranks of one MPI program; measured so where a package has registered it."""


@dataclass(frozen=True)
class Link:
    """What a ping-pong over one transport took.

    Attributes
    ----------
    name : str
        The transport.
    sizes : tuple of int
        Bytes of each message.
    seconds : tuple of float
        One way, the shortest of the repeats: half of a round trip.
    where : str
        Between what it was measured.
    same_object : bool
        Whether what arrives *is* what was sent, so that nothing was copied.
    """

    name: str
    sizes: tuple[int, ...]
    seconds: tuple[float, ...]
    where: str
    same_object: bool = False

    def __repr__(self) -> str:
        told = ", ".join(f"{size:,} B {1e6 * one:,.0f} µs" for size, one in zip(self.sizes, self.seconds, strict=True))
        return f"{self.name} ({self.where}): {told}"


def registered() -> list[str]:
    """Return the beginnings of addresses that Dask knows here: its own and those of installed packages."""
    from importlib.metadata import entry_points

    found = {entry.name for entry in entry_points(group="distributed.comm.backends")}
    return sorted(found | known_transports())


def measure_links(sizes: Sequence[int] = SIZES, schemes: Iterable[str] | None = None) -> dict[str, Link]:
    """Send messages to and fro over each transport, and name the registered ones that were not measured.

    Parameters
    ----------
    sizes : sequence of int
        Bytes of the messages.
    schemes : iterable of str, optional
        Of these only; left out, all that are registered.
    """
    known = registered()
    wanted = [scheme for scheme in (*MEASURED, BETWEEN_RANKS) if scheme in known]
    wanted = [scheme for scheme in wanted if schemes is None or scheme in set(schemes)]
    near = [scheme for scheme in wanted if scheme != BETWEEN_RANKS]
    links: dict[str, Link]
    failed: dict[str, str]
    links, failed = run_coroutine(_between_processes(near, tuple(sizes)))
    if BETWEEN_RANKS in wanted:
        try:
            links[BETWEEN_RANKS] = between_ranks(BETWEEN_RANKS, sizes)
        except Exception as error:
            failed[BETWEEN_RANKS] = f"{type(error).__name__}: {error}"
    for scheme, reason in failed.items():
        print(f"{scheme} is registered, and could not be measured here ({reason.splitlines()[0][:160]}).")
    left = [scheme for scheme in known if scheme not in {*wanted, *_NOT_MEASURED}] if schemes is None else []
    if left:
        print(f"Registered, but not measured here: {', '.join(left)}.")
    return links


async def _between_processes(schemes: Sequence[str], sizes: tuple[int, ...]) -> tuple[dict[str, Link], dict[str, str]]:
    links, failed = {}, {}
    if "inproc" in schemes:
        links["inproc"] = await _within(sizes)
    with tempfile.TemporaryDirectory(prefix="gpc-") as top:
        make_comm_folder(Path(top) / "comm")
        credentials = new_credentials() if ENCRYPTED & set(schemes) else {}
        addresses = {
            one: f"{PREFIX}{top}/comm:0" if one == SCHEME else f"{one}://{HOST}:0" for one in schemes if one != "inproc"
        }
        with EchoProcess({"addresses": addresses, "tls": credentials}) as echo:
            for scheme, address in echo.addresses.items():
                if address.startswith("! "):
                    failed[scheme] = address[2:]
                    continue
                keys = security_of(credentials).get_connection_args("client") if scheme in ENCRYPTED else {}
                times, same = await ping(address, sizes, **keys)
                links[scheme] = Link(scheme, sizes, times, "two processes of this machine", same)
    return links, failed


async def _within(sizes: tuple[int, ...]) -> Link:
    from .echoing import answer

    async with listener("inproc://", answer) as listening:
        times, same = await ping(listening.contact_address, sizes)
    return Link("inproc", sizes, times, "within one process", same)


def measure_workers(client: Client, sizes: Sequence[int] = SIZES) -> Link | None:
    """Let one worker of a cluster send blocks to another, and report if there is only one.

    Parameters
    ----------
    client : distributed.Client
        Connected to the cluster.
    sizes : sequence of int
        Bytes of the blocks.
    """
    from ....bench.errors import NothingToMeasure
    from ....bench.messages import exchange

    try:
        seconds = exchange(client, tuple(sizes))
    except NothingToMeasure as error:
        print(error.message)
        return None
    scheme = str(client.scheduler_info(n_workers=0)["address"]).partition("://")[0]
    return Link(scheme, tuple(sizes), tuple(seconds), f"{scheme}, two workers of this cluster")


def between_ranks(scheme: str, sizes: Sequence[int] = SIZES) -> Link:
    """Measure a transport whose ends are ranks 0 and 1 of one MPI program.

    Raises
    ------
    RuntimeError
        MPI is missing.
    """
    from ...simulations.ranks import mpiexec, run_under_mpi

    starter = mpiexec()
    if starter is None:
        raise RuntimeError("MPI is not installed here")
    run = run_under_mpi(starter, _rank, [0, 1], scheme, tuple(sizes), n_ranks=2, plain=True)
    seconds, same = run.results[0]
    return Link(scheme, tuple(sizes), seconds, "two ranks of one MPI program", same)


def _rank(comm: Any, _rows: Any, scheme: str, sizes: tuple[int, ...]) -> Any:
    """Rank 1 sends back what rank 0 sends, over Dask's transport; MPI itself only tells where to connect."""
    from ....comm.mpi.world import join
    from .echoing import answer

    if scheme == BETWEEN_RANKS:
        join(HOST)

    async def play() -> Any:
        if comm.rank == 0:
            found = await ping(comm.recv(source=1), sizes)
            comm.send(None, dest=1)
            return found
        async with listener(f"{scheme}://{HOST}:0", answer) as listening:
            comm.send(listening.contact_address, dest=0)
            while not comm.iprobe(source=0):  # noqa: ASYNC110 (MPI has no event to wait for)
                await asyncio.sleep(0.005)
            comm.recv(source=0)
        return None

    return asyncio.run(play())


# A ping-pong: messages to an address where they are sent back, and the process that sends them back.


_LEAST, _MOST, _SECONDS, _WAIT_SECONDS = 4, 25, 0.12, 20


async def ping(address: str, sizes: Sequence[int], **keys: Any) -> tuple[tuple[float, ...], bool]:
    """Send messages to an address where they are sent back.

    Returns
    -------
    seconds : tuple of float
        One way, for each size.
    same_object : bool
        Whether the array that comes back is the one that was sent.
    """
    from distributed.comm.core import connect

    comm = await connect(address, deserialize=False, **keys)
    seconds, same = [], True
    try:
        for size in sizes:
            array = np.arange(size, dtype=np.uint8)
            taken: list[float] = []
            while len(taken) < _LEAST or (len(taken) < _MOST and sum(taken) < _SECONDS):
                began = time.perf_counter()
                await comm.write({"x": payload(array)})
                back = await comm.read()
                taken.append(time.perf_counter() - began)
                same = same and getattr(back["x"], "data", None) is array
            # The first one also makes room. Of the others the shortest: other programs can only make one longer.
            seconds.append(min(taken[1:]) / 2)
    finally:
        await comm.close()
    return tuple(seconds), same


def new_credentials() -> dict[str, str]:
    """Return a certificate and its key, of which only this run knows."""
    from distributed.security import Security

    made = Security.temporary()
    keys = made.get_tls_config_for_role("client")
    return {"ca": str(made.tls_ca_file), "cert": str(keys["cert"]), "key": str(keys["key"])}


class EchoProcess:
    """The process at the other end, for the time of a ``with`` block.

    Parameters
    ----------
    told : dict
        Where to listen, and with which credentials; see `echoing`.

    Attributes
    ----------
    addresses : dict
        By transport; where it refused, ``"! "`` and the reason.
    """

    def __init__(self, told: dict[str, Any]) -> None:
        self._told = told
        self.addresses: dict[str, str] = {}

    def __enter__(self) -> EchoProcess:
        # Credentials go through the pipe: no command line and no file shows them.
        self._process = subprocess.Popen(
            [sys.executable, "-m", f"{__package__}.echoing"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(self._told) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            self._end()
            raise RuntimeError("the process at the other end did not start")
        self.addresses = json.loads(line)
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def _end(self) -> None:
        with suppress(subprocess.TimeoutExpired, OSError):
            self._process.communicate(timeout=_WAIT_SECONDS)
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()


# Data that goes through several stages in pieces: when each piece is in which stage.


class Stage(NamedTuple):
    """One stage of a way.

    Attributes
    ----------
    name : str
        What moves the data there.
    startup : float
        Seconds that each piece costs, whatever its size.
    speed : float
        Bytes per second.
    """

    name: str
    startup: float
    speed: float


class Passage(NamedTuple):
    """One piece in one stage, from ``start`` to ``stop`` (seconds)."""

    stage: str
    piece: int
    start: float
    stop: float


def staged(n_bytes: int, piece: int, stages: Sequence[Stage]) -> list[Passage]:
    """Send bytes through stages in pieces of this size; the last one may be smaller.

    A stage has one piece at a time, in order. Between the stages there is room for all pieces.
    """
    free = [0.0] * len(stages)
    passages = []
    for number, begin in enumerate(range(0, n_bytes, piece)):
        size = min(piece, n_bytes - begin)
        ready = 0.0
        for place, stage in enumerate(stages):
            start = max(ready, free[place])
            ready = free[place] = start + stage.startup + size / stage.speed
            passages.append(Passage(stage.name, number, start, ready))
    return passages


# What data sheets and standards say of links, as they say it: in their own units.


class PublishedLink(TypedDict):
    """The speed of a link as it is published.

    ``value`` is in ``unit``: ``"GT/s"`` (10⁹ transfers of one bit per second and lane), ``"Gb/s"`` (10⁹ bits per
    second, all lanes) or ``"GB/s"`` (10⁹ bytes per second, all lanes). ``encoding`` is the pair of data bits and
    transferred bits. With ``both_directions``, the value is the sum of both.
    """

    value: float
    unit: str
    lanes: int
    encoding: tuple[int, int]
    both_directions: bool


def _pcie(transfers: float, lanes: int) -> PublishedLink:
    return {"value": transfers, "unit": "GT/s", "lanes": lanes, "encoding": (128, 130), "both_directions": False}


def _network(gigabits: float) -> PublishedLink:
    return {"value": gigabits, "unit": "Gb/s", "lanes": 1, "encoding": (1, 1), "both_directions": False}


def _nvlink(gigabytes: float) -> PublishedLink:
    return {"value": gigabytes, "unit": "GB/s", "lanes": 1, "encoding": (1, 1), "both_directions": True}


LINKS: dict[str, PublishedLink] = {
    "Ethernet 10 GbE": _network(10),
    "InfiniBand HDR100": _network(100),
    "InfiniBand HDR200": _network(200),
    "InfiniBand NDR": _network(400),
    "PCIe 4.0 ×4, an NVMe drive": _pcie(16, 4),
    "PCIe 3.0 ×16": _pcie(8, 16),
    "PCIe 4.0 ×16": _pcie(16, 16),
    "PCIe 5.0 ×16": _pcie(32, 16),
    "NVLink, V100": _nvlink(300),
    "NVLink, A100": _nvlink(600),
    "NVLink, H100": _nvlink(900),
}
"""PCIe: the PCI-SIG's specifications 3.0 to 5.0. InfiniBand: data rates by the InfiniBand Trade Association.
NVLink: NVIDIA's data sheets of the three devices (SXM), all links of one GPU together."""

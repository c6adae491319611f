"""How long a message takes, by its size, over every transport that is there: a ping-pong between two processes."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...comm.folder import PREFIX, SCHEME, make_comm_folder
from ...dask_internals.comms import known_transports, listener
from .coroutines import run_coroutine
from .echoing import ENCRYPTED, HOST, security_of
from .pingpong import EchoProcess, new_credentials, ping

if TYPE_CHECKING:
    from distributed import Client

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
    """Send messages to and fro over each transport, and say in a sentence which registered ones were not measured.

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
    """Let one worker of a cluster send blocks to another, and say in a sentence where there is only one.

    Parameters
    ----------
    client : distributed.Client
        Connected to the cluster.
    sizes : sequence of int
        Bytes of the blocks.
    """
    from ...bench.errors import NothingToMeasure
    from ...bench.transports.messages import exchange

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
    from ..simulations.ranks import mpiexec, run_under_mpi

    starter = mpiexec()
    if starter is None:
        raise RuntimeError("MPI is not installed here")
    run = run_under_mpi(starter, _rank, [0, 1], scheme, tuple(sizes), n_ranks=2, plain=True)
    seconds, same = run.results[0]
    return Link(scheme, tuple(sizes), seconds, "two ranks of one MPI program", same)


def _rank(comm: Any, _rows: Any, scheme: str, sizes: tuple[int, ...]) -> Any:
    """Rank 1 sends back what rank 0 sends, over Dask's transport; MPI itself only tells where to connect."""
    from ...comm.mpi.world import join
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

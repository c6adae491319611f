"""What two ranks do under ``mpiexec``: messages over each transport and over mpi4py alone, in turns.

Prints a line of JSON: seconds by what was sent and over which transport. ``python -m benchmarks.mpi`` starts it.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack
from functools import partial
from typing import Any

import numpy as np
from distributed.comm.core import CommClosedError, connect, listen
from distributed.protocol.serialize import to_serialize
from distributed.security import Security
from gpucluster.comm.mpi.world import join, prepare_library

prepare_library()
from mpi4py import MPI  # noqa: E402 - it loads the library

HOST = "127.0.0.1"
BLOCKS = {"block": 64 * 2**20, "large block": 192 * 2**20}
"""Bytes by name. distributed cuts arrays above 64 MiB."""
PINGS = 200
"""Empty messages to and fro within one turn."""
WORLD = MPI.COMM_WORLD
RAW_TAG = 17

Seconds = dict[str, dict[str, list[float]]]


async def answer(comm: Any) -> None:
    """Confirm that a message has arrived; if it requests one, a block over mpi4py alone follows."""
    kept = np.empty(max(BLOCKS.values()), "u1")
    try:
        while True:
            match await comm.read():
                case {"raw": how, "size": size}:
                    answer_raw(how, kept[:size])
                case _:
                    pass
            await comm.write({})
    except CommClosedError:
        return


def answer_raw(how: str, kept: Any) -> None:
    """Take what mpi4py sends without Dask, while nothing else happens here."""
    if how == "ping":
        byte = np.empty(1, "u1")
        for _ in range(PINGS):
            WORLD.Recv(byte, 0, RAW_TAG)
            WORLD.Send(byte, 0, RAW_TAG)
        return
    # Dask cannot know the target buffer in advance: each message gets new memory.
    block = kept if how == "into the same memory" else np.empty(len(kept), "u1")
    WORLD.Recv(block, 0, RAW_TAG)


async def pinged(comm: Any) -> float:
    """Return the seconds of an empty message to the other rank and back."""
    began = time.perf_counter()
    for _ in range(PINGS):
        await comm.write({})
        await comm.read()
    return (time.perf_counter() - began) / PINGS


async def moved(comm: Any, block: Any) -> float:
    """Return the seconds until the other rank has a block, and has said so."""
    began = time.perf_counter()
    await comm.write({"block": to_serialize(block)})
    await comm.read()
    return time.perf_counter() - began


async def moved_raw(comm: Any, block: Any, how: str) -> float:
    """Return the seconds of the same with one call of MPI for the block."""
    began = time.perf_counter()
    await comm.write({"raw": how, "size": len(block)})
    WORLD.Send(block, 1, RAW_TAG)
    await comm.read()
    return time.perf_counter() - began


async def pinged_raw(comm: Any) -> float:
    """Return the seconds of one byte there and back, with blocking calls."""
    await comm.write({"raw": "ping", "size": 1})
    byte = np.empty(1, "u1")
    began = time.perf_counter()
    for _ in range(PINGS):
        WORLD.Send(byte, 1, RAW_TAG)
        WORLD.Recv(byte, 1, RAW_TAG)
    took = (time.perf_counter() - began) / PINGS
    await comm.read()
    return took


async def measure(addresses: dict[str, str], security: Security, repeats: int) -> Seconds:
    """Take turns; the first one does not count."""
    blocks = {what: np.random.default_rng(0).integers(0, 256, size, "u1") for what, size in BLOCKS.items()}
    args = security.get_connection_args("client")
    comms = {name: await connect(address, **(args if name == "tls" else {})) for name, address in addresses.items()}
    near = comms["mpi"]
    work: dict[str, dict[str, Callable[[], Coroutine[Any, Any, float]]]] = {
        "ping": {
            **{name: partial(pinged, comm) for name, comm in comms.items()},
            "mpi4py": partial(pinged_raw, near),
        },
        **{
            what: {
                **{name: partial(moved, comm, block) for name, comm in comms.items()},
                "mpi4py": partial(moved_raw, near, block, "into fresh memory"),
                "mpi4py, the same memory": partial(moved_raw, near, block, "into the same memory"),
            }
            for what, block in blocks.items()
        },
    }
    found: Seconds = {what: {name: [] for name in ways} for what, ways in work.items()}
    for turn in range(repeats + 1):
        for what, ways in work.items():
            names = list(ways)
            for name in names[turn % len(names) :] + names[: turn % len(names)]:
                took = await ways[name]()
                if turn:
                    found[what][name].append(took)
    for comm in comms.values():
        comm.abort()
    return found


async def main(repeats: int) -> None:
    """Listen or measure."""
    world = join(HOST)
    security = WORLD.bcast(Security.temporary() if world.rank == 0 else None)
    if world.rank == 0:
        print(json.dumps(await measure(WORLD.recv(source=1), security, repeats)), flush=True)
        WORLD.isend(None, 1).wait()
        return
    async with AsyncExitStack() as stack:
        addresses = {}
        for name in ("mpi", "tcp", "tls"):
            args = security.get_listen_args("worker") if name == "tls" else {}
            listener = await stack.enter_async_context(listen(f"{name}://{HOST}:0", answer, **args))
            addresses[name] = listener.contact_address
        WORLD.send(addresses, 0)
        while not WORLD.iprobe(source=0, tag=0):  # noqa: ASYNC110 - MPI knows no events
            await asyncio.sleep(0.05)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))

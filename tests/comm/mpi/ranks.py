"""The program of ranks under ``mpiexec``; each prints its results. ``python ranks.py``, with at least three ranks."""

import asyncio
import json
import os
import random
import sys
import traceback
from collections.abc import Callable, Coroutine
from typing import Any

import numpy as np
from distributed.comm import CommClosedError, connect, listen
from distributed.protocol import to_serialize, utils
from gpucluster.comm.mpi import channel as channels
from gpucluster.comm.mpi import engine as engines
from gpucluster.comm.mpi import wire
from gpucluster.comm.mpi.world import join
from mpi4py import MPI

WORLD = MPI.COMM_WORLD
RANK, SIZE = WORLD.Get_rank(), WORLD.Get_size()
served: list[int] = []


async def answer(comm: Any) -> None:
    """Echo messages on request, and count those that come in the right order."""
    expected = 0
    try:
        while True:
            message = await comm.read()
            if message == "wait":
                await asyncio.sleep(1.0)
                continue
            if message["n"] != expected:
                raise AssertionError(f"{message['n']} came in place of {expected}")
            expected += 1
            if message["echo"]:
                await comm.write({"n": message["n"], "x": to_serialize(message["x"])})
    except CommClosedError:
        served.append(expected)


async def every_size(addresses: list[str]) -> Any:
    """Messages of all sizes come back unchanged, and are writeable."""
    comm = await connect(addresses[1])
    sizes = [0, 1, wire.INLINE_BYTES - 1, wire.INLINE_BYTES, wire.INLINE_BYTES + 1, 10**6, 5 * 10**6]
    for n, size in enumerate(sizes):
        sent = (np.arange(size) % 251).astype("u1")
        await comm.write({"n": n, "x": to_serialize(sent), "echo": True})
        back = (await comm.read())["x"]
        assert np.array_equal(back, sent), size
        assert back.flags.writeable
    # Thousands of frames: most of them share blocks, and their order remains.
    frames = [np.full(size % 90_000, size % 251, "u1") for size in range(0, 3_000_000, 997)]
    await comm.write({"n": len(sizes), "x": list(map(to_serialize, frames)), "echo": True})
    back = (await comm.read())["x"]
    assert len(back) == len(frames)
    assert all(np.array_equal(came, sent) and came.flags.writeable for came, sent in zip(back, frames, strict=True))
    assert comm.same_host
    assert comm.handshake_options["compression"] is None
    await comm.close()
    return len(sizes) + 1


async def awaited(addresses: list[str]) -> Any:
    """Each message is noticed without regular polling, even behind packets that MPI reads itself."""
    generator = random.Random(0)
    comm = await connect(addresses[1])
    for n in range(300):
        await asyncio.sleep(generator.choice([0, 0, 0.0005, 0.002]))
        sent = np.full(generator.choice([0, 10_000, 40_000, 300_000]), n % 251, "u1")
        await comm.write({"n": n, "x": to_serialize(sent), "echo": True})
        assert np.array_equal((await comm.read())["x"], sent)
    await comm.close()
    return n


async def many(addresses: list[str], n: int, seed: int, *, size: Callable[[random.Random], int]) -> None:
    """Send n messages of random sizes to one rank, with an answer now and then."""
    generator = random.Random(seed)
    comm = await connect(addresses[0])
    for place in range(n):
        sent = np.full(size(generator), place % 251, "u1")
        echo = place % 50 == 0
        await comm.write({"n": place, "x": to_serialize(sent), "echo": echo})
        if echo:
            back = await comm.read()
            assert back["n"] == place
            assert np.array_equal(back["x"], sent)
    await comm.close()


def mixed(generator: random.Random) -> int:
    return generator.choice([0, 100, 5_000, 40_000, 200_000]) if generator.random() < 0.1 else generator.randrange(200)


async def cancelled_and_closed(addresses: list[str]) -> Any:
    """Cancelled reads and connections closed with messages on their way disturb nothing else."""
    large = np.ones(3 * 10**6, "u1")
    for place in range(6):
        comm = await connect(addresses[2])
        await comm.write({"n": 0, "x": to_serialize(large), "echo": True})
        reading = asyncio.ensure_future(comm.read())
        await asyncio.sleep(0.005 * place)
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
        comm.abort()
        for doing in (comm.read(), comm.write(1)):
            try:
                await doing
            except CommClosedError as error:
                assert "closed" in str(error)
            else:
                raise AssertionError("a closed comm was used")
    comm = await connect(addresses[2])
    reading = asyncio.ensure_future(comm.read())
    await asyncio.sleep(0.05)
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)
    await comm.write({"n": 0, "x": to_serialize(large[:9]), "echo": True})
    assert len((await comm.read())["x"]) == 9, "a read that was cancelled took nothing away"
    # Sent and closed at once: it is delivered anyway, even while the other side does not read.
    await comm.write("wait")
    for place in range(1, 4):
        await comm.write({"n": place, "x": to_serialize(large), "echo": False})
    await comm.close()
    del comm
    # A connection that is garbage-collected is closed for the other side, too.
    forgotten = await connect(addresses[2])
    await forgotten.write({"n": 0, "x": to_serialize(large[:1]), "echo": False})
    del forgotten
    return True


async def by_port(addresses: list[str]) -> None:
    """A rank reaches itself by MPI, and ranks of other programs by their ports."""
    comm = await connect(addresses[RANK])
    assert comm.peer_address == addresses[RANK]
    for n, size in enumerate([3, 10**6]):
        await comm.write({"n": n, "x": to_serialize(np.full(size, 7.0)), "echo": True})
        back = await comm.read()
        assert back["n"] == n
        assert np.array_equal(back["x"], np.full(size, 7.0))
    await comm.close()
    other = addresses[1].rpartition(".")[0] + ".0123456789abcdef"
    comm = await connect(other)
    assert comm.peer_address.startswith("tcp://"), "a rank of another program is reached by its port"
    comm.abort()


async def together() -> None:
    """Wait for all ranks without stopping the event loop."""
    request = WORLD.Ibarrier()
    while not request.Test():  # noqa: ASYNC110 - MPI knows no events
        await asyncio.sleep(0.01)


async def until(condition: Callable[[], bool]) -> None:
    for _ in range(9000):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"did not happen; served {served}")


async def main() -> None:
    wire.PIECE_BYTES = 2 * 10**6
    channels.WINDOW_BYTES = 2 * 10**6
    engines.SHORTEST_SLEEP_SECONDS = engines.LONGEST_SLEEP_SECONDS = 1000.0
    assert utils.BIG_BYTES_SHARD_SIZE < 5 * 10**6
    del sys.modules["distributed.protocol.serialize"].host_array_from_buffers  # It copies parts that lie apart.
    found: dict[str, Any] = {"rank": RANK}
    try:
        async with listen("mpi://127.0.0.1:0", answer):
            pass
    except RuntimeError as error:
        found["before"] = str(error)
    world = join("127.0.0.1")
    async with listen("mpi://127.0.0.1:0", answer) as listener:
        addresses = WORLD.allgather(listener.contact_address)
        engine = engines.started(world)
        assert engine is not None
        jobs: list[Coroutine[Any, Any, Any]] = []
        if RANK == 0:
            found["sizes"] = await every_size(addresses)
            found["awaited"] = await asyncio.wait_for(awaited(addresses), 60)
        await together()
        n = int(os.environ.get("MESSAGES", "500"))
        if RANK:
            jobs = [many(addresses, n, seed, size=mixed) for seed in range(3)]
        await asyncio.gather(*jobs)
        await together()
        if RANK == 0:
            await until(lambda: len(served) == 3 * (SIZE - 1))
            found["served"] = served[:]
        if RANK == 1:
            found["cancelled"] = await cancelled_and_closed(addresses)
        if RANK == 2:
            await until(lambda: len(served) == 8)
            found["served"] = served[:]
        await together()
        if RANK == 0:
            await by_port(addresses)
        await until(lambda: not engine._channels and not engine._requests)
        await together()
        found["bells"] = len(engine.world.bell.sockets)
    await together()  # No rank listens any more.
    if RANK == 0:
        try:
            await asyncio.wait_for(connect(addresses[1], timeout=1), 20)
        except (OSError, CommClosedError) as error:
            found["no listener"] = type(error).__name__
    await together()
    engine.stop()
    found["left"] = [len(left) for left in (engine._channels, engine._requests, engine._sending, engine._receiving)]
    sys.stdout.write(json.dumps(found) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except BaseException:
        traceback.print_exc()
        WORLD.Abort(3)  # Others would wait for this rank forever.

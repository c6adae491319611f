"""A million messages between ranks over ``mpi://``: none lost, overtaken or changed, with constant memory.

``mpiexec -n 3 python -m tests.endurance.messages --messages 1000000``. Each rank sends to each other rank over several
connections at once: most messages are small, some have blocks of up to 2 MB. Prints a line of JSON.
"""

import argparse
import asyncio
import json
import random
import sys
import time
import traceback
import zlib
from typing import Any

import numpy as np
import psutil
from distributed.comm import CommClosedError, connect, listen
from distributed.protocol import to_serialize
from gpucluster.comm.mpi.world import join, prepare_library

prepare_library()
from tests.comm.mpi.ranks import RANK, SIZE, WORLD, together  # noqa: E402 - it loads the library

CONNECTIONS = 3
ANSWER_EVERY = 200
"""The most unanswered messages of one connection."""
MEBIBYTE = 2**20


class Received:
    """The messages that this rank has received."""

    def __init__(self) -> None:
        self.messages = 0
        self.bytes = 0
        self.wrong: list[str] = []
        self.ended = 0
        self.memory: list[int] = []

    async def take(self, comm: Any) -> None:
        """Read one connection to its end and check each message."""
        expected = 0
        try:
            while True:
                message = await comm.read()
                block = message["block"]
                if message["n"] != expected or zlib.crc32(block) != message["sum"]:
                    self.wrong.append(f"{message['n']} with {len(block)} bytes instead of {expected}")
                expected += 1
                self.messages += 1
                self.bytes += len(block)
                if expected % ANSWER_EVERY == 0:
                    await comm.write({"n": expected})
        except CommClosedError:
            self.ended += 1


def block_of(draw: random.Random, noise: Any) -> Any:
    """Return some bytes: few, or sometimes many."""
    size = draw.randrange(300)
    if draw.random() < 0.005:
        size = draw.choice([20_000, 33_000, 70_000, 300_000, 2_000_000])
    begin = draw.randrange(len(noise) - size)
    return noise[begin : begin + size]


async def send(address: str, n: int, seed: int) -> None:
    draw = random.Random(seed)
    noise = np.random.default_rng(seed).integers(0, 256, 4 * MEBIBYTE, "u1")
    comm = await connect(address)
    for place in range(n):
        block = block_of(draw, noise)
        await comm.write({"n": place, "sum": zlib.crc32(block), "block": to_serialize(block)})
        if (place + 1) % ANSWER_EVERY == 0:
            assert (await comm.read())["n"] == place + 1
    await comm.close()


async def sample(received: Received) -> None:
    """Note the memory every second."""
    process = psutil.Process()
    while True:
        received.memory.append(process.memory_info().rss)
        await asyncio.sleep(1.0)


async def main(n_messages: int, seed: int) -> None:
    join("127.0.0.1")
    received = Received()
    each = n_messages // (SIZE * (SIZE - 1) * CONNECTIONS)
    began = time.perf_counter()
    async with listen("mpi://127.0.0.1:0", received.take) as listener:
        addresses = WORLD.allgather(listener.contact_address)
        sampling = asyncio.ensure_future(sample(received))
        jobs = [
            send(address, each, seed + 1000 * RANK + 10 * other + number)
            for other, address in enumerate(addresses)
            if other != RANK
            for number in range(CONNECTIONS)
        ]
        await asyncio.gather(*jobs)
        while received.ended < (SIZE - 1) * CONNECTIONS:  # noqa: ASYNC110 - counted by what reads
            await asyncio.sleep(0.05)
        await together()
        sampling.cancel()
    tenth = max(1, len(received.memory) // 5)
    ranks = WORLD.gather(
        {
            "messages": received.messages,
            "bytes": received.bytes,
            "wrong": received.wrong[:10],
            "MiB after a fifth": received.memory[min(tenth, len(received.memory) - 1)] // MEBIBYTE,
            "MiB at the end": received.memory[-1] // MEBIBYTE,
        }
    )
    if ranks is not None:
        seconds = round(time.perf_counter() - began, 1)
        print(json.dumps({"asked": each * SIZE * (SIZE - 1) * CONNECTIONS, "seconds": seconds, "ranks": ranks}))
        sys.stdout.flush()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=10**6)
    parser.add_argument("--seed", type=int, default=2026)
    options = parser.parse_args()
    try:
        asyncio.run(main(options.messages, options.seed))
    except BaseException:
        traceback.print_exc()
        WORLD.Abort(3)  # The other ranks would wait for ever.

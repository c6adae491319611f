"""Many workers in one process: each has its own connection, registers, sends heartbeats and ends tasks at once.

``python -m benchmarks.scale.workers ADDRESS FIRST COUNT`` runs until its standard input ends.
"""

from __future__ import annotations

import asyncio
import random
import sys
import time
from contextlib import suppress
from typing import Any

import distributed.versions
from distributed.comm.core import Comm, CommClosedError, connect
from distributed.core import rpc

from benchmarks.telemetry import GIB, gpu_row, metrics_of

_VERSIONS = distributed.versions.get_versions()
_CONNECTING = 50
"""Number of workers that connect at the same time, as jobs of a batch system would."""


class Worker:
    """A worker of one thread, whose tasks take no time and whose results are nowhere.

    Parameters
    ----------
    number : int
        Position of the worker.
    scheduler : str
        Address of the scheduler.
    asking : distributed.core.rpc
        Carries the heartbeats of all workers of this process.
    """

    def __init__(self, number: int, scheduler: str, asking: Any) -> None:
        self._number = number
        self._scheduler = scheduler
        self._asking = asking
        self._random = random.Random(number)
        self._address = f"tcp://10.{number >> 16}.{number >> 8 & 255}.{number & 255}:40000"

    async def connect(self) -> None:
        """Register with the scheduler."""
        self._comm: Comm = await connect(self._scheduler)
        await self._comm.write(
            {
                "op": "register-worker",
                "reply": False,
                "address": self._address,
                "status": "running",
                "nthreads": 1,
                "name": f"simulated-{self._number // 8}-{self._number % 8}",
                "now": time.time(),
                "resources": {},
                "memory_limit": 64 * GIB,
                "local_directory": "/nowhere",
                "services": {},
                "nanny": None,
                "pid": 100_000 + self._number,
                "versions": _VERSIONS,
                "metrics": metrics_of(gpu_row(self._random)),
                "extra": {},
                "stimulus_id": f"simulated-{self._number}",
                "server_id": f"Worker-{self._number}",
            },
            serializers=["msgpack"],
        )
        answer = await self._comm.read(deserializers=["msgpack"])
        if answer["status"] != "OK":
            raise RuntimeError(f"The scheduler refused worker {self._number}: {answer}")
        self._interval = float(answer["heartbeat-interval"])

    async def live(self) -> None:
        """Send heartbeats and end tasks until the scheduler is gone."""
        beating = asyncio.create_task(self._beat())
        with suppress(CommClosedError):  # The scheduler has ended.
            while True:
                messages = await self._comm.read()
                ended = [_ended(message) for message in messages if message["op"] == "compute-task"]
                if ended:
                    await self._comm.write(ended)
        beating.cancel()
        with suppress(CommClosedError, asyncio.CancelledError):
            await beating

    async def _beat(self) -> None:
        await asyncio.sleep(self._interval * self._random.random())
        while True:
            answer = await self._asking.heartbeat_worker(
                address=self._address, now=time.time(), metrics=metrics_of(gpu_row(self._random)), executing={},
                extensions={},
            )  # fmt: skip
            self._interval = float(answer["heartbeat-interval"])
            await asyncio.sleep(self._interval * self._random.uniform(0.9, 1.1))


def _ended(message: dict[str, Any]) -> dict[str, Any]:
    now = time.time()
    return {
        "op": "task-finished",
        "status": "OK",
        "key": message["key"],
        "run_id": message["run_id"],
        "nbytes": 28,
        "type": None,
        "typename": "int",
        "metadata": {},
        "thread": 1,
        "startstops": [{"action": "compute", "start": now, "stop": now}],
        "stimulus_id": f"simulated-{now}",
    }


async def run(scheduler: str, first: int, count: int) -> None:
    """Connect, say so, and live until standard input ends."""
    asking = rpc(scheduler)
    workers = [Worker(number, scheduler, asking) for number in range(first, first + count)]
    at_once = asyncio.Semaphore(_CONNECTING)

    async def connected(worker: Worker) -> None:
        async with at_once:
            await worker.connect()

    await asyncio.gather(*map(connected, workers))
    print("connected", flush=True)
    lives = [asyncio.create_task(worker.live()) for worker in workers]
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    for life in lives:
        life.cancel()


if __name__ == "__main__":
    asyncio.run(run(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))

"""Measure the time of a block from one worker to another, by its size."""

import statistics
import time
from typing import Any

import numpy as np

from ..dask_internals.listening import payload
from ..dask_internals.messages import connection_arguments, set_handler
from .errors import NothingToMeasure

SIZES = (0, 1_000, 10_000, 100_000, 1_000_000, 4_000_000, 16_000_000, 64_000_000)  # Bytes of a block.
OPERATION = "gpucluster-bench-block"
_LEAST, _MOST, _SECONDS = 3, 100, 0.1


async def _received(comm: Any, block: Any) -> int:  # noqa: ARG001 - as Dask calls handlers
    return len(block)


async def take_blocks(dask_worker: Any) -> None:
    """Prepare a worker to receive; runs there."""
    set_handler(dask_worker, OPERATION, _received)


async def send_blocks(other: str, sizes: tuple[int, ...], dask_worker: Any) -> list[float]:
    """Send blocks to another worker, each with a short answer; runs on a worker.

    Returns the median seconds from the first byte to the answer, for each size.
    """
    from distributed.comm.core import connect

    comm = await connect(other, **connection_arguments(dask_worker))
    found = []
    try:
        for size in sizes:
            block = np.ones(size, np.uint8)
            taken: list[float] = []
            while len(taken) <= _LEAST or (len(taken) <= _MOST and sum(taken) < _SECONDS):
                began = time.perf_counter()
                await comm.write({"op": OPERATION, "block": payload(block), "reply": True})
                answer = await comm.read()
                taken.append(time.perf_counter() - began)
                if answer != size:
                    raise RuntimeError(f"{answer!r} of {size} bytes arrived")
            found.append(statistics.median(taken[1:]))
    finally:
        comm.abort()
    return found


def exchange(client: Any, sizes: tuple[int, ...] = SIZES) -> list[float]:
    """Return the seconds of each size between the first two workers of a cluster, one way.

    The time of the answer is half of that of an empty block with its answer.
    """
    from ..dask_internals.scheduler_information import known_workers

    addresses = sorted(known_workers(client))
    if len(addresses) < 2:
        raise NothingToMeasure("At least two workers are required, but there is only one.")
    client.run(take_blocks)
    there_and_back = client.run(send_blocks, addresses[1], (0, *sizes), workers=[addresses[0]])[addresses[0]]
    empty = there_and_back[0]
    return [max(seconds - empty / 2, empty / 2) for seconds in there_and_back[1:]]

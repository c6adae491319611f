"""Work for a simulated cluster: a client that loads a data set, processes it several times, and releases it."""

from __future__ import annotations

import asyncio
import random
from typing import Any

from distributed import Client

from .backend import SimulatedCluster


def _source(number: int) -> None:
    """Stand for a task that reads a part of a data set."""


def _step(*parts: Any) -> None:
    """Stand for a task that works on parts."""


STEPS = ("read-parquet", "assign", "shuffle-split", "groupby-agg", "tree-sum")


async def work(cluster: SimulatedCluster) -> None:
    """Submit graphs until cancelled."""
    chance = random.Random(cluster.simulation.seed)
    async with Client(cluster, asynchronous=True) as client:
        round_number = 0
        while True:
            round_number += 1
            scheduler = cluster.scheduler
            threads = max(1, scheduler.total_nthreads if scheduler is not None else 1)
            parts = min(threads * chance.randint(2, 4), 3000)
            parts = max(parts, int(10 * cluster.simulation.tasks_per_second / len(STEPS)))
            stage = client.map(_source, range(parts), key=[f"read-parquet-{round_number}-{n}" for n in range(parts)])
            held = stage
            for step in STEPS[1:-1]:
                keys = [f"{step}-{round_number}-{n}" for n in range(len(stage))]
                neighbours = [*stage[1:], stage[0]]
                stage = client.map(_step, stage, neighbours, key=keys, pure=False)
            number = 0
            while len(stage) > 1:
                groups = [stage[first : first + 8] for first in range(0, len(stage), 8)]
                stage = [
                    client.submit(_step, *group, key=f"tree-sum-{round_number}-{number}-{position}", pure=False)
                    for position, group in enumerate(groups)
                ]
                number += 1
            # Not distributed.wait: it raises when a restart cancels the futures.
            while any(future.status == "pending" for future in stage):  # noqa: ASYNC110  # likewise
                await asyncio.sleep(0.2)
            held.clear()
            stage.clear()
            await asyncio.sleep(chance.uniform(1, 4))

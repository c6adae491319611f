"""A viewer of a cluster's gauges, so that it takes a sample every second."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from gpucluster.client.cluster import Cluster
from gpucluster.client.transport import telemetry_lines
from gpucluster.registry.store import Registry


@contextmanager
def watched(cluster: Cluster, viewers: int = 1) -> Iterator[None]:
    """Follow the telemetry of a cluster, reading and throwing away."""
    folder = Registry().folder(cluster.id)
    stop = threading.Event()

    async def look() -> None:
        async for _ in telemetry_lines(folder):
            if stop.is_set():
                return

    async def all_look() -> None:
        await asyncio.gather(*[look() for _ in range(viewers)])

    thread = threading.Thread(target=lambda: asyncio.run(all_look()), daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(10)

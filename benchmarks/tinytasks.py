"""What viewers cost a running computation: ten thousand tiny tasks with and without viewers, in turn."""

from __future__ import annotations

import asyncio
import os
import statistics
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

TASKS = 10_000
VIEWERS = 5


def _watching(folder: Any, stop: threading.Event) -> threading.Thread:
    """Follow the telemetry of a cluster several times over, reading and throwing away."""
    from gpucluster.client.transport import telemetry_lines

    async def view() -> None:
        async for _ in telemetry_lines(folder):
            if stop.is_set():
                return

    async def views() -> None:
        await asyncio.gather(*[view() for _ in range(VIEWERS)])

    thread = threading.Thread(target=lambda: asyncio.run(views()), daemon=True)
    thread.start()
    return thread


def added_cost(repeats: int) -> dict[str, Any]:
    """Return the seconds of the computation with and without viewers, taking turns, and the median of the ratios."""
    import operator

    import gpucluster
    from gpucluster.registry.store import Registry

    seconds: dict[str, list[float]] = {"no viewers": [], f"{VIEWERS} viewers": []}
    with tempfile.TemporaryDirectory(prefix="gpcbench", dir="/tmp") as folder:
        Path(folder).chmod(0o700)
        os.environ["GPUCLUSTER_DIR"] = folder
        with gpucluster.create(backend="local", n_workers=2, name="tiny") as cluster:
            client: Any = cluster.get_client()
            record = Registry(Path(folder)).folder(cluster.id)

            def compute() -> float:
                started = time.perf_counter()
                client.gather(client.map(operator.neg, range(TASKS), pure=False))
                return time.perf_counter() - started

            compute()
            for _ in range(repeats):
                seconds["no viewers"].append(compute())
                stop = threading.Event()
                thread = _watching(record, stop)
                seconds[f"{VIEWERS} viewers"].append(compute())
                stop.set()
                thread.join()
            client.close()
    without, with_viewers = seconds.values()
    ratios = [one / other for one, other in zip(with_viewers, without, strict=True)]
    return {"seconds": seconds, "ratio": {"median": statistics.median(ratios), "values": ratios}}

"""A scheduler, what a cluster's process does beside it, and how much CPU time each takes.

``python -m benchmarks.scale.scheduler`` prints its address, then answers each line of its standard input with a line of
JSON: ``idle SECONDS`` measures without, ``watched SECONDS`` with viewers.
"""

from __future__ import annotations

import asyncio
import json
import resource
import statistics
import sys
import time
from typing import Any

from distributed import Scheduler
from gpucluster.backends.scheduler.in_process import InProcessScheduler
from gpucluster.supervisor.figures.sampler import Sampler

_LOOK_SECONDS = 0.02


async def run() -> None:
    """Serve a scheduler, and answer."""
    scheduler: Scheduler = await Scheduler(dashboard_address=None, host="127.0.0.1", port=0)
    view = InProcessScheduler(scheduler)
    sampler = Sampler(view, "0000000a")
    print(scheduler.address, flush=True)
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        what, seconds = line.split()
        print(json.dumps(await _measured(scheduler, view, sampler, what, float(seconds))), flush=True)
    await scheduler.close()


async def _measured(
    scheduler: Scheduler, view: InProcessScheduler, sampler: Sampler, what: str, seconds: float
) -> dict[str, Any]:
    """Return shares of one core, the event loop's delays, and what our own work takes each time."""
    ours: dict[str, list[float]] = {"sample": [], "members": []}
    delays: list[float] = []
    size = 0
    transitions, processor, clock = scheduler.transition_counter, time.process_time(), time.perf_counter()
    end, due = clock + seconds, clock
    while (now := time.perf_counter()) < end:
        if what == "watched" and now >= due:
            due = now + sampler.interval
            began = time.thread_time()
            columns = sampler.read()
            sampler.history.add(columns)
            size = len(sampler.encoded(columns))
            ours["sample"].append(time.thread_time() - began)
            began = time.thread_time()
            view.members()
            ours["members"].append(time.thread_time() - began)
        before = time.perf_counter()
        await asyncio.sleep(_LOOK_SECONDS)
        delays.append(time.perf_counter() - before - _LOOK_SECONDS)
    spent, passed = time.process_time() - processor, time.perf_counter() - clock
    delays.sort()
    return {
        "workers": len(scheduler.workers),
        "core_percent": round(100 * spent / passed, 1),
        "loop_delay_ms": {
            "median": round(1000 * statistics.median(delays), 1),
            "p95": round(1000 * delays[int(0.95 * len(delays))], 1),
            "maximum": round(1000 * delays[-1], 1),
        },
        "transitions": scheduler.transition_counter - transitions,
        "rss_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000),
        "heartbeat_seconds": view.heartbeat_seconds,
        **({f"{name}_ms": round(1000 * statistics.median(values), 1) for name, values in ours.items() if values}),
        **({"sample_bytes": size} if size else {}),
    }


if __name__ == "__main__":
    asyncio.run(run())

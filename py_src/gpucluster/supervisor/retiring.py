"""Take workers out of a cluster without losing what they hold."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

from ..backends.starting import scheduler_of

if TYPE_CHECKING:
    from distributed import Scheduler
    from distributed.deploy.spec import SpecCluster
    from distributed.scheduler import WorkerState

PATIENCE_SECONDS = 30.0
"""A worker that hands nothing over for so long hangs; what it held is then computed anew."""
LOOK_SECONDS = 0.5


def planned(cluster: SpecCluster) -> set[str]:
    """Return the names of the workers that the cluster is meant to have."""
    return {str(key) for key in cluster.worker_spec}


async def retire(cluster: SpecCluster, name: str) -> str | None:
    """Move a worker's results to the others, then close it and do not replace it.

    Returns
    -------
    str or None
        Why the worker stays, in a sentence; ``None`` when it is gone.
    """
    scheduler = scheduler_of(cluster)
    worker = _find(scheduler, name)
    # The last worker has nobody to leave its results to: whoever retires it means it.
    if (
        worker is not None
        and len(scheduler.workers) > 1
        and await _hand_over(scheduler, [worker]) == "kept"
        and len(scheduler.workers) > 1
    ):
        what = "actors, which cannot be moved" if worker.actors else "results that no other worker has room for"
        return f"Worker {name} was not retired: it holds {what}."
    for key in [key for key in cluster.worker_spec if str(key) == name]:
        del cluster.worker_spec[key]
    closing: Any = cluster._correct_state()
    # Until it is gone: a new worker may get its name, which on a GPU is the device's.
    await asyncio.shield(closing)
    return None


async def hand_over(cluster: SpecCluster, n_workers: int) -> None:
    """Move the results of those workers away that scaling down to ``n_workers`` will close.

    What cannot be moved is lost with its worker: whoever scales down means it.
    """
    scheduler = scheduler_of(cluster)
    # SpecCluster closes those it has started last.
    last = {str(key) for key in list(cluster.worker_spec)[n_workers:]}
    leaving = [worker for worker in scheduler.workers.values() if str(worker.name) in last]
    if leaving and len(leaving) < len(scheduler.workers):
        await _hand_over(scheduler, leaving)


async def _hand_over(scheduler: Scheduler, workers: list[WorkerState]) -> str:
    """Move the results away; returns ``moved``, ``kept`` (nobody takes them all) or ``stuck``."""
    # By name: distributed's own SpecCluster passes names where addresses are meant, so nothing is moved there.
    handing: asyncio.Future[Any] = asyncio.ensure_future(
        scheduler.retire_workers(names=[worker.name for worker in workers], close_workers=True, remove=True)
    )
    addresses = {worker.address for worker in workers}
    left, since = _only_here(workers), time.monotonic()
    try:
        while True:
            await asyncio.wait({handing}, timeout=LOOK_SECONDS)
            if handing.done():
                return "moved" if addresses <= set(handing.result()) else "kept"
            now_left = _only_here(workers)
            if now_left < left:
                left, since = now_left, time.monotonic()
            elif time.monotonic() - since > PATIENCE_SECONDS:
                return "stuck"
    finally:
        handing.cancel()


def _find(scheduler: Scheduler, name: str) -> WorkerState | None:
    return next((worker for worker in scheduler.workers.values() if str(worker.name) == name), None)


def _only_here(workers: list[WorkerState]) -> int:
    here = set(workers)
    return sum(1 for worker in workers for task in worker.has_what if here.issuperset(task.who_has or ()))

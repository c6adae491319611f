"""Take workers out of a cluster without losing what they hold."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..backends.starting import scheduler_of
from .activity_log import named

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


def surplus(cluster: SpecCluster, n_workers: int) -> set[str]:
    """Return the names of those that scaling down to ``n_workers`` will close.

    Those that have not come yet hold nothing and leave first; of the others those that were started last.
    """
    here = {str(worker.name) for worker in scheduler_of(cluster).workers.values()}
    names = [str(key) for key in cluster.worker_spec][::-1]
    leaving = sorted(names, key=lambda name: name in here)
    return set(leaving[: max(0, len(names) - n_workers)])


def addresses(cluster: SpecCluster, names: set[str] | None = None) -> set[str]:
    """Return the addresses of the connected workers, or of those with these names."""
    workers = scheduler_of(cluster).workers.values()
    return {worker.address for worker in workers if names is None or str(worker.name) in names}


def alone(cluster: SpecCluster, name: str) -> bool:
    """Whether that worker is connected, and no other is ready: one that has just come takes no results yet."""
    from distributed.core import Status

    ready = {Status.running, Status.paused}
    workers = scheduler_of(cluster).workers.values()
    others = [worker for worker in workers if str(worker.name) != name and worker.status in ready]
    return not others and any(str(worker.name) == name for worker in workers)


async def retire(cluster: SpecCluster, name: str, *, last: bool) -> str | None:
    """Move a worker's results to the others, then close it and do not replace it.

    Parameters
    ----------
    cluster : SpecCluster
    name : str
        Name of the worker.
    last : bool
        Whether no worker is wanted afterwards: whoever retires the last one means it, with what it holds.

    Returns
    -------
    str or None
        Why the worker stays, in a sentence; ``None`` when it is gone.
    """
    scheduler = scheduler_of(cluster)
    worker = _find(scheduler, name)
    if worker is not None and (worker.has_what or worker.actors) and not last and alone(cluster, name):
        return (
            f"Worker {name} was not retired: no other worker is there to take its results. "
            "Scale to 0 workers to give them up."
        )
    if worker is not None and len(scheduler.workers) > 1:
        handed = await _hand_over(scheduler, [worker], lambda: True)
        if handed.kept and not (last and alone(cluster, name)):
            what = "actors, which cannot be moved" if worker.actors else "results that no other worker has room for"
            return f"Worker {name} was not retired: it holds {what}."
    await _take_out(cluster, {name})
    return None


async def hand_over(cluster: SpecCluster, names: set[str], go_on: Callable[[], bool]) -> str | None:
    """Move the results of those workers away that scaling down will close.

    What cannot be moved is lost with its worker: whoever scales down means it.

    Parameters
    ----------
    cluster : SpecCluster
    names : set of str
        Those that will be closed, as ``surplus`` told them.
    go_on : callable
        Asked often: when it says no, those that hold results yet go on working.

    Returns
    -------
    str or None
        What will be lost, in a sentence.
    """
    scheduler = scheduler_of(cluster)
    leaving = [worker for worker in scheduler.workers.values() if str(worker.name) in names]
    if not leaving or len(leaving) == len(scheduler.workers):
        return None
    handed = await _hand_over(scheduler, leaving, go_on)
    if not go_on():
        # Nobody may need the others to leave, but these are gone, or would take no task ever again.
        ended = {str(worker.name) for worker in leaving if worker.address in handed.gone}
        await _take_out(cluster, ended.union(handed.stuck))
        return None
    told = []
    if handed.kept:
        told.append(f"{named(handed.kept)} held actors, or results that nobody had room for; they are lost.")
    if handed.stuck:
        told.append(f"{named(handed.stuck)} did not hand over all results in time; the rest is lost.")
    return " ".join(told) or None


async def _take_out(cluster: SpecCluster, names: set[str]) -> None:
    for key in [key for key in cluster.worker_spec if str(key) in names]:
        del cluster.worker_spec[key]
    closing: Any = cluster._correct_state()
    # Until they are gone: a new worker may get the name, which on a GPU is the device's.
    await asyncio.shield(closing)


@dataclass(frozen=True)
class _Handed:
    gone: set[str]
    """Addresses of those that hold nothing any more, and were closed."""
    kept: list[str]
    """Names of those whose results nobody takes, or that hold actors."""
    stuck: list[str]
    """Names of those that did not get on with it."""


async def _hand_over(scheduler: Scheduler, workers: list[WorkerState], go_on: Callable[[], bool]) -> _Handed:
    # By name: distributed's own SpecCluster passes names where addresses are meant, so nothing is moved there.
    handing: asyncio.Future[Any] = asyncio.ensure_future(
        scheduler.retire_workers(names=[worker.name for worker in workers], close_workers=True, remove=True)
    )
    left, since = _only_here(workers), time.monotonic()
    try:
        while True:
            await asyncio.wait({handing}, timeout=LOOK_SECONDS)
            if handing.done():
                gone = set(handing.result())
                return _Handed(gone, [str(worker.name) for worker in workers if worker.address not in gone], [])
            if not go_on():
                _break_off(scheduler, workers)
            now_left = _only_here(workers)
            if now_left < left:
                left, since = now_left, time.monotonic()
            elif time.monotonic() - since > PATIENCE_SECONDS:
                gone = {worker.address for worker in workers if worker.address not in scheduler.workers}
                return _Handed(gone, [], [str(worker.name) for worker in workers if worker.address not in gone])
    finally:
        handing.cancel()


def _break_off(scheduler: Scheduler, workers: list[WorkerState]) -> None:
    """Let distributed itself end what it began, as when nobody takes the results: it makes the workers run again.

    Where the user has switched its active memory manager off, it uses another that cannot be reached from here; then
    the hand-over goes on to its end, as a worker left in ``closing_gracefully`` would take no task ever again.
    """
    from distributed.active_memory_manager import RetireWorker

    manager = scheduler.extensions.get("amm")
    if manager is None:
        return
    leaving = {worker.address for worker in workers}
    for policy in list(manager.policies):
        if isinstance(policy, RetireWorker) and policy.address in leaving:
            policy.no_recipients = True
            manager.policies.remove(policy)


def _find(scheduler: Scheduler, name: str) -> WorkerState | None:
    return next((worker for worker in scheduler.workers.values() if str(worker.name) == name), None)


def _only_here(workers: list[WorkerState]) -> int:
    here = set(workers)
    return sum(1 for worker in workers for task in worker.has_what if here.issuperset(task.who_has or ()))

"""Operations on the distributed cluster: the only place that touches its inner workings."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

from ..backends.starting import cause_of, coming_workers, count_all_workers, failed_workers, scheduler_of
from ..protocol.spec import Adapt

if TYPE_CHECKING:
    from distributed import Scheduler
    from distributed.deploy.spec import SpecCluster

logger = logging.getLogger("gpucluster.supervisor")

CLOSE_TIMEOUT_SECONDS = 5.0
RESTART_TIMEOUT_SECONDS = 30.0
_closing: set[asyncio.Future[None]] = set()
"""Workers that are being closed: asyncio itself keeps only weak references to tasks."""


def watch(scheduler: Scheduler, callback: Callable[[], None]) -> None:
    """Call back, soon after, whenever workers or clients come or go."""
    from distributed.diagnostics.plugin import SchedulerPlugin

    loop = asyncio.get_running_loop()

    class MembersWatch(SchedulerPlugin):
        name = "gpucluster-members"

        def add_worker(self, scheduler: Scheduler, worker: str) -> None:
            loop.call_soon(callback)

        def remove_worker(self, scheduler: Scheduler, worker: str, **kwargs: Any) -> None:
            loop.call_soon(callback)

        def add_client(self, scheduler: Scheduler, client: str) -> None:
            loop.call_soon(callback)

        def remove_client(self, scheduler: Scheduler, client: str) -> None:
            loop.call_soon(callback)

    scheduler.add_plugin(MembersWatch())


def scale(cluster: SpecCluster, n_workers: int, leaving: Collection[str] = ()) -> None:
    """Ask for a fixed number of workers; ends adaptive scaling.

    Parameters
    ----------
    cluster : SpecCluster
    n_workers : int
    leaving : collection of str
        The names of those that leave: ``SpecCluster`` would choose others.
    """
    stop_adapting(cluster)
    for key in [key for key in cluster.worker_spec if str(key) in leaving]:
        del cluster.worker_spec[key]
    # SpecCluster closes none of them before all that are on their way have come, and one of them may never come.
    here = {worker.name for worker in scheduler_of(cluster).workers.values()}
    for worker in {*cluster.workers.values(), *coming_workers(cluster)}:
        if worker.name not in cluster.worker_spec and worker.name not in here:
            _close_soon(worker)
    cluster.scale(n_workers)


def adapt(cluster: SpecCluster, bounds: Adapt) -> None:
    """Let distributed's ``Adaptive`` choose the number of workers within bounds."""
    cluster.adapt(minimum=bounds.minimum, maximum=bounds.maximum)


def stop_adapting(cluster: SpecCluster) -> None:
    """End adaptive scaling, if it is on."""
    adaptive = getattr(cluster, "_adaptive", None)
    if adaptive is not None:
        adaptive.stop()


def settled(cluster: SpecCluster, wanted: int) -> tuple[int, str | None]:
    """Return how many workers are usable, and why no more will come if some failed."""
    count = len(scheduler_of(cluster).workers)
    # One that is wanted no more was closed before it had come, which is no failure.
    failures = {name: error for name, error in failed_workers(cluster).items() if name in cluster.worker_spec}
    if not failures:
        # A worker that was told to leave counts until its process is gone, and one that an earlier request
        # has made until it has come and left again.
        still = len(cluster.workers) != wanted or coming_workers(cluster)
        return (-1 if still else count), None
    error = next(iter(failures.values()))
    return count, f"{len(failures)} of {wanted} workers could not start: {cause_of(error)}."


def forget_failed(cluster: SpecCluster) -> None:
    """Take failed workers out of the plan, so that they are neither counted nor in the way of new ones."""
    for name in failed_workers(cluster):
        cluster.worker_spec.pop(name, None)
        worker = cluster.workers.pop(name, None)
        if worker is not None:
            _close_soon(worker)


def _close_soon(worker: Any) -> None:
    task = asyncio.ensure_future(_close_quietly(worker))
    _closing.add(task)
    task.add_done_callback(_closing.discard)


async def _close_quietly(worker: Any) -> None:
    from distributed.core import Status

    closing = asyncio.ensure_future(worker.close())
    await asyncio.sleep(0)  # From here on it starts no other process.
    starting = getattr(worker, "process", None)
    with suppress(Exception):
        # A nanny waits for its worker to be up before it closes it, also for one that hangs in its start.
        if starting is not None and starting.status == Status.starting and starting.process is not None:
            await starting.process.kill()
        await asyncio.wait_for(closing, CLOSE_TIMEOUT_SECONDS)


def replace_lost(cluster: SpecCluster) -> None:
    """Start workers anew whose nanny is gone; a worker whose nanny lives is restarted by the nanny."""
    if len(cluster.workers) < len(cluster.worker_spec) and not failed_workers(cluster):
        cluster._correct_state()


async def restart(cluster: SpecCluster) -> str | None:
    """Restart all workers and forget all tasks; returns a sentence when not all came back."""
    try:
        await scheduler_of(cluster).restart(
            stimulus_id="gpucluster-restart", timeout=RESTART_TIMEOUT_SECONDS, wait_for_workers=True
        )
    except TimeoutError:
        return f"Not all workers came back within {RESTART_TIMEOUT_SECONDS:.0f} seconds of the restart; see the log."
    return None


async def close(cluster: SpecCluster) -> None:
    """Close scheduler and workers; returns in bounded time whatever they do."""
    stop_adapting(cluster)
    for name in failed_workers(cluster):
        cluster.workers.pop(name, None)
    count_all_workers(cluster)
    try:
        closing: Awaitable[None] = cluster.close()  # type: ignore[assignment]  # awaitable: it is asynchronous
        await asyncio.wait_for(asyncio.shield(closing), CLOSE_TIMEOUT_SECONDS)
    except Exception as error:
        logger.warning("The cluster did not close in good order (%s); killing what is left", type(error).__name__)


def descendants() -> list[psutil.Process]:
    """Return all processes below this one: the forkserver, workers and what tasks started."""
    with suppress(psutil.Error):
        return psutil.Process(os.getpid()).children(recursive=True)
    return []


def kill(processes: list[psutil.Process]) -> None:
    """Kill those of the processes that still live. psutil compares birth times: no stranger is hit."""
    for process in processes:
        with suppress(psutil.Error):
            process.kill()


def remove_scratch(path: Path) -> None:
    """Delete spilled data."""
    shutil.rmtree(path, ignore_errors=True)

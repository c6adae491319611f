"""Reads a scheduler, in the scheduler's own process.

Elsewhere it is sent there by value (``remote.py``): this module and those that it imports import nothing else of this
package, and everything that it returns can travel.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection
from typing import Any

import distributed.scheduler
from distributed import Scheduler
from distributed.core import Status
from distributed.diagnostics.plugin import SchedulerPlugin

from .heartbeats import HeartbeatReader
from .task_progress import TaskProgress

PATIENCE_SECONDS = 30.0
"""A worker that hands nothing over for so long hangs; what it held is then computed anew."""
LOOK_SECONDS = 0.5
_PSEUDO_CLIENT = "fire-and-forget"


class SchedulerReader(SchedulerPlugin):
    """Tells who takes part and what is computed, and moves results from worker to worker.

    Parameters
    ----------
    name : str
        Under which the plugin is known to the scheduler.
    own_client : str, optional
        The supervisor's client, which does not count. When it goes, so does this plugin.
    """

    def __init__(self, name: str, own_client: str | None = None) -> None:
        self.name = name
        self._own_client = own_client
        self._go_on = True
        self._changed: Callable[[], None] = _nothing

    async def start(self, scheduler: Scheduler) -> None:
        """Begin, when sent to a scheduler elsewhere: answer what is asked under the plugin's name."""
        self.attach(scheduler)
        scheduler.handlers[self.name] = self.answer
        self._changed = lambda: scheduler.log_event(self.name, "members")

    def attach(self, scheduler: Scheduler) -> None:
        """Read this scheduler."""
        self._scheduler = scheduler
        self._heartbeats = HeartbeatReader(scheduler)
        self._progress = TaskProgress(scheduler)

    def watch(self, changed: Callable[[], None]) -> None:
        """Call back when workers or clients come or go, from within the scheduler's own work."""
        self._changed = changed

    def stop(self) -> None:
        """Leave the scheduler as it was."""
        self._changed = _nothing
        self._progress.stop()
        self._scheduler.plugins.pop(self.name, None)
        self._scheduler.handlers.pop(self.name, None)

    # -- coming and going ------------------------------------------------------------------------

    def add_worker(self, scheduler: Scheduler, worker: str) -> None:
        self._changed()

    def remove_worker(self, scheduler: Scheduler, worker: str, **kwargs: Any) -> None:
        self._changed()

    def add_client(self, scheduler: Scheduler, client: str) -> None:
        self._changed()

    def remove_client(self, scheduler: Scheduler, client: str) -> None:
        if client == self._own_client:
            self.stop()  # The supervisor is gone.
        else:
            self._changed()

    # -- reading ---------------------------------------------------------------------------------

    async def answer(self, verb: str, names: Collection[str] = (), timeout: float = 0.0) -> Any:
        """Answer what a supervisor elsewhere asks."""
        if verb == "read":
            return self.read()
        if verb == "hand_over":
            return await self.hand_over(names)
        if verb == "break_off":
            return self.break_off()
        if verb == "restart":
            return await self.restart_workers(timeout)
        raise ValueError(verb)

    def read(self) -> dict[str, Any]:
        """Return everything at once."""
        tasks, progress = self._progress.read()
        return {
            "members": self.members(),
            "heartbeat_seconds": self.heartbeat_seconds(),
            "columns": self._heartbeats.read(),
            "tasks": tasks,
            "progress": progress,
        }

    def members(self) -> dict[str, Any]:
        """Return the fields of ``Members``, workers as rows of the fields of ``Member``."""
        scheduler = self._scheduler
        ready = {Status.running, Status.paused}
        return {
            "workers": [
                [
                    str(worker.name),
                    worker.address,
                    worker.pid or None,
                    worker.nthreads,
                    worker.memory_limit or None,
                    worker.status in ready,
                    bool(worker.has_what or worker.actors),
                    bool(worker.actors),
                ]
                for worker in scheduler.workers.values()
            ],
            "n_clients": sum(1 for key in scheduler.clients if key not in {_PSEUDO_CLIENT, self._own_client}),
            "computes": bool(
                scheduler.unrunnable
                or scheduler.queued
                or any(worker.processing for worker in scheduler.workers.values())
            ),
            "ended": "A client shut the scheduler down."
            if scheduler.status in {Status.closing, Status.closed, Status.failed}
            else None,
        }

    def heartbeat_seconds(self) -> float:
        """Seconds between the heartbeats of one worker."""
        return float(distributed.scheduler.heartbeat_interval(len(self._scheduler.workers)))

    def columns(self) -> Any:
        """Return what the heartbeats have brought."""
        return self._heartbeats.read()

    def tasks(self) -> Any:
        """Return the number of tasks by state, and the progress of those kinds that were active last."""
        return self._progress.read()

    # -- moving results --------------------------------------------------------------------------

    async def hand_over(self, names: Collection[str]) -> dict[str, list[str]]:
        """Move the results of these workers to the others; returns the fields of ``HandedOver``."""
        scheduler = self._scheduler
        workers = [worker for worker in scheduler.workers.values() if str(worker.name) in names]
        self._go_on = True
        # By name: distributed's own SpecCluster passes names where addresses are meant, so nothing is moved there.
        handing: asyncio.Future[Any] = asyncio.ensure_future(
            scheduler.retire_workers(names=[worker.name for worker in workers], close_workers=True, remove=True)
        )
        left, since = _only_on(workers), time.monotonic()
        try:
            while True:
                await asyncio.wait({handing}, timeout=LOOK_SECONDS)
                if handing.done():
                    gone = set(handing.result())
                    kept = [str(worker.name) for worker in workers if worker.address not in gone]
                    return {"gone": sorted(gone), "kept": kept, "stuck": []}
                if not self._go_on:
                    _break_off(scheduler, workers)
                now_left = _only_on(workers)
                if now_left < left:
                    left, since = now_left, time.monotonic()
                elif time.monotonic() - since > PATIENCE_SECONDS:
                    gone = {worker.address for worker in workers if worker.address not in scheduler.workers}
                    stuck = [str(worker.name) for worker in workers if worker.address not in gone]
                    return {"gone": sorted(gone), "kept": [], "stuck": stuck}
        finally:
            handing.cancel()

    def break_off(self) -> None:
        """Let a hand-over end at its next look."""
        self._go_on = False

    async def restart_workers(self, timeout: float) -> None:
        """Restart all workers and forget all tasks."""
        await self._scheduler.restart(stimulus_id="gpucluster-restart", timeout=timeout, wait_for_workers=True)


def _nothing() -> None:
    return


def _break_off(scheduler: Scheduler, workers: list[Any]) -> None:
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


def _only_on(workers: list[Any]) -> int:
    """Return how many results are on these workers and nowhere else."""
    here = set(workers)
    return sum(1 for worker in workers for task in worker.has_what if here.issuperset(task.who_has or ()))

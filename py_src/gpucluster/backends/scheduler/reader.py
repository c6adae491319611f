"""Reads a scheduler, in the scheduler's own process.

Elsewhere it is sent there by value (``remote.py``): this module and those that it imports import nothing else of this
package, and everything that it returns can travel.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Collection
from typing import Any

from distributed import Scheduler, SchedulerPlugin

from ...dask_internals.messages import remove_handler, set_handler
from ...dask_internals.periodic_callbacks import heartbeat_seconds
from ...dask_internals.scheduler_state import (
    break_off_retiring,
    clients_of_people,
    has_work,
    is_computing,
    is_of_a_worker,
    kernels_of,
    left_behind,
    n_transitions,
    n_wanted_results,
    n_without_worker,
    remove_plugin,
    remove_worker_named,
    restart_workers,
    retire,
)
from ...dask_internals.statuses import can_hold_results, is_ending, is_paused
from ...telemetry.columns import SPILL_METRIC
from .heartbeats import HeartbeatReader
from .task_progress import TaskProgress

PATIENCE_SECONDS = 30.0
"""A worker that hands nothing over for so long hangs; what it held is then computed anew."""
LOOK_SECONDS = 0.5
REMEMBERED = 50
"""So many workers that are gone are told about."""


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
        self.own_client = own_client
        self._go_on = True
        self._changed: Callable[[], None] = _nothing
        self._gone: deque[str] = deque(maxlen=REMEMBERED)
        self._n_restarts = self._n_connected = 0
        self._is_asked = False
        """Whether the supervisor itself has asked for the restart that comes."""

    async def start(self, scheduler: Scheduler) -> None:
        """Begin, when sent to a scheduler elsewhere: answer what is asked under the plugin's name."""
        self.attach(scheduler)
        set_handler(scheduler, self.name, self.answer)
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
        remove_plugin(self._scheduler, self.name)
        remove_handler(self._scheduler, self.name)

    # -- coming and going ------------------------------------------------------------------------

    def add_worker(self, scheduler: Scheduler, worker: str) -> None:
        self._changed()

    def remove_worker(self, scheduler: Scheduler, worker: str, **kwargs: Any) -> None:
        self._gone.append(worker)
        self._changed()

    def restart(self, scheduler: Scheduler) -> None:
        if not self._is_asked:
            self._n_restarts += 1
            self._changed()

    def add_client(self, scheduler: Scheduler, client: str) -> None:
        if client != self.own_client and not is_of_a_worker(client):
            self._n_connected += 1
        self._changed()

    def remove_client(self, scheduler: Scheduler, client: str) -> None:
        if client == self.own_client:
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
        if verb == "end":
            return await self.end(names)
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
        return {
            "workers": [
                [
                    str(worker.name),
                    worker.address,
                    worker.pid or None,
                    worker.nthreads,
                    worker.memory_limit or None,
                    can_hold_results(worker),
                    bool(worker.has_what or worker.actors),
                    bool(worker.actors),
                    is_paused(worker),
                    bool((worker.metrics or {}).get(SPILL_METRIC)),
                ]
                for worker in scheduler.workers.values()
            ],
            "n_clients": sum(1 for name in clients_of_people(scheduler) if name != self.own_client),
            "kernels": kernels_of(scheduler),
            "computes": has_work(scheduler),
            "is_quiet": not is_computing(scheduler),
            "n_held": n_wanted_results(scheduler),
            "n_queued": n_without_worker(scheduler),
            "n_uses": self._n_connected + n_transitions(scheduler),
            "n_restarts": self._n_restarts,
            "gone": [[address, *left_behind(scheduler, address)] for address in self._gone],
            "ended": "A client shut the scheduler down." if is_ending(scheduler) else None,
        }

    def heartbeat_seconds(self) -> float:
        """Seconds between the heartbeats of one worker."""
        return heartbeat_seconds(len(self._scheduler.workers))

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
        handing: asyncio.Future[set[str]] = asyncio.ensure_future(
            retire(scheduler, [worker.name for worker in workers])
        )
        left, since = _only_on(workers), time.monotonic()
        try:
            while True:
                await asyncio.wait({handing}, timeout=LOOK_SECONDS)
                if handing.done():
                    gone = handing.result()
                    kept = [str(worker.name) for worker in workers if worker.address not in gone]
                    return {"gone": sorted(gone), "kept": kept, "stuck": []}
                if not self._go_on:
                    break_off_retiring(scheduler, {worker.address for worker in workers})
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

    async def end(self, names: Collection[str]) -> None:
        """End these workers, whatever they hold."""
        for name in names:
            await remove_worker_named(self._scheduler, name, close=True)

    async def restart_workers(self, timeout: float) -> None:
        """Restart all workers and forget all tasks."""
        self._is_asked = True
        try:
            await restart_workers(self._scheduler, timeout=timeout)
        finally:
            self._is_asked = False


def _nothing() -> None:
    return


def _only_on(workers: list[Any]) -> int:
    """Return how many results are on these workers and nowhere else."""
    here = set(workers)
    return sum(1 for worker in workers for task in worker.has_what if here.issuperset(task.who_has or ()))

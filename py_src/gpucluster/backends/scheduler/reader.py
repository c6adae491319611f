"""Reads a scheduler, in the scheduler's own process.

To a scheduler in another process it is sent by value (``remote.py``): this module and those it imports import nothing
else of this package, and everything it returns can be sent over the network.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from distributed import Scheduler, SchedulerPlugin

from ...dask_internals.messages import remove_handler, set_handler
from ...dask_internals.periodic_callbacks import heartbeat_seconds
from ...dask_internals.scheduler_state import (
    cancel_retiring,
    clients_of_kernel,
    clients_of_people,
    figures,
    group_of_lost,
    has_work,
    is_computing,
    is_of_a_worker,
    kernels_of,
    left_behind,
    n_copies,
    n_transitions,
    n_wanted_results,
    n_without_worker,
    only_for,
    prefixes,
    release_results,
    remove_plugin,
    remove_worker_named,
    restart_workers,
    retire,
    still_missing,
    was_too_big,
)
from ...dask_internals.statuses import can_hold_results, is_ending, is_paused
from ...telemetry.columns import COLUMNS, METRIC, RATE_DIGITS, SPILL_METRIC, VERSION, rounded, size
from .cells import CellWork
from .failures import Failures
from .results import LargestResults

if TYPE_CHECKING:
    from distributed.scheduler import WorkerState

    from .view import Columns


PATIENCE_SECONDS = 30.0  # A worker that moves no result for this time hangs; its results are then recomputed.
LOOK_SECONDS = 0.5
REMEMBERED = 50  # Number of workers that left and are reported.
TOGETHER_SECONDS = 60.0  # Deaths within this period are one notice: a result that is lost repeatedly counts once.
READINGS = ("members", "heartbeat_seconds", "columns", "tasks", "cells")  # Once a second, to another process.


class SchedulerReader(SchedulerPlugin):
    """Reports members and tasks, and moves results, until the supervisor's own client, which does not count, leaves."""

    def __init__(self, name: str, own_client: str | None = None) -> None:
        self.name = name
        self.own_client = own_client
        self._retires = True
        self._changed: Callable[[], None] = _nothing
        self._cell_began: Callable[[], None] = _nothing
        self._gone: deque[tuple[str, int, int, list[str], int]] = deque(maxlen=REMEMBERED)
        self._counted: set[Any] = set()
        self._window = 0
        self._counted_since = -TOGETHER_SECONDS
        self._missing: set[Any] = set()
        self._n_restarts = self._n_connected = 0
        self._is_requested = False  # Whether the supervisor itself requested the restart.

    async def start(self, scheduler: Scheduler) -> None:
        """Begin, when sent to another process: answer requests under the plugin's name."""
        self.attach(scheduler)
        set_handler(scheduler, self.name, self.answer)
        self._changed = lambda: scheduler.log_event(self.name, "members")
        self._cell_began = self._changed

    def attach(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._heartbeats = HeartbeatReader(scheduler)
        self._failures = Failures(scheduler)
        self._results = LargestResults(scheduler)
        self._cells = CellWork(scheduler)
        self._progress = TaskProgress(scheduler, self._has_failed, self._cells.forgotten)
        self.answers: dict[str, Callable[..., Any]] = {
            "members": self.members,
            "heartbeat_seconds": lambda: heartbeat_seconds(len(scheduler.workers)),
            "columns": lambda: self._heartbeats.read(),
            "tasks": self._progress.read,
            "cells": self._cells.read,
            "read": lambda: {name: self.answers[name]() for name in READINGS},
            "failures": self._failures.read,
            "results": self._results.read,
            "release": self.release,
            "retire": self.retire,
            "cancel_retiring": self.cancel_retiring,
            "end_workers": self.end_workers,
            "restart_workers": self.restart_workers,
        }
        """What a supervisor may ask, in this process or another one."""

    def _has_failed(self, key: Any) -> None:
        self._failures.add(key)
        self._cells.failed(self._scheduler.tasks[key])

    def watch(self, changed: Callable[[], None]) -> None:
        """Call back, within the scheduler's own work, when workers or clients come or go."""
        self._changed = changed

    def watch_cells(self, began: Callable[[], None]) -> None:
        """Call back, within the scheduler's own work, when a cell sends its first tasks."""
        self._cell_began = began

    def stop(self) -> None:
        """Remove everything that was added to the scheduler."""
        self._changed = self._cell_began = _nothing
        self._progress.stop()
        remove_plugin(self._scheduler, self.name)
        remove_handler(self._scheduler, self.name)

    # -- coming and going ------------------------------------------------------------------------

    def add_worker(self, scheduler: Scheduler, worker: str) -> None:
        self._changed()

    def remove_worker(self, scheduler: Scheduler, worker: str, **kwargs: Any) -> None:
        results, data, tasks = left_behind(scheduler, worker)
        if time.monotonic() - self._counted_since > TOGETHER_SECONDS:
            self._counted, self._counted_since = set(), time.monotonic()
            self._window += 1
        before = self._still_missing()
        missing = still_missing(scheduler, results) - before
        # Inputs that are only needed to recompute results counted before.
        missing -= only_for(scheduler, missing, before)
        self._gone.append((worker, len(missing - self._counted), len(data), tasks, self._window))
        self._counted |= missing
        self._missing |= missing
        self._progress.lost(data)
        self._cells.lost(worker)
        self._changed()

    def restart(self, scheduler: Scheduler) -> None:
        if not self._is_requested:
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

    def update_graph(
        self, scheduler: Scheduler, *, client: str, tasks: Sequence[Any], annotations: dict[str, Any], **kwargs: Any
    ) -> None:
        if client != self.own_client and self._cells.add(client, tasks, annotations):
            self._cell_began()

    # -- reading ---------------------------------------------------------------------------------

    async def answer(self, verb: str, **options: Any) -> Any:
        found = self.answers[verb](**options)
        return await found if asyncio.iscoroutine(found) else found

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
            "gone": [
                [address, n, lost, was_too_big(scheduler, address), had, window]
                for address, n, lost, had, window in self._gone
            ],
            "n_recomputing": len(self._still_missing()),
            "failures": [
                [one["task"], one["n_tasks"], one["error"], bool(one["traceback"])] for one in self._failures.read()
            ],
            "ended": "A client shut the scheduler down." if is_ending(scheduler) else None,
        }

    def _still_missing(self) -> set[Any]:
        self._missing = still_missing(self._scheduler, self._missing)
        return self._missing

    def release(self, group: str, kernel: str, why: str) -> int:
        self._results.forget()
        scheduler = self._scheduler
        return sum(release_results(scheduler, client, group, why) for client in clients_of_kernel(scheduler, kernel))

    # -- moving results --------------------------------------------------------------------------

    async def retire(self, names: Collection[str]) -> dict[str, list[str]]:
        """Move the results of these workers to the others; return the fields of ``Retired``."""
        scheduler = self._scheduler
        workers = [worker for worker in scheduler.workers.values() if str(worker.name) in names]
        self._retires = True
        moving: asyncio.Future[set[str]] = asyncio.ensure_future(retire(scheduler, [worker.name for worker in workers]))
        left, since = _only_on(workers), time.monotonic()
        try:
            while True:
                await asyncio.wait({moving}, timeout=LOOK_SECONDS)
                if moving.done():
                    gone = moving.result()
                    kept = [str(worker.name) for worker in workers if worker.address not in gone]
                    return {"gone": sorted(gone), "kept": kept, "stuck": []}
                if not self._retires:
                    cancel_retiring(scheduler, {worker.address for worker in workers})
                now_left = _only_on(workers)
                if now_left < left:
                    left, since = now_left, time.monotonic()
                elif time.monotonic() - since > PATIENCE_SECONDS:
                    gone = {worker.address for worker in workers if worker.address not in scheduler.workers}
                    stuck = [str(worker.name) for worker in workers if worker.address not in gone]
                    return {"gone": sorted(gone), "kept": [], "stuck": stuck}
        finally:
            moving.cancel()

    def cancel_retiring(self) -> None:
        """Let ``retire`` end at its next look."""
        self._retires = False

    async def end_workers(self, names: Collection[str]) -> None:
        for name in names:
            await remove_worker_named(self._scheduler, name, close=True)

    async def restart_workers(self, timeout: float) -> None:
        self._is_requested = True
        try:
            await restart_workers(self._scheduler, timeout=timeout)
        finally:
            self._is_requested = False


def _nothing(*_: Any) -> None:
    return


def _only_on(workers: list[Any]) -> int:
    """Return how many results are on these workers and nowhere else."""
    here = set(workers)
    return sum(1 for worker in workers for task in worker.has_what if here.issuperset(task.who_has or ()))


MANY = 200  # With more workers, ages are in whole seconds: heartbeats are several seconds apart anyway.
_ROW_LENGTH = 1 + len(COLUMNS)


class HeartbeatReader:
    """Reads all workers of a scheduler, in the order of their names."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._known: list[WorkerState] = []
        self._sorted: list[WorkerState] = []

    def read(self) -> Columns:
        """Return every column; a figure that a worker does not measure is ``None``."""
        workers = self._workers()
        clock = time.time()
        columns: Columns = {
            "workers": [str(worker.name) for worker in workers],
            "age_seconds": _ages(clock, workers),
            "n_threads": [worker.nthreads for worker in workers],
            "processing": [len(worker.processing) for worker in workers],
            "memory_limit_bytes": [worker.memory_limit or None for worker in workers],
        }
        rows = [_row(worker.metrics or {}) for worker in workers]
        # The first entry of a row is its version.
        columns |= zip(COLUMNS, list(zip(*rows, strict=True))[1:], strict=False)
        return columns

    def _workers(self) -> list[WorkerState]:
        now = list(self._scheduler.workers.values())
        if now != self._known:
            self._known = now
            self._sorted = sorted(now, key=lambda worker: (len(str(worker.name)), str(worker.name)))
        return self._sorted


def _ages(clock: float, workers: Sequence[WorkerState]) -> list[float]:
    # Truncated, not rounded: that takes a tenth of the time.
    if len(workers) > MANY:
        return [max(0, int(clock - worker.last_seen)) for worker in workers]
    return [max(0, int(10 * (clock - worker.last_seen))) / 10 for worker in workers]


def _row(metrics: Mapping[str, Any]) -> Sequence[Any]:
    row = metrics.get(METRIC)
    if isinstance(row, (list, tuple)) and len(row) == _ROW_LENGTH and row[0] == VERSION:
        return row
    return _foreign_row(metrics)


def _foreign_row(metrics: Mapping[str, Any]) -> Sequence[Any]:
    """Return what Dask itself measures, for a worker that has just started or has no gpucluster of this version.

    Three states of RMM: no pool figure (no RMM), a pool without a used figure (not tracked), both.
    """
    found = figures(metrics)
    cpu = found["cpu_percent"]
    whole = {name: None if value is None else int(value) for name, value in found.items()}
    columns = {
        "executing": whole["executing"],
        "cpu_percent": None if cpu is None else rounded(cpu, RATE_DIGITS),
        "memory_bytes": size(whole["memory_bytes"]),
        # Dask's own figure is always 0 for CUDA workers, whose spilled results are elsewhere: not measured.
        "tier_disk_bytes": None if found["gpu_used_bytes"] is not None else size(whole["spilled_bytes"]),
        "vram_total_bytes": size(whole["gpu_total_bytes"]),
        "vram_used_bytes": size(whole["gpu_used_bytes"]),
        "gpu_utilization_percent": whole["gpu_utilization_percent"],
        "rmm_pool_bytes": size(whole["rmm_pool_bytes"] or None),
        "rmm_used_bytes": size(whole["rmm_used_bytes"] or None),
    }
    return [VERSION, *map(columns.get, COLUMNS)]


MOST = 30
_FIELDS = {
    "waiting": ("waiting", "queued", "no-worker"),
    "processing": ("processing",),
    "in_memory": ("memory",),
    "released": ("released", "forgotten"),
    "erred": ("erred",),
}
"""Dask's states by the state shown."""
_FOLLOWED = ("waiting", "queued", "no-worker", "processing", "erred")
"""States in which no task begins: new tasks are released, and scattered data is in memory."""


class TaskProgress:
    """Tracks the kinds of tasks that were active last.

    Dask keeps every kind of task that it has ever seen, so nothing here iterates over all of them: transitions are
    counted as they happen, and a reading covers only the few kinds that were active last.
    """

    def __init__(
        self,
        scheduler: Scheduler,
        failed: Callable[[Any], None] = _nothing,
        without_result: Callable[[Any, bool], None] = _nothing,
    ) -> None:
        self._scheduler = scheduler
        self._counts: Counter[str] = Counter(task.state for task in scheduler.tasks.values())
        self._latest: OrderedDict[str, None] = OrderedDict.fromkeys(list(prefixes(scheduler))[-MOST:])
        """The kinds that were active last, at most ``MOST``; the last one last."""
        self._lost: dict[str, tuple[Any, int]] = {}
        """Scattered data that is lost, by its group, which Dask forgets with the last of its tasks."""
        self._name = f"gpucluster-progress-{uuid4().hex}"
        follower = _follower(scheduler, self._counts, self._latest, failed, without_result)
        scheduler.add_plugin(follower, name=self._name)

    def stop(self) -> None:
        remove_plugin(self._scheduler, self._name)

    def lost(self, keys: Collection[Any]) -> None:
        """Stop counting these as done, although Dask counts everything it has forgotten as done."""
        for key in keys:
            group = group_of_lost(self._scheduler, key)
            if group is not None:
                known, number = self._lost.get(group.name, (None, 0))
                self._lost[group.name] = (group, number + 1 if known is group else 1)

    def _n_lost(self) -> Counter[str]:
        groups = self._scheduler.task_groups
        self._lost = {name: (group, n) for name, (group, n) in self._lost.items() if groups.get(name) is group}
        lost: Counter[str] = Counter()
        for group, number in self._lost.values():
            lost[group.prefix.name] += number
        return lost

    def read(self) -> tuple[dict[str, int], list[dict[str, Any]]]:
        """Return the number of tasks by state, and the progress of the prefixes that were active last."""
        known = prefixes(self._scheduler)
        # A restart forgets the kinds too.
        lost = self._n_lost()
        progress = [_progress(name, known[name].states, lost[name]) for name in self._latest if name in known]
        counts = {state: count for state, count in self._totals().items() if count > 0}
        return counts, [one for one in progress if len(one) > 1]

    def _totals(self) -> dict[str, int]:
        scheduler = self._scheduler
        totals = {state: self._counts[state] for state in _FOLLOWED}
        # Every task in memory is on a worker; copies count once.
        totals["memory"] = sum(len(worker.has_what) for worker in scheduler.workers.values()) - n_copies(scheduler)
        totals["released"] = len(scheduler.tasks) - sum(totals.values())
        return totals


def _follower(
    scheduler: Scheduler,
    counts: Counter[str],
    latest: OrderedDict[str, None],
    failed: Callable[[Any], None],
    without_result: Callable[[Any, bool], None],
) -> SchedulerPlugin:
    tasks = scheduler.tasks
    failures: set[Any] = set()  # Failed, and now released: what is forgotten next has lost its error.

    class ProgressFollower(SchedulerPlugin):
        """Runs several times per task, so it does as little as possible."""

        last = None

        def transition(self, key: Any, start: str, finish: str, *args: Any, **kwargs: Any) -> None:
            counts[start] -= 1
            counts[finish] += 1
            if finish == "erred" and start in {"processing", "no-worker"}:  # Not because another task failed.
                failed(key)
            task = tasks[key]
            if finish == "forgotten" and task.nbytes < 0:  # It has no result.
                without_result(task, start == "erred" or key in failures)
            if start == "erred" and finish == "released":
                failures.add(key)
            elif failures:
                failures.discard(key)
            prefix = task.prefix
            if prefix is not self.last:
                self.last = prefix
                latest[prefix.name] = None
                latest.move_to_end(prefix.name)
                if len(latest) > MOST:
                    latest.popitem(last=False)

    return ProgressFollower()


def _progress(name: str, states: Any, n_lost: int) -> dict[str, Any]:
    counts = {field: sum(states.get(state, 0) for state in among) for field, among in _FIELDS.items()}
    counts["released"] -= n_lost
    return {"prefix": name} | {field: count for field, count in counts.items() if count > 0}

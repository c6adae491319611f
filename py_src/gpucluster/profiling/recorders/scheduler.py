"""Record sums of the scheduler's task stream while a cell is profiled.

It costs a few microseconds per task, and sends no data of single tasks to the notebook.
"""

import asyncio
import time
from typing import Any

from distributed import Scheduler, SchedulerPlugin

from ...dask_internals.messages import follow_received_from_clients
from ...dask_internals.scheduler_state import (
    client_names,
    left_on_purpose,
    n_unfinished,
    prefix_of,
    remove_plugin,
    take_worker_plugin,
)
from ...dask_internals.workers.worker_state import n_readings, plugin, readings_since
from .imports import ImportTimes
from .tasks import UNFINISHED, SubmittedTime, TaskSums


class SchedulerRecorder(SchedulerPlugin):
    """Sums of tasks, joined and lost workers, and bytes from clients. Removed when its owner, a client, disconnects."""

    def __init__(self, name: str, owner: str) -> None:
        self.name = name
        self._owner = owner

    # -- life ------------------------------------------------------------------------------------

    async def start(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._begin = time.time()
        self._n_readings = n_readings(scheduler)
        self._tasks = TaskSums(self._begin)
        self._workers: dict[str, dict[str, Any]] = {}
        self._restarts = 0
        self._other_clients: set[str] = set()
        for worker in scheduler.workers.values():
            self._figures_of(worker.address)
        self._submitted = SubmittedTime(key for key, task in scheduler.tasks.items() if task.state in UNFINISHED)
        self._client_bytes = 0
        self._imports = ImportTimes()
        self._received = follow_received_from_clients(scheduler, self._add_received)
        self.mark()

    def mark(self) -> None:
        self._begin = self._tasks.begin = time.time()
        self._submitted.begin(self._begin)
        self._imports.begin()
        for known in self._workers.values():
            known["joined"] = self._begin
        self._n_readings = n_readings(self._scheduler)
        self._note_clients()

    def stop(self) -> None:
        remove_plugin(self._scheduler, self.name)
        self._imports.stop()
        for following in self._received or ():
            following.stop()

    def remove_client(self, scheduler: Scheduler, client: str) -> None:
        """Stop when the measuring client disconnects."""
        if client != self._owner or plugin(scheduler, self.name) is None:
            return
        self.stop()
        # Its kernel may have been killed before it removed the workers' recorders.
        self._removal = asyncio.ensure_future(take_worker_plugin(scheduler, self.name))

    def add_client(self, scheduler: Scheduler, client: str) -> None:
        self._note_clients()

    def _note_clients(self) -> None:
        self._other_clients |= {
            name for name in client_names(self._scheduler) if name.startswith("Client-") and "-profile-" not in name
        }

    def _add_received(self, client: str, n_bytes: int) -> None:
        if client != self._owner:
            self._client_bytes += n_bytes

    # -- workers ---------------------------------------------------------------------------------

    def add_worker(self, scheduler: Scheduler, worker: str) -> None:
        self._figures_of(worker)["joined_later"] = True

    def remove_worker(self, scheduler: Scheduler, worker: str, *, stimulus_id: str, **kwargs: Any) -> None:
        """Note a worker that leaves, and whether that was requested."""
        known = self._workers.get(worker)
        if known is not None:
            known["left"] = time.time()
            known["expected"] = left_on_purpose(scheduler, worker)

    def restart(self, scheduler: Scheduler) -> None:
        self._restarts += 1

    def _figures_of(self, address: str) -> dict[str, Any]:
        state = self._scheduler.workers.get(address)
        return self._workers.setdefault(
            address,
            {
                "name": str(state.name) if state else address,
                "n_threads": state.nthreads if state else 1,
                "joined": time.time(),
                "left": None,
                "expected": None,
                "joined_later": False,
                "n_tasks": 0,
                "compute_seconds": 0.0,
            },
        )

    # -- tasks -----------------------------------------------------------------------------------

    def transition(self, key: Any, start: str, finish: str, *args: Any, **kwargs: Any) -> None:
        """Add a task that has ended, and note whether any is left."""
        self._submitted.note(key, finish, time.time())
        if start != "processing" or finish not in ("memory", "erred"):
            return
        computed = self._tasks.add(prefix_of(self._scheduler, key), finish == "erred", kwargs)
        if computed is not None:
            known = self._figures_of(kwargs.get("worker") or "")
            known["n_tasks"] += 1
            known["compute_seconds"] += computed

    # -- the end ---------------------------------------------------------------------------------

    def collect(self) -> dict[str, Any]:
        """Return everything, in plain types."""
        now = time.time()
        readings = readings_since(self._scheduler, self._n_readings)
        return {
            "begin": self._begin,
            "end": now,
            "workers": self._workers,
            **self._tasks.collect(),
            "unfinished": n_unfinished(self._scheduler, UNFINISHED),
            "submitted_seconds": self._submitted.seconds(now),
            "restarts": self._restarts,
            "import_seconds": self._imports.seconds(),
            "sent_bytes": None if self._received is None else self._client_bytes,
            "scheduler_cpu_percent": [value for value in readings.get("cpu", []) if value is not None],
            "other_clients": len(self._other_clients),
        }


def begin(name: str, dask_scheduler: Any) -> None:
    recorder: SchedulerRecorder = plugin(dask_scheduler, name)
    recorder.mark()


def finish(name: str, dask_scheduler: Any) -> dict[str, Any] | None:
    """End the recording and return it, if it still exists."""
    recorder: SchedulerRecorder | None = plugin(dask_scheduler, name)
    if recorder is None:
        return None
    try:
        return recorder.collect()
    finally:
        recorder.stop()

"""What happens on the scheduler while a cell is profiled: its task stream, added up where it happens.

The plugin is sent to the scheduler by value, so that any cluster can be profiled, whatever is installed there: this
module and those that it imports import nothing else of this package. It costs a few microseconds per task, and
nothing of a single task travels to the notebook.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any

from distributed import Scheduler, SchedulerPlugin

from ..sentbytes import SentBytes
from ..submitted import UNFINISHED, SubmittedTime
from .tasks import TaskSums


class SchedulerRecorder(SchedulerPlugin):
    """Adds up tasks, joins and losses of workers, and what clients send.

    Parameters
    ----------
    name : str
        Under which the plugin is known to the scheduler.
    owner : str
        The client that measures: when it goes, so does the recorder.
    """

    def __init__(self, name: str, owner: str) -> None:
        self.name = name
        self._owner = owner

    # -- life ------------------------------------------------------------------------------------

    async def start(self, scheduler: Scheduler) -> None:
        """Begin to record."""
        self._scheduler = scheduler
        self._begin = time.time()
        self._monitor_count = scheduler.monitor.count
        self._tasks = TaskSums(self._begin)
        self._workers: dict[str, dict[str, Any]] = {}
        self._restarts = 0
        self._other_clients: set[str] = set()
        for worker in scheduler.workers.values():
            self._meet(worker.address)
        self._submitted = SubmittedTime(key for key, task in scheduler.tasks.items() if task.state in UNFINISHED)
        self._sent = SentBytes(scheduler, self._owner)
        self.mark()

    def mark(self) -> float:
        """Take this moment for the beginning."""
        self._begin = self._tasks.begin = time.time()
        self._submitted.begin(self._begin)
        for known in self._workers.values():
            known["joined"] = self._begin
        self._monitor_count = self._scheduler.monitor.count
        self._note_clients()
        return self._begin

    def stop(self) -> None:
        """Leave the scheduler as it was."""
        self._scheduler.plugins.pop(self.name, None)
        self._sent.stop()

    def remove_client(self, scheduler: Scheduler, client: str) -> None:
        """Go with the client that measures, however it ends."""
        if client != self._owner or self.name not in scheduler.plugins:
            return
        self.stop()
        if self.name in scheduler.worker_plugins:  # its kernel was killed
            self._farewell = asyncio.ensure_future(scheduler.unregister_worker_plugin(None, self.name))

    def add_client(self, scheduler: Scheduler, client: str) -> None:
        """Notice who else may send work."""
        self._note_clients()

    def _note_clients(self) -> None:
        self._other_clients |= {
            name for name in self._scheduler.clients if name.startswith("Client-") and "-profile-" not in name
        }

    # -- workers ---------------------------------------------------------------------------------

    def add_worker(self, scheduler: Scheduler, worker: str) -> None:
        """Notice a worker that joins."""
        self._meet(worker)["joined_later"] = True

    def remove_worker(self, scheduler: Scheduler, worker: str, *, stimulus_id: str, **kwargs: Any) -> None:
        """Notice a worker that leaves, and whether anybody wanted it to."""
        known = self._workers.get(worker)
        if known is not None:
            known["left"] = time.time()
            known["expected"] = self._was_expected(worker)

    def restart(self, scheduler: Scheduler) -> None:
        """Notice a restart of all workers."""
        self._restarts += 1

    def _meet(self, address: str) -> dict[str, Any]:
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

    def _was_expected(self, address: str) -> bool:
        """Return whether the worker said goodbye, or was retired. One that dies does neither."""
        for _, event in self._scheduler.get_events(address) or ():
            if not isinstance(event, dict):
                continue
            if event.get("expected") is True or str(event.get("status", "")).startswith("closing"):
                return True
        return False

    # -- tasks -----------------------------------------------------------------------------------

    def transition(self, key: Any, start: str, finish: str, *args: Any, **kwargs: Any) -> None:
        """Add up a task that has ended, and note whether any is left."""
        self._submitted.note(key, finish, time.time())
        if start != "processing" or finish not in ("memory", "erred"):
            return
        state = self._scheduler.tasks.get(key)
        prefix = state.prefix.name if state is not None and state.prefix is not None else str(key)
        computed = self._tasks.add(prefix, finish == "erred", kwargs)
        if computed is not None:
            known = self._meet(kwargs.get("worker") or "")
            known["n_tasks"] += 1
            known["compute_seconds"] += computed

    # -- the end ---------------------------------------------------------------------------------

    def collect(self) -> dict[str, Any]:
        """Return everything, in plain types."""
        now = time.time()
        unfinished = 0
        for prefix in self._scheduler.task_prefixes.values():
            unfinished += sum(number for state, number in prefix.states.items() if state in UNFINISHED)
        monitor = self._scheduler.monitor.range_query(self._monitor_count)
        return {
            "begin": self._begin,
            "end": now,
            "workers": self._workers,
            **self._tasks.collect(),
            "unfinished": unfinished,
            "submitted_seconds": self._submitted.seconds(now),
            "restarts": self._restarts,
            "sent_bytes": self._sent.n_bytes,
            "scheduler_cpu_percent": [value for value in monitor.get("cpu", []) if value is not None],
            "other_clients": len(self._other_clients),
        }


def begin(name: str, dask_scheduler: Any) -> float:
    """Take this moment for the beginning; returns the scheduler's time."""
    recorder: SchedulerRecorder = dask_scheduler.plugins[name]
    return recorder.mark()


def finish(name: str, dask_scheduler: Any) -> dict[str, Any] | None:
    """End the recording and return it; nothing, when it is not there any more."""
    recorder: SchedulerRecorder | None = dask_scheduler.plugins.get(name)
    if recorder is None:
        return None
    try:
        return recorder.collect()
    finally:
        recorder.stop()

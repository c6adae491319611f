"""How far the tasks of each kind are.

Dask keeps every kind of task that it has ever seen, so nothing here goes through all of them: transitions are followed
as they happen, and a reading looks at the few kinds that were active last.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from ...dask_internals.scheduler_state import n_copies, remove_plugin, states_by_prefix

if TYPE_CHECKING:
    from distributed import Scheduler, SchedulerPlugin

MOST = 30
_FIELDS = {
    "waiting": ("waiting", "queued", "no-worker"),
    "processing": ("processing",),
    "in_memory": ("memory",),
    "released": ("released", "forgotten"),
    "erred": ("erred",),
}
"""Dask's states by what they mean to people."""
_FOLLOWED = ("waiting", "queued", "no-worker", "processing", "erred")
"""States that no task begins in. Dask makes tasks that are released, and scattered data that is in memory."""


class TaskProgress:
    """Follows the kinds of tasks, and which of them were active last.

    Parameters
    ----------
    scheduler : distributed.Scheduler
    """

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._counts: Counter[str] = Counter(task.state for task in scheduler.tasks.values())
        self._latest: OrderedDict[str, None] = OrderedDict.fromkeys(list(states_by_prefix(scheduler))[-MOST:])
        """The kinds that were active last, at most ``MOST``; the last one last."""
        self._name = f"gpucluster-progress-{uuid4().hex}"
        scheduler.add_plugin(_follower(scheduler, self._counts, self._latest), name=self._name)

    def stop(self) -> None:
        """Follow the scheduler no more."""
        remove_plugin(self._scheduler, self._name)

    def read(self) -> tuple[dict[str, int], list[dict[str, Any]]]:
        """Return the number of tasks by state, and the progress of the prefixes that were active last."""
        prefixes = states_by_prefix(self._scheduler)
        # A restart forgets the kinds too.
        progress = [_progress(name, prefixes[name]) for name in self._latest if name in prefixes]
        return {state: count for state, count in self._totals().items() if count > 0}, [
            one for one in progress if len(one) > 1
        ]

    def _totals(self) -> dict[str, int]:
        scheduler = self._scheduler
        totals = {state: self._counts[state] for state in _FOLLOWED}
        # Every task in memory is on a worker; copies count once.
        totals["memory"] = sum(len(worker.has_what) for worker in scheduler.workers.values()) - n_copies(scheduler)
        totals["released"] = len(scheduler.tasks) - sum(totals.values())
        return totals


def _follower(scheduler: Scheduler, counts: Counter[str], latest: OrderedDict[str, None]) -> SchedulerPlugin:
    from distributed import SchedulerPlugin

    tasks = scheduler.tasks

    class ProgressFollower(SchedulerPlugin):
        """Runs several times per task: it does next to nothing."""

        last = None

        def transition(self, key: Any, start: str, finish: str, *args: Any, **kwargs: Any) -> None:
            counts[start] -= 1
            counts[finish] += 1
            prefix = tasks[key].prefix
            if prefix is not self.last:
                self.last = prefix
                latest[prefix.name] = None
                latest.move_to_end(prefix.name)
                if len(latest) > MOST:
                    latest.popitem(last=False)

    return ProgressFollower()


def _progress(name: str, states: Any) -> dict[str, Any]:
    counts = {field: sum(states.get(state, 0) for state in among) for field, among in _FIELDS.items()}
    return {"prefix": name} | {field: count for field, count in counts.items() if count > 0}

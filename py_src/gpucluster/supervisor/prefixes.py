"""How far the tasks of each kind are."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from distributed import Scheduler

MOST = 30
_FIELDS = {
    "waiting": ("waiting", "queued", "no-worker"),
    "processing": ("processing",),
    "in_memory": ("memory",),
    "released": ("released", "forgotten"),
    "erred": ("erred",),
}
"""Dask's states by what they mean to people."""


class PrefixWatch:
    """Follows the kinds of tasks, and which of them were active last.

    Parameters
    ----------
    scheduler : distributed.Scheduler
    """

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._activity: dict[str, int] = {}
        """Transitions so far, by prefix; the most recently active ones last."""

    def read(self) -> tuple[dict[str, int], list[dict[str, Any]]]:
        """Return the number of tasks by state, and the progress of the prefixes that were active last."""
        prefixes = self._scheduler.task_prefixes
        tasks: Counter[str] = Counter()
        for name, prefix in prefixes.items():
            tasks.update(prefix.states)
            activity = sum(prefix.state_counts.values())
            if self._activity.get(name) != activity:
                self._activity.pop(name, None)
                self._activity[name] = activity
        del tasks["forgotten"]  # These are tasks no more.
        latest = [name for name in self._activity if name in prefixes][-MOST:]
        progress = [_progress(name, prefixes[name].states) for name in latest]
        return {state: count for state, count in tasks.items() if count > 0}, [one for one in progress if len(one) > 1]


def _progress(name: str, states: Any) -> dict[str, Any]:
    counts = {field: sum(states.get(state, 0) for state in among) for field, among in _FIELDS.items()}
    return {"prefix": name} | {field: count for field, count in counts.items() if count > 0}

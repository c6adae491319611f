"""A small kitchen whose scheduler notes what runs: nothing of the lesson's own cluster changes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from distributed import SchedulerPlugin

from ....dask_internals.scheduler_state import transition_facts
from ...simulations.kitchen import small_kitchen

if TYPE_CHECKING:
    from distributed import Client


@dataclass
class Watched:
    """A kitchen under observation.

    Attributes
    ----------
    seconds : dict
        How long each task kept a thread busy, by key.
    knives : dict
        How many knives each cook has, by name.
    """

    client: Client
    scheduler: Any
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def knives(self) -> dict[Any, float]:
        return {worker.name: worker.resources.get("knife", 0) for worker in self.scheduler.workers.values()}


class _Watcher(SchedulerPlugin):
    name = "gpucluster-lesson-watcher"

    def __init__(self, watched: Watched) -> None:
        self.watched = watched

    def transition(self, key: Any, start: str, finish: str, *args: Any, **kwargs: Any) -> None:
        if start == "processing" and finish == "memory":
            steps = transition_facts(kwargs)["steps"]
            self.watched.seconds[key] = sum(stop - start for action, start, stop in steps if action == "compute")


@contextmanager
def watched_kitchen(cooks: int) -> Iterator[Watched]:
    """Open a kitchen of threads, and note each task that its scheduler sees done."""
    with small_kitchen(cooks) as (client, cluster):
        scheduler: Any = cluster.scheduler
        watched = Watched(client, scheduler)
        scheduler.add_plugin(_Watcher(watched))
        yield watched

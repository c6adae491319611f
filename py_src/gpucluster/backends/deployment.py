"""One living cluster, whatever owns it: the part of the contract that lasts from its start to its end.

The supervisor compares what is wanted with ``slots()`` and asks for the difference. A request returns when it was
handed on: whether workers come now or in an hour, when a queue has served them, is what ``slots()`` tells afterwards.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from ..protocol.errors import InvalidState
from ..protocol.spec import Adapt
from ..protocol.telemetry import Decision
from ..protocol.verbs import VERBS, Verb

if TYPE_CHECKING:
    from .scheduler.view import SchedulerView

RESTART_TIMEOUT_SECONDS = 90.0
"""Dask's own client gives a restart four times its patience for a connection, 120 s, and so do our verbs. This is a
little less, so that whoever waits is told what did not come back. GPU workers import RAPIDS anew."""

_LEAVING_LOOKS = 200
_LOOK_SECONDS = 0.05
"""For 10 s a restart waits for workers that were told to end before: Dask counts them among those that come back."""


class SlotState(StrEnum):
    """Where a worker is in its life, as whoever starts it sees it."""

    PENDING = "pending"
    """Asked for; it waits in a queue, or starts."""
    RUNNING = "running"
    """Connected to the scheduler."""
    LOST = "lost"
    """It was running and is gone, and nobody starts it again unless the supervisor asks."""
    FAILED = "failed"
    """It could not be started."""
    LEAVING = "leaving"
    """Told to end, and not gone yet."""


@dataclass(frozen=True)
class Slot:
    """One worker that was asked for."""

    name: str
    """The name that the worker has, or will have, for the scheduler."""
    state: SlotState
    since: datetime
    """Since when it is in this state."""
    why: str | None = None
    """Why it waits, could not be started or is gone, without a full stop at the end."""
    node: str | None = None
    """The machine that it is on, where that is another one than the scheduler's and is known."""
    ends: datetime | None = None
    """When its time limit is over, with its time zone."""
    comes_with: str | None = None
    """The job that it is one of the workers of, where several share one."""


def could_not_start(failed: int, wanted: int, why: str) -> str:
    return f"{failed} of {wanted} workers could not start: {why}."


class Deployment(ABC):
    """Scheduler and workers of one cluster, made by ``Backend.start``. Used on one event loop."""

    scheduler: SchedulerView
    """What the scheduler tells and can be asked."""
    unit: str = "worker"
    """What people call what is asked for, where it waits: 'job', 'pod'."""
    workers_together: int = 1
    """So many workers come and go together, as those of one job do."""
    whole_jobs: bool = True
    """Whether the number of workers is a multiple of that; otherwise the last job may have fewer."""
    submitted: str | None = None
    """What was handed to whoever starts the workers, such as a batch script, for people to read; without secrets."""
    limit: int | None = None
    """The most workers that whoever starts them grants, once that is known."""
    can: frozenset[Verb] = frozenset()
    """What this cluster can do; the supervisor refuses the rest before it comes here."""
    lost_together: bool = False
    """Whether one worker that is lost takes all others along; then the deployment itself tells why, once for all."""
    why_not: str | None = None
    """Why it cannot do the rest, as the end of a sentence: 'somebody else has started it'."""

    def supports(self, verb: Verb) -> bool:
        """Whether it can be asked for that."""
        return VERBS[verb].cannot is None or verb in self.can

    @abstractmethod
    def slots(self) -> list[Slot]:
        """Return the workers that were asked for, in the order in which they were; immediate, asks nobody."""

    def leaving(self, n: int) -> set[str]:
        """Return the names of those that ``scale(n)`` will take away.

        Those that have not come yet hold nothing and leave first; of the others those that were asked for last.
        """
        counted = [slot for slot in self.slots() if slot.state is not SlotState.LEAVING][::-1]
        counted.sort(key=lambda slot: slot.state is SlotState.RUNNING)
        return {slot.name for slot in counted[: max(0, len(counted) - n)]}

    async def scale(self, n: int) -> None:
        """Ask for a fixed number of workers; ends ``adapt``. Asked again, it asks anew for those that are lost."""
        raise self._refusal("be scaled")

    async def lower_memory_limit(self, limit_bytes: int) -> None:
        """Let no worker have more host memory than this, neither those that run nor those that come.

        A worker that uses more spills and pauses until it uses less, and loses nothing. Asked of clusters whose plan
        ``shares_memory``.
        """
        raise self._refusal("divide their memory again")

    async def adapt(self, bounds: Adapt | None) -> None:
        """Let the number of workers follow the load within bounds, or, with ``None``, no longer.

        While it does, the deployment itself replaces workers that are lost.
        """
        raise self._refusal("follow the load")

    def decisions(self) -> list[Decision]:
        """Return what following the load has led to since `adapt` was last called, oldest first; immediate."""
        return []

    def gives_up(self) -> int | None:
        """Return how often workers could not be started, once that makes it useless to go on asking; immediate."""
        return None

    @abstractmethod
    async def release(self, names: Collection[str]) -> None:
        """End these workers, whatever their state, and do not replace them. What they hold was moved before."""

    async def restart(self) -> None:
        """Restart all workers and forget all tasks.

        Raises
        ------
        TimeoutError
            Not all have come back in time.
        """
        for _ in range(_LEAVING_LOOKS):
            if not self._still_leaving():
                break
            await asyncio.sleep(_LOOK_SECONDS)
        await self.scheduler.restart_workers(RESTART_TIMEOUT_SECONDS)

    def _still_leaving(self) -> bool:
        leaving = {slot.name for slot in self.slots() if slot.state is SlotState.LEAVING}
        return bool(leaving) and any(worker.name in leaving for worker in self.scheduler.members().workers)

    @abstractmethod
    async def close(self) -> None:
        """End scheduler and workers, and forget the view of the scheduler.

        Raises
        ------
        Exception
            Something may be left. The supervisor then calls ``Backend.reap`` with what was remembered.
        """

    def notes(self) -> list[str]:
        """Return what to know about it now, in sentences, such as that workers will end soon; immediate."""
        return []

    def warnings(self) -> list[str]:
        """Return what somebody should see at once, in sentences, as that a time limit is nearly over; immediate."""
        return []

    def device_of(self, name: str) -> str | None:
        """Return the UUID (or index) of the GPU of one worker, ``None`` on CPU workers."""
        return None

    def how_ended(self, pid: int) -> int | None:
        """Return the exit status of a worker's process, negative where a signal ended it; ``None``: nobody knows."""
        return None

    def gpu_trouble(self, device: str) -> str | None:
        """Return what has gone wrong with a GPU in the last seconds, in a few words; ``None``: nothing is known."""
        return None

    def _refusal(self, verb: str) -> InvalidState:
        return InvalidState(f"The workers of this kind of cluster cannot {verb}.")

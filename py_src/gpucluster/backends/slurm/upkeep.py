"""What follows from each look at the queue: which jobs are over, which hand over, and which are asked for instead."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from .fitting import waits_for_smaller
from .job_outcomes import Endings
from .jobs import Job
from .queue import Queue
from .renewal import Renewal
from .schedulers import SchedulerInJob

if TYPE_CHECKING:
    from .deployment import SlurmDeployment


class Upkeep:
    """Keeps the jobs of one cluster what was asked for.

    Parameters
    ----------
    deployment : SlurmDeployment
    queue : Queue
    endings : Endings
        Knows why jobs are over.
    renewal : Renewal
        Knows whose time is over soon.
    """

    def __init__(self, deployment: SlurmDeployment, queue: Queue, endings: Endings, renewal: Renewal) -> None:
        self._deployment = deployment
        self._queue = queue
        self._endings = endings
        self._renewal = renewal
        self._tasks: set[asyncio.Task[None]] = set()

    def task(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something besides, until ``stop``."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def stop(self) -> None:
        """Do nothing more."""
        for task in self._tasks:
            task.cancel()

    async def look(self) -> None:
        """Look at the queue, and do what follows from that.

        Raises
        ------
        SlurmSilent, SlurmRefused
        """
        its = self._deployment
        look = await self._queue.look()
        ours = {job.id: job for job in look.jobs if job.name.startswith(its.names)}
        await self._look_at_scheduler(ours, look.begun)
        for slot in its.jobs:
            if slot.will_be_over(ours, look.begun):
                await self._endings.learn(slot, ours.get(slot.job_id or ""))
            slot.saw(ours, look.begun)
        await self._cancel_strangers(ours)
        if its.handing is not None:
            its.handing.look(its.all_jobs())
        if not hasattr(its, "scheduler"):
            return
        for slot in its.jobs:
            if slot.over:
                # Slurm knows better than the scheduler, which believes in a silent worker for minutes.
                await its.scheduler.remove(slot.names, close=False)
        its.slots()
        ending, handing = self._renewal.look(datetime.now())
        for slot in handing:
            self.task(self._renewal.hand_over(slot, its, waits_for_others=not its.follows_load))
        if ending and not its.follows_load:  # Who adapts asks for as many as the load needs.
            await its.ask_for_jobs([slot.size for slot in ending])
        await self._let_smaller_ones_take_over()

    async def _cancel_strangers(self, ours: Mapping[str, Job]) -> None:
        """End jobs of our names that nobody knows: Slurm took them although it did not answer."""
        its = self._deployment
        known = {slot.job_id for slot in its.all_jobs()}
        in_flight = {f"{its.names}{slot.name}" for slot in its.all_jobs() if not slot.job_id and not slot.refused}
        await its.submitter.cancel(
            job.id for job in ours.values() if job.lives and job.id not in known and job.name not in in_flight
        )

    async def _look_at_scheduler(self, jobs: dict[str, Job], begun: float) -> None:
        its = self._deployment
        job = its.scheduler_job
        if job is None:
            return
        job.saw(jobs, begun)
        if job.over and hasattr(its, "scheduler") and isinstance(its.scheduler, SchedulerInJob):
            its.scheduler.lost = its.scheduler.lost or await job.lost()

    async def _let_smaller_ones_take_over(self) -> None:
        its = self._deployment
        here = sum(slot.size for slot in its.jobs.staying())
        for slot in its.jobs:
            if slot.too_big and slot.over:
                await its.end([slot])
            elif slot.too_big and slot.has_workers and here >= its.wanted and not waits_for_smaller(list(its.jobs)):
                self.task(self._renewal.hand_over(slot, its, waits_for_others=True))

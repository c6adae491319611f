"""What follows from each look at the queue: which jobs are over, which move their results, and which replace them.

Also why jobs ended, and the end of their walltime, before which their results move to others.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from ...protocol.plain_text import counted
from ...protocol.sizes import format_size
from ..deployment import Deployment, SlotState
from .commands import Job, Queue, clock
from .job_files import JobFolder, error_line
from .schedulers import SchedulerInJob
from .slots import JobSlot, waits_for_smaller

if TYPE_CHECKING:
    from .deployment import SlurmDeployment


class Upkeep:
    """Keeps the jobs of one cluster as requested."""

    def __init__(self, deployment: SlurmDeployment, queue: Queue, endings: Endings, renewal: Renewal) -> None:
        self._deployment = deployment
        self._queue = queue
        self._endings = endings
        self._renewal = renewal

    async def look(self) -> None:
        """Look at the queue, and act on what is found. Raises `SlurmSilent`, `SlurmRefused`."""
        its = self._deployment
        look = await self._queue.look()
        ours = {job.id: job for job in look.jobs if job.name.startswith(its.names)}
        await self._look_at_scheduler(ours, look.begun)
        for slot in its.jobs:
            if slot.will_be_over(ours, look.begun):
                await self._endings.learn(slot, ours.get(slot.job_id or ""))
            slot.saw(ours, look.begun)
        await self._cancel_unknown(ours)
        if its.handover is not None:
            its.handover.look(its.all_jobs())
        if not hasattr(its, "scheduler"):
            return
        for slot in its.jobs:
            if slot.over:
                # The scheduler itself would keep a silent worker for minutes.
                await its.scheduler.remove(slot.names, close=False)
        its.slots()
        ending, retiring = self._renewal.look(datetime.now())
        for slot in retiring:
            its.tasks.begin(self._renewal.retire_job(slot, its, waits_for_others=not its.follows_load))
        if ending and not its.follows_load:  # Adaptive scaling requests as many as the load needs.
            await its.ask_for_jobs([slot.size for slot in ending])
        await self._let_smaller_ones_take_over()

    async def _cancel_unknown(self, ours: Mapping[str, Job]) -> None:
        """End jobs with our prefix that were accepted although Slurm did not answer."""
        its = self._deployment
        known = {slot.job_id for slot in its.all_jobs()}
        in_flight = {f"{its.names}{slot.name}" for slot in its.all_jobs() if not slot.job_id and not slot.refused}
        await its.submitter.cancel(
            job.id for job in ours.values() if not job.over and job.id not in known and job.name not in in_flight
        )

    async def _look_at_scheduler(self, jobs: dict[str, Job], begun: float) -> None:
        its = self._deployment
        job = its.scheduler_job
        if job is None:
            return
        job.slot.saw(jobs, begun)
        if job.slot.over and hasattr(its, "scheduler") and isinstance(its.scheduler, SchedulerInJob):
            its.scheduler.lost = its.scheduler.lost or await job.lost()

    async def _let_smaller_ones_take_over(self) -> None:
        its = self._deployment
        here = sum(slot.size for slot in its.jobs.staying())
        for slot in its.jobs:
            if slot.too_big and slot.over:
                await its.end([slot])
            elif slot.too_big and slot.has_workers and here >= its.wanted and not waits_for_smaller(list(its.jobs)):
                its.tasks.begin(self._renewal.retire_job(slot, its, waits_for_others=True))


WARNED_SECONDS = 600.0  # Users are warned at most this long before the end.
LEAST_SECONDS = 30.0
MOST_SECONDS = 600.0


class Renewal:
    """Finds jobs whose walltime ends soon, and those that are replaced because workers do not come back."""

    def __init__(self, walltime_seconds: int, slots: Mapping[str, JobSlot]) -> None:
        self._slots = slots
        self._warned_seconds = min(WARNED_SECONDS, walltime_seconds / 2)
        self._lead_seconds = min(MOST_SECONDS, max(LEAST_SECONDS, walltime_seconds / 10))
        """Results are moved this long before the end; replacements are requested twice as long before it."""
        self._retiring: set[str] = set()

    def look(self, now: datetime) -> tuple[list[JobSlot], list[JobSlot]]:
        """Return the jobs to request replacements for now, and those whose results must move now."""
        ending, retiring = [], []
        for slot in self._slots.values():
            end = now if slot.given_up else _end_of(slot)
            if slot.state is SlotState.RUNNING and end is not None:
                left = (end - now).total_seconds()
                if left < 2 * self._lead_seconds and not slot.replaced and not slot.too_big:
                    slot.replaced = True
                    ending.append(slot)
                elif left < self._lead_seconds and (slot.replaced or slot.too_big) and slot.name not in self._retiring:
                    retiring.append(slot)
        return ending, retiring

    def notes(self, now: datetime) -> list[str]:
        replaced = [slot for slot in self._slots.values() if slot.replaced and not slot.given_up]
        ends = [end for slot in replaced if (end := _end_of(slot)) is not None]
        if ends:
            return [
                f"The walltime of {counted(len(ends), 'job')} ends at {clock(min(ends), now)}. Before that, results "
                "move to other workers and replacement jobs are submitted."
            ]
        ends = [end for slot in self._slots.values() if (end := _end_of(slot)) is not None]
        if ends and (min(ends) - now).total_seconds() < self._warned_seconds:
            return [f"The walltime of a job ends at {clock(min(ends), now)}."]
        return []

    async def retire_job(self, slot: JobSlot, deployment: Deployment, *, waits_for_others: bool) -> None:
        """Move the results of one job's workers to the others, as soon as there are others, and end the job.

        `waits_for_others`: whether others were requested. If not, a job that was given up ends when it holds nothing.
        """
        others = [other for other in self._slots.values() if other.state is SlotState.RUNNING and other is not slot]
        if not others and (waits_for_others or not slot.given_up):
            return
        if slot.name in self._retiring:
            return
        self._retiring.add(slot.name)
        try:
            retired = await deployment.scheduler.retire(set(slot.names))
            if not retired.kept:
                await deployment.release(slot.names)
        finally:
            self._retiring.discard(slot.name)


def _end_of(slot: JobSlot) -> datetime | None:
    return slot.job.ends if slot.job is not None and slot.job.runs else None


logger = logging.getLogger("gpucluster.backends")

KEPT_OUTPUTS = 20  # Number of ended jobs whose output, at most 16 MiB each, is kept.


class Endings:
    """How each job has ended."""

    def __init__(
        self, folder: JobFolder, names: str, walltime: str, memory_limit_bytes: int, tell: Callable[[str, str], None]
    ) -> None:
        self._folder = folder
        self._names = names
        self._walltime = walltime
        self._memory_limit_bytes = memory_limit_bytes
        self._tell = tell
        self._known: dict[str, str] = {}
        self._ended: deque[tuple[str, str]] = deque()

    def of(self, slot: JobSlot) -> str:
        """Return why a job is over, without a full stop."""
        return self._known.get(slot.name, f"its job {slot.job_id} has ended")

    async def learn(self, slot: JobSlot, job: Job | None) -> None:
        """Find out why a job is over, once, before it counts as that. `job`: its entry in the queue."""
        if slot.name in self._known:
            return
        lines = await self._folder.printed(f"{self._names}{slot.name}", slot.job_id or "", job)
        if lines:
            logger.warning("Job %s ended; it printed:\n%s", slot.job_id, "\n".join(lines))
        if job is None:
            why = f"its job {slot.job_id} is no longer in the queue"
        else:
            limit = self._memory_limit_bytes * slot.size // slot.nodes
            why = job.how_it_ended(self._walltime, format_size(limit) if limit else None, error_line(lines))
            began_in_vain = not slot.came and job.nodes and job.state in {"FAILED", "COMPLETED"}
            if not lines and began_in_vain and self._folder.shared:
                why += "; it printed nothing"
                if not self._folder.was_there(f"{self._names}{slot.name}", slot.job_id or ""):
                    why += f": perhaps {self._folder.base} does not exist on the nodes"
        self._known[slot.name] = why
        self._ended.append((f"{self._names}{slot.name}", slot.job_id or ""))
        if len(self._ended) > KEPT_OUTPUTS:
            await asyncio.to_thread(self._folder.forget_printed, *self._ended.popleft())
        if slot.came and slot.state is not SlotState.LEAVING:
            who = f"Worker {slot.name}" if slot.size == 1 else f"Workers {slot.names[0]} to {slot.names[-1]}"
            self._tell("worker_died", f"{who}: {why}.")

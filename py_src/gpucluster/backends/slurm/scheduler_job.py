"""The job that the scheduler is in: submitted first, waited for, and followed as those of the workers are."""

from __future__ import annotations

import asyncio
import logging
from datetime import datetime
from typing import TYPE_CHECKING

from ...protocol.errors import PreflightFailed, StartFailed
from ..backend import StartContext
from ..causes import cause_of
from ..existing.greeting import greet
from .folder import telling
from .jobs import Job, clock
from .scheduler_process import ADDRESS_FILE
from .schedulers import SchedulerInJob
from .slots import JobSlot

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ...protocol.slurm_spec import SlurmSpec
    from .folder import JobFolder

logger = logging.getLogger("gpucluster.backends")

NAME = "scheduler"
"""The end of the job's name."""
LOOK_SECONDS = 0.3
CONNECT_SECONDS = 30.0
WARNED_SECONDS = 600.0


class SchedulerJob:
    """The scheduler's job of one cluster.

    Parameters
    ----------
    spec : SlurmSpec
        What it asks for.
    folder : JobFolder
    """

    def __init__(self, spec: SlurmSpec, folder: JobFolder) -> None:
        self.slot = JobSlot(NAME)
        self._spec = spec
        self._folder = folder
        self._seen = asyncio.Event()

    def saw(self, jobs: dict[str, Job], begun: float) -> None:
        """Note what was found in the queue."""
        self.slot.saw(jobs, begun)
        self._seen.set()

    @property
    def over(self) -> bool:
        """Whether it has ended, and the scheduler with it."""
        return self.slot.over

    async def address(self, report: Callable[[str], None]) -> tuple[str, int]:
        """Wait until the scheduler has said where it is; returns its address and the port of its web pages.

        Raises
        ------
        StartFailed
            Slurm did not take the job, or it has ended.
        """
        if self.slot.refused is not None:
            raise StartFailed(f"Slurm did not take the scheduler's job. {self.slot.refused}.")
        told = None
        while True:
            found = self._told()
            if found is not None:
                address, _, port = found.partition(" ")
                return address, int(port)
            if self.over:
                raise StartFailed(f"The scheduler could not start: {await self.how_it_ended()}.")
            why = self._why()
            if why != told:
                told = why
                report(f"The scheduler's job {self.slot.job_id} {why}")
            await asyncio.sleep(LOOK_SECONDS)

    def _told(self) -> str | None:
        if not self._folder.shared:
            said = self.slot.job.comment if self.slot.job is not None and self.slot.job.runs else ""
        else:
            try:
                said = (self._folder.path / ADDRESS_FILE).read_text()
            except OSError:
                return None
        return said if "://" in said else None

    def _why(self) -> str:
        job = self.slot.job
        if job is None:
            return f"waits: {self.slot.why}"
        if job.runs:
            return f"has begun on {job.nodes}"
        return f"waits: {job.why_it_waits(datetime.now())}"

    async def how_it_ended(self) -> str:
        """Return why it is over, without a full stop."""
        lines = await self._folder.printed(NAME, self.slot.job_id or "", self.slot.job)
        if lines:
            logger.warning("The scheduler's job %s ended; it printed:\n%s", self.slot.job_id, "\n".join(lines))
        if self.slot.job is None:
            return f"its job {self.slot.job_id} is no longer in the queue"
        return self.slot.job.how_it_ended(self._spec.walltime, None, telling(lines))

    async def lost(self) -> str:
        """Return in sentences that it is over."""
        return (
            f"The scheduler is gone: {await self.how_it_ended()}. All results that the workers held are lost with it; "
            "create the cluster again."
        )

    def notes(self) -> list[str]:
        """Return in sentences where it is."""
        job = self.slot.job
        if job is None or not job.runs:
            return []
        until = f", until {clock(job.ends, datetime.now())}" if job.ends is not None else ""
        return [f"The scheduler is in job {job.id} on {job.nodes}{until}."]

    def warnings(self) -> list[str]:
        """Return in sentences that its time is nearly over."""
        job, now = self.slot.job, datetime.now()
        if job is None or not job.runs or job.ends is None or (job.ends - now).total_seconds() > WARNED_SECONDS:
            return []
        return [f"The walltime of the scheduler's job ends at {clock(job.ends, now)}, and the cluster with it."]


async def connect(job: SchedulerJob, context: StartContext, look: Callable[[], Awaitable[None]]) -> SchedulerInJob:
    """Wait for the scheduler's job and connect to it.

    Parameters
    ----------
    job : SchedulerJob
        A submitted one.
    context : StartContext
    look : callable
        Looks at the queue, again and again, until it is cancelled.

    Raises
    ------
    StartFailed
    """
    looking = asyncio.ensure_future(look())
    try:
        address, port = await job.address(lambda message: context.report("scheduler", message))
    finally:
        looking.cancel()
    context.report("scheduler", "Connecting to the scheduler")
    host = address.partition("://")[2].rpartition(":")[0].strip("[]")
    try:
        greeting = await greet(address, context.security)
        scheduler = await SchedulerInJob.connect(
            address, context.security, timeout=CONNECT_SECONDS, dashboard=(host, port)
        )
    except PreflightFailed as error:
        raise StartFailed(f"The scheduler's job runs. {error.message}") from error
    except Exception as error:
        raise StartFailed(
            f"The scheduler's job runs, and {address} cannot be reached from here ({cause_of(error)}). Perhaps another "
            "network interface can: set interface."
        ) from error
    if greeting.warning is not None:
        context.tell("state", greeting.warning)
    return scheduler

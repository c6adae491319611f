"""The scheduler of a cluster of jobs: in this process, or in a separate job."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from datetime import datetime
from typing import Any, Self

from ...dask_internals.scheduler_state import remove_worker_named
from ...protocol.errors import PreflightFailed, StartFailed
from ..backend import StartContext
from ..dashboard import PrivateDashboardScheduler
from ..deployment import cause_of
from ..existing.deployment import greet
from ..scheduler.in_process import InProcessScheduler
from ..scheduler.remote import RemoteScheduler
from ..scheduler.view import Members
from .commands import clock
from .job_files import JobFolder, error_line
from .scheduler_process import ADDRESS_FILE
from .slots import JobSlot
from .spec import SlurmSpec

CLOSE_SECONDS = 2.0
SILENCE_SECONDS = 90.0  # Long enough to learn how the scheduler's job ended, which is the better message.


def job_of_worker(worker: Any) -> str:
    return str(worker.name).partition("-")[0]


class SchedulerHere(InProcessScheduler):
    """A scheduler in this process, which ends with the cluster."""

    _scheduler: PrivateDashboardScheduler
    together = staticmethod(job_of_worker)

    @classmethod
    async def start(cls, host: str, protocol: str, context: StartContext) -> Self:
        scheduler = PrivateDashboardScheduler(
            host=host,
            port=0,
            protocol=f"{protocol}://",
            security=context.security,
            dashboard_address="127.0.0.1:0",
            http_prefix=context.dashboard_prefix,
        )
        try:
            await scheduler
        except BaseException:
            with suppress(Exception):
                await scheduler.close()
            raise
        return cls(scheduler)

    def here(self) -> set[str]:
        return {str(worker.name) for worker in self._scheduler.workers.values()}

    async def remove(self, names: Collection[str], *, close: bool) -> None:
        """Remove workers from the scheduler; with ``close``, also request their end."""
        for name in names:
            await remove_worker_named(self._scheduler, name, close=close)

    async def close(self) -> None:
        await super().close()
        with suppress(Exception):
            await asyncio.wait_for(self._scheduler.close(), CLOSE_SECONDS)


class SchedulerInJob(RemoteScheduler):
    """A scheduler in a job of this cluster."""

    together = staticmethod(job_of_worker)
    lost: str | None = None  # How it ended, as a sentence, when its job is over.
    uneasy: Callable[[], None] = staticmethod(lambda: None)  # Called when it does not respond.

    def here(self) -> set[str]:
        return {worker.name for worker in self.members().workers}

    def members(self) -> Members:
        """Return the members; none when its job is over."""
        if self.lost is None and self._client.status != "running":
            self.uneasy()
        found = super().members()
        return found if self.lost is None else found.lost(self.lost)

    def _patience(self) -> float:
        return SILENCE_SECONDS

    async def remove(self, names: Collection[str], *, close: bool) -> None:
        gone = [worker for worker in super().members().workers if worker.name in names]
        if not gone or self.lost is not None:
            return
        # If it does not respond just now, the workers end with their jobs.
        with suppress(OSError):
            if close:
                await self.end_workers([worker.name for worker in gone])
            else:
                for worker in gone:
                    await self.forget(worker.address)
            await self.refresh()


logger = logging.getLogger("gpucluster.backends")

NAME = "scheduler"  # The end of the job's name.
LOOK_SECONDS = 0.3
CONNECT_SECONDS = 30.0
WARNED_SECONDS = 600.0


class SchedulerJob:
    """The scheduler's job of one cluster, and its spec."""

    def __init__(self, spec: SlurmSpec, folder: JobFolder) -> None:
        self.slot = JobSlot(NAME)
        self._spec = spec
        self._folder = folder

    async def address(self, report: Callable[[str], None]) -> tuple[str, int]:
        """Wait until the scheduler has published its address; return it and the port of its web pages."""
        if self.slot.refused is not None:
            raise StartFailed(f"Slurm did not accept the scheduler's job. {self.slot.refused}.")
        reported = None
        while True:
            published = self._published()
            if "://" in published:
                address, _, port = published.partition(" ")
                return address, int(port)
            if self.slot.over:
                raise StartFailed(f"The scheduler could not start: {await self.how_it_ended()}.")
            why = self._why()
            if why != reported:
                reported = why
                report(f"The scheduler's job {self.slot.job_id} {why}")
            await asyncio.sleep(LOOK_SECONDS)

    def _published(self) -> str:
        if not self._folder.shared:
            return self.slot.job.comment if self.slot.job is not None and self.slot.job.runs else ""
        try:
            return (self._folder.path / ADDRESS_FILE).read_text()
        except OSError:
            return ""

    def _why(self) -> str:
        job = self.slot.job
        if job is None:
            return f"waits: {self.slot.why}"
        if job.runs:
            return f"has started on {job.nodes}"
        return f"waits: {job.why_it_waits(datetime.now())}"

    async def how_it_ended(self) -> str:
        """Return why it is over, without a full stop."""
        lines = await self._folder.printed(NAME, self.slot.job_id or "", self.slot.job)
        if lines:
            logger.warning("The scheduler's job %s ended; it printed:\n%s", self.slot.job_id, "\n".join(lines))
        if self.slot.job is None:
            return f"its job {self.slot.job_id} is no longer in the queue"
        return self.slot.job.how_it_ended(self._spec.walltime, None, error_line(lines))

    async def lost(self) -> str:
        why = await self.how_it_ended()
        return f"The scheduler is gone: {why}. All results on the workers are lost; create the cluster again."

    def notes(self) -> list[str]:
        job = self.slot.job
        if job is None or not job.runs:
            return []
        until = f", until {clock(job.ends, datetime.now())}" if job.ends is not None else ""
        return [f"The scheduler is in job {job.id} on {job.nodes}{until}."]

    def warnings(self) -> list[str]:
        job, now = self.slot.job, datetime.now()
        if job is None or not job.runs or job.ends is None or (job.ends - now).total_seconds() > WARNED_SECONDS:
            return []
        return [f"The walltime of the scheduler's job ends at {clock(job.ends, now)}, and the cluster with it."]


async def connect(job: SchedulerJob, context: StartContext, look: Callable[[], Awaitable[None]]) -> SchedulerInJob:
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
        raise StartFailed(f"The scheduler's job is running. {error.message}") from error
    except Exception as error:
        raise StartFailed(
            f"The scheduler's job is running, but {address} cannot be reached from here ({cause_of(error)}). Another "
            "network interface may work: set interface."
        ) from error
    if greeting.warning is not None:
        context.tell("state", greeting.warning)
    return scheduler

"""The scheduler as the jobs' deployment needs it: in this process, or in a job of its own."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import replace
from typing import Any, Self

from ...dask_internals.scheduler_elsewhere import forget_worker_elsewhere, target_elsewhere, to_close_elsewhere
from ...dask_internals.scheduler_state import remove_worker_named
from ..adapting import LoadHere
from ..backend import StartContext
from ..dashboard import PrivateDashboardScheduler
from ..scheduler.in_process import InProcessScheduler
from ..scheduler.remote import RemoteScheduler
from ..scheduler.view import Members

CLOSE_SECONDS = 2.0
SILENCE_SECONDS = 90.0
"""What has become of the scheduler's job is known before, and says more than that nobody answers."""


def job_of(name: str) -> str:
    """Return the job that a worker of that name belongs to."""
    return name.partition("-")[0]


def job_of_worker(worker: Any) -> str:
    """Return the job of a worker as the scheduler knows it."""
    return job_of(str(worker.name))


class SchedulerHere(InProcessScheduler):
    """A scheduler in this process, which ends with the cluster."""

    _scheduler: PrivateDashboardScheduler

    @classmethod
    async def start(cls, host: str, protocol: str, context: StartContext) -> Self:
        """Start one that listens at an address of this node."""
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
        """Return the names of the connected workers."""
        return {str(worker.name) for worker in self._scheduler.workers.values()}

    async def remove(self, names: Collection[str], *, close: bool) -> None:
        """Take workers for gone; with ``close`` they are told to end."""
        for name in names:
            await remove_worker_named(self._scheduler, name, close=close)

    async def target(self, seconds: float) -> int:
        """Return with how many workers all would be done in that time."""
        return await LoadHere(self._scheduler).target(seconds)

    async def to_close(self, count: int) -> list[str]:
        """Return the names of so many workers that are needed least, whole jobs of them."""
        return await LoadHere(self._scheduler, job_of).to_close(count)

    async def close(self) -> None:
        await super().close()
        with suppress(Exception):
            await asyncio.wait_for(self._scheduler.close(), CLOSE_SECONDS)


class SchedulerInJob(RemoteScheduler):
    """Looks at a scheduler that is in a job of this cluster."""

    lost: str | None = None
    """What has become of it, in a sentence, when its job is over."""
    uneasy: Callable[[], None] = staticmethod(lambda: None)
    """Called when it does not answer."""

    def here(self) -> set[str]:
        """Return the names of the connected workers."""
        return {worker.name for worker in self.members().workers}

    def members(self) -> Members:
        """Return who takes part; nobody does when its job is over."""
        if self.lost is None and self._client.status != "running":
            self.uneasy()
        found = super().members()
        if self.lost is None:
            return found
        return replace(found, workers=(), computes=False, is_quiet=True, ended=self.lost, failed=True)

    def _patience(self) -> float:
        return SILENCE_SECONDS

    async def remove(self, names: Collection[str], *, close: bool) -> None:
        """Take workers for gone; with ``close`` they are told to end."""
        gone = [worker for worker in super().members().workers if worker.name in names]
        if not gone or self.lost is not None:
            return
        # If it does not answer just now, the workers end with their jobs.
        with suppress(OSError):
            if close:
                await self.end_workers([worker.name for worker in gone])
            else:
                for worker in gone:
                    await forget_worker_elsewhere(self._client, worker.address)
            await self.refresh()

    async def target(self, seconds: float) -> int:
        """Return with how many workers all would be done in that time."""
        return await target_elsewhere(self._client, seconds)

    async def to_close(self, count: int) -> list[str]:
        """Return the names of so many workers that are needed least, whole jobs of them."""
        return await to_close_elsewhere(self._client, count, pickle.dumps(job_of_worker))

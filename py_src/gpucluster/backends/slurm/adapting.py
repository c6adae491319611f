"""Follow the load with jobs: more at once, fewer only when they have been too many for some time.

Dask's own way takes back the jobs that wait each time it looks again, and so cancels in a storm what is about to
start. Here a job whose turn has come is left alone until its worker is there, and one that waits goes only when it has
not been needed for as many looks as a worker.
"""

from __future__ import annotations

import asyncio
import logging
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from ...protocol.spec import Adapt
from ...protocol.telemetry import Decision
from ..deployment import SlotState

if TYPE_CHECKING:
    from distributed import Scheduler

    from .deployment import SlurmDeployment

logger = logging.getLogger("gpucluster.backends")

INTERVAL_SECONDS = 1.0
WAIT_COUNT = 5
TARGET_SECONDS = 5.0
LONGEST_BACKOFF_SECONDS = 60.0
KEPT_DECISIONS = 100


class Adapting:
    """Brings the number of jobs of one cluster to what its scheduler needs.

    Parameters
    ----------
    deployment : SlurmDeployment
    scheduler : distributed.Scheduler
    bounds : Adapt
    """

    def __init__(self, deployment: SlurmDeployment, scheduler: Scheduler, bounds: Adapt) -> None:
        self._deployment = deployment
        self._scheduler = scheduler
        self._bounds = bounds
        self._too_many = 0
        self._backoff = 0.0
        self._not_before = 0.0
        self._decisions: list[Decision] = []
        self._stopped = False

    def stop(self) -> None:
        """Do nothing more."""
        self._stopped = True

    def take_decisions(self) -> list[Decision]:
        """Return what was decided since the last call."""
        found, self._decisions = self._decisions, []
        return found

    async def run(self) -> None:
        """Look and act until stopped."""
        while not self._stopped:
            try:
                await self._step()
            except Exception:
                logger.exception("Following the load failed; it goes on")
            await asyncio.sleep(self._bounds.interval_seconds or INTERVAL_SECONDS)

    def _wanted(self) -> int:
        target: int = self._scheduler.adaptive_target(self._bounds.target_duration_seconds or TARGET_SECONDS)
        return max(self._bounds.minimum, min(self._bounds.maximum, target))

    async def _step(self) -> None:
        slots = self._deployment.slots()
        if any(slot.state is SlotState.FAILED for slot in slots):
            # Whatever stops them from starting will not be over at once.
            self._backoff = min(LONGEST_BACKOFF_SECONDS, max(2.0, 2 * self._backoff))
            self._not_before = time.monotonic() + self._backoff
        elif any(slot.state is SlotState.RUNNING for slot in slots):
            self._backoff = 0.0
        # Those that failed are told of by the supervisor, which releases them.
        lost = {slot.name for slot in slots if slot.state is SlotState.LOST}
        if lost:
            await self._deployment.release(lost)
        wanted, staying = self._wanted(), self._deployment.staying()
        if len(staying) < wanted:
            self._too_many = 0
            if time.monotonic() >= self._not_before:
                await self._deployment.submit(wanted - len(staying))
                self._decide("up", wanted, [])
        elif len(staying) > wanted:
            self._too_many += 1
            if self._too_many >= (self._bounds.wait_count or WAIT_COUNT):
                self._too_many = 0
                await self._fewer(len(staying) - wanted)
        else:
            self._too_many = 0

    async def _fewer(self, count: int) -> None:
        leaving = self._deployment.in_the_queue()[:count]
        if len(leaving) < count:
            idle = self._scheduler.workers_to_close(n=count - len(leaving), attribute="name")
            ours = {slot.name for slot in self._deployment.slots() if slot.state is SlotState.RUNNING}
            workers = [str(name) for name in idle if str(name) in ours]
            if workers:
                handed = await self._deployment.scheduler.hand_over(workers)
                leaving += [name for name in workers if name not in handed.kept]
        if self._stopped:
            return
        if leaving:
            await self._deployment.release(leaving)
            self._decide("down", None, leaving)

    def _decide(self, status: Literal["up", "down"], n_workers: int | None, workers: list[str]) -> None:
        at = datetime.now(UTC).isoformat()
        self._decisions.append(Decision(at=at, status=status, n_workers=n_workers, workers=workers))
        del self._decisions[:-KEPT_DECISIONS]

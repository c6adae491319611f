"""Workers that are requested elsewhere: their state is followed, and their number adapted to the load.

Dask's own ``Adaptive`` cancels waiting workers at each look, and so would cancel many jobs that are about to start.
Here more are requested at once, and fewer only after there have been too many for some time. A job that has begun is
left alone until its worker is connected and takes tasks, and a waiting job or pod is cancelled only after it was not
needed at as many looks as a worker.
"""

from __future__ import annotations

import asyncio
import logging
import time
from abc import abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sized
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from ..protocol.errors import GPUClusterError
from ..protocol.spec import Adapt
from ..protocol.telemetry import Decision
from ..protocol.verbs import Verb
from .deployment import Deployment, Slot, SlotState

logger = logging.getLogger("gpucluster.backends")

_LONGEST_LINE = 65536


@dataclass(eq=False)
class Following:
    """Looks repeatedly, and reports when there is no answer."""

    look: Callable[[], Awaitable[None]]  # Looks once and acts on what it finds.
    restless: Callable[[], bool]  # Whether something waits or changes.
    what: str  # What is looked at, such as ``jobs``.
    _: KW_ONLY
    often: float  # Seconds between two looks while something waits or changes.
    calm: float  # Seconds between two looks otherwise.
    silent: tuple[type[GPUClusterError], ...]  # Errors that mean that there is no answer.
    trouble: str | None = field(default=None, init=False)  # A message while there is no answer.
    _soon: asyncio.Event = field(default_factory=asyncio.Event, init=False)

    def notes(self) -> list[str]:
        return [] if self.trouble is None else [self.trouble]

    def soon(self) -> None:
        """Look again as soon as the interval allows."""
        self._soon.set()

    async def run(self) -> None:
        while True:
            begun = time.monotonic()
            self._soon.clear()
            pause = self.calm
            try:
                await self.look()
                self.trouble = None
                pause = self.often if self.restless() else self.calm
            except self.silent as error:
                self.trouble = f"{error.message.rstrip('.')}. The state of the {self.what} may be out of date."
            except Exception:
                logger.exception("The %s could not be inspected", self.what)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._soon.wait(), pause)
            await asyncio.sleep(max(0.0, begun + self.often - time.monotonic()))


async def lines_of(stream: Any) -> AsyncIterator[str]:
    """Yield the lines of a program's output, without their ends; a very long one in parts."""
    rest = b""
    while part := await stream.read(_LONGEST_LINE):
        *lines, rest = (rest + part).split(b"\n")
        if len(rest) > _LONGEST_LINE:
            lines, rest = [*lines, rest], b""
        for line in lines:
            yield line.decode(errors="replace").rstrip()
    if rest:
        yield rest.decode(errors="replace").rstrip()


class Tasks:
    """Background tasks of a deployment."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[None]] = set()

    def begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Run it until it is done, or ``stop``."""
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    def stop(self) -> None:
        for task in self._running:
            task.cancel()


INTERVAL_SECONDS = 1.0
WAIT_COUNT = 5
TARGET_SECONDS = 5.0
LONGEST_BACKOFF_SECONDS = 60.0
KEPT_DECISIONS = 100


class Adapting:
    """Adjusts the number of workers of one cluster to what its scheduler needs."""

    def __init__(self, deployment: SubmittingDeployment, bounds: Adapt) -> None:
        self._deployment = deployment
        self._bounds = bounds
        self._too_many = 0
        self._backoff = 0.0
        self._not_before = 0.0
        self._decisions: list[Decision] = []
        self._stopped = False

    def stop(self) -> None:
        self._stopped = True

    def take_decisions(self) -> list[Decision]:
        found, self._decisions = self._decisions, []
        return found

    async def run(self) -> None:
        while not self._stopped:
            try:
                await self._step()
            except Exception:
                logger.exception("Adaptive scaling failed; retrying")
            await asyncio.sleep(self._bounds.interval_seconds or INTERVAL_SECONDS)

    async def _wanted(self) -> int:
        target = await self._deployment.scheduler.target(self._bounds.target_duration_seconds or TARGET_SECONDS)
        together = self._deployment.workers_together
        # Whole jobs, within the bounds; the last one may be smaller.
        least, target = (-(-number // together) * together for number in (self._bounds.minimum, target))
        most = self._bounds.maximum - (self._bounds.maximum % together if self._deployment.whole_jobs else 0)
        return min(most, max(least, target))

    async def _step(self) -> None:
        slots = self._deployment.slots()
        if any(slot.state is SlotState.FAILED for slot in slots):
            # The cause will not disappear at once.
            self._backoff = min(LONGEST_BACKOFF_SECONDS, max(2.0, 2 * self._backoff))
            self._not_before = time.monotonic() + self._backoff
        elif any(slot.state is SlotState.RUNNING for slot in slots):
            self._backoff = 0.0
        # The supervisor reports and releases those that failed.
        if lost := {slot.name for slot in slots if slot.state is SlotState.LOST}:
            await self._deployment.release(lost)
        wanted = await self._wanted()
        staying = self._deployment.staying()
        if len(staying) <= wanted or self._tasks_wait_for_new_workers(slots):
            self._too_many = 0
            if len(staying) < wanted and time.monotonic() >= self._not_before:
                await self._deployment.submit(wanted - len(staying))
                self._decide("up", wanted, [])
            return
        self._too_many += 1
        if self._too_many >= (self._bounds.wait_count or WAIT_COUNT):
            self._too_many = 0
            await self._fewer(len(staying) - wanted)

    def _tasks_wait_for_new_workers(self, slots: list[Slot]) -> bool:
        """Whether tasks wait and workers have connected that take none yet.

        Dask considers such workers idle and would end them all; the tasks would then request others, again and again.
        """
        running = {slot.name for slot in slots if slot.state is SlotState.RUNNING}
        found = self._deployment.scheduler.members()
        return found.n_queued > 0 and any(not worker.ready and worker.name in running for worker in found.workers)

    async def _fewer(self, count: int) -> None:
        leaving = self._deployment.in_the_queue()[:count]
        if len(leaving) < count:
            idle = await self._deployment.scheduler.to_close(count - len(leaving))
            slots = self._deployment.slots()
            ours = {slot.name: slot for slot in slots if slot.state is SlotState.RUNNING}
            workers = [name for name in idle if name in ours]
            if workers:
                handed = await self._deployment.scheduler.retire(workers)
                going = [name for name in workers if name not in handed.kept]
                # Workers of the same jobs that were just starting hold nothing.
                jobs = {ours[name].comes_with for name in going} - {None}
                leaving += going + [slot.name for slot in slots if slot.comes_with in jobs and slot.name not in ours]
        if leaving and not self._stopped:
            await self._deployment.release(leaving)
            self._decide("down", None, leaving)

    def _decide(self, status: Literal["up", "down"], n_workers: int | None, workers: list[str]) -> None:
        at = datetime.now(UTC).isoformat()
        self._decisions.append(Decision(at=at, status=status, n_workers=n_workers, workers=workers))
        del self._decisions[:-KEPT_DECISIONS]


class SubmittingDeployment(Deployment):
    """A cluster that requests workers one by one, as jobs or pods that may wait in a queue."""

    can = frozenset(Verb)

    def __init__(self) -> None:
        self.tasks = Tasks()
        self._adapting: Adapting | None = None

    @abstractmethod
    def staying(self) -> Sized:
        """Return the workers that count: neither over nor leaving."""

    @abstractmethod
    def in_the_queue(self) -> list[str]:
        """Return the names of those that wait, the last ones first."""

    @abstractmethod
    async def submit(self, count: int) -> None:
        """Request `count` more."""

    async def adapt(self, bounds: Adapt | None) -> None:
        if self._adapting is not None:
            self._adapting.stop()
            self._adapting = None
        if bounds is not None:
            self._adapting = Adapting(self, bounds)
            self.tasks.begin(self._adapting.run())

    def decisions(self) -> list[Decision]:
        return [] if self._adapting is None else self._adapting.take_decisions()

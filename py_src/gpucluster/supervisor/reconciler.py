"""Bring the workers of a running cluster to what is wanted: scale, adapt, retire, restart, replace lost workers."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Any

from ..backends.backend import Plan
from ..backends.deployment import RESTART_TIMEOUT_SECONDS, Deployment, Slot, SlotState, cause_of, could_not_start
from ..protocol.messages import MessageCode
from ..protocol.models import ClusterState, Progress, Wanted
from ..protocol.plain_text import counted
from ..protocol.spec import Adapt
from ..protocol.verbs import VERBS, Verb
from . import retiring
from .state_store import unless_stopped

if TYPE_CHECKING:
    from .requests import ClusterParts


class Step(Enum):
    """One operation of the supervisor."""

    STOP = "stop"
    RESTART = "restart"
    RETIRE = "retire"
    SCALE = "scale"
    ADAPT = "adapt"
    REST = "rest"


@dataclass(frozen=True)
class Applied:
    """The operations that were done last."""

    n_workers: int | None
    adapt: Adapt | None = None
    restarts: int = 0


def next_step(wanted: Wanted, applied: Applied, *, restarts_wanted: int, retiring: bool = False) -> Step:
    """Return the operation that brings a cluster nearer to the last request. `restarts_wanted`: how many, in total."""
    if wanted.stopped:
        return Step.STOP
    if restarts_wanted > applied.restarts:
        return Step.RESTART
    if retiring:
        return Step.RETIRE
    if wanted.adapt is not None:
        return Step.REST if wanted.adapt == applied.adapt else Step.ADAPT
    if wanted.n_workers is not None and (applied.adapt is not None or wanted.n_workers != applied.n_workers):
        return Step.SCALE
    return Step.REST


logger = logging.getLogger("gpucluster.supervisor")

LOOK_SECONDS = 1.0
LONGEST_BACKOFF_SECONDS = 60.0
REPORTED_FROM_SECONDS = 5.0  # Shorter waits for the next try are not reported.


class Backoff:
    """When to request lost workers again: at once, and at growing intervals while they are lost again."""

    def __init__(self) -> None:
        self._delay = 0.0
        self._asked = float("-inf")
        self._reported = False

    @property
    def due(self) -> bool:
        return self._left <= 0

    @property
    def _left(self) -> float:
        return self._asked + self._delay - time.monotonic()

    def take_wait_to_report(self) -> float | None:
        """Return the seconds until the next try, once for each long wait."""
        if self._reported or self._left < REPORTED_FROM_SECONDS:
            return None
        self._reported = True
        return self._left

    def note_request(self) -> None:
        self._delay = min(LONGEST_BACKOFF_SECONDS, max(LOOK_SECONDS, 2 * self._delay))
        self._asked = time.monotonic()
        self._reported = False

    def note_complete(self) -> None:
        """Note that no worker is missing; if that lasts, the next lost one is requested at once again."""
        if time.monotonic() - self._asked > LONGEST_BACKOFF_SECONDS:
            self._delay = 0.0


class Reconciler:
    """Changes the workers of one cluster, one operation at a time. `queues`: then nothing here waits for workers."""

    def __init__(
        self,
        parts: ClusterParts,
        deployment: Deployment,
        plan: Plan,
        *,
        queues: bool,
        observed: Callable[[], dict[str, Any]],
    ) -> None:
        self._deployment, self._plan, self._queues, self._observed = deployment, plan, queues, observed
        self._store, self._changed = parts.store, parts.changed
        self._activity_log, self._titles = parts.activity_log, parts.titles
        self._applied = Applied(n_workers=plan.n_workers)
        self._backoff = Backoff()
        self._reported_failure: str | None = None
        self._could_not_start: str | None = None
        self._restarts_wanted = 0
        self._retiring: dict[str, bool] = {}
        self._steps = {
            Step.RESTART: self._restart,
            Step.RETIRE: self._retire,
            Step.SCALE: self._scale,
            Step.ADAPT: self._adapt,
        }

    # -- what is wanted --------------------------------------------------------------------------

    @property
    def restarting(self) -> bool:
        return self._restarts_wanted > self._applied.restarts

    def want_restart(self) -> None:
        """Restart all workers, which waiting for the cluster now waits for; a second request meanwhile does nothing."""
        self._restarts_wanted = self._applied.restarts + 1
        self._show("restart", VERBS[Verb.RESTART].meanwhile)

    def retires(self, name: str) -> bool:
        return name in self._retiring

    def want_retired(self, name: str, *, lowers: bool) -> None:
        """Retire a worker. `lowers`: whether the wanted number was lowered for it, and rises again if it stays."""
        self._retiring[name] = lowers

    def forget_lowered(self) -> None:
        """Another number is wanted, so a worker that is not retired raises it no more."""
        self._retiring = dict.fromkeys(self._retiring, False)

    @property
    def _wanted(self) -> Wanted:
        return self._store.model.wanted

    @property
    def _none_wanted(self) -> bool:
        wanted = self._wanted
        return (wanted.n_workers if wanted.adapt is None else wanted.adapt.minimum) == 0

    # -- doing it --------------------------------------------------------------------------------

    async def run(self) -> None:
        """Do what is wanted, until a stop is wanted."""
        while True:
            self._changed.clear()
            step = next_step(
                self._wanted, self._applied, restarts_wanted=self._restarts_wanted, retiring=bool(self._retiring)
            )
            if step is Step.STOP:
                return
            if step is Step.REST:
                if self._store.model.state is not ClusterState.RUNNING:
                    self._store.update(state=ClusterState.RUNNING, progress=None, **self._observed())
                await self._replace_lost()
                look = asyncio.get_running_loop().call_later(LOOK_SECONDS, self._changed.set)
                await self._changed.wait()
                look.cancel()
            else:
                wanted, restarts = self._wanted, self._restarts_wanted
                try:
                    await self._steps[step]()
                except Exception as error:
                    # The cluster continues with what it has.
                    logger.exception("The step '%s' failed", step.value)
                    self._take_as_done(step, wanted, restarts)
                    self._note(f"Could not {step.value}: {cause_of(error)}.")

    def _take_as_done(self, step: Step, wanted: Wanted, restarts: int) -> None:
        """Count a failed step as done, or it would be repeated; later requests are still to be done."""
        if step is Step.RESTART:
            self._applied = replace(self._applied, restarts=restarts)
        elif step is Step.RETIRE:
            self._take_as_applied()
        else:
            self._set_applied(wanted.n_workers, wanted.adapt)

    def _set_applied(self, n_workers: int | None, adapt: Adapt | None = None) -> None:
        self._applied = replace(self._applied, n_workers=n_workers, adapt=adapt)

    def _show(self, step: str, message: str) -> None:
        self._store.update(state=ClusterState.SCALING, progress=Progress(step=step, message=message))

    def _note(self, notice: str | None) -> None:
        """Report why a request was not, or not entirely, carried out."""
        if notice is not None:
            self._activity_log.failed(notice)
        self._store.update(say={MessageCode.NOTICE: notice})

    # -- restarting ------------------------------------------------------------------------------

    async def _restart(self) -> None:
        restarts = self._restarts_wanted
        self._show("restart", VERBS[Verb.RESTART].meanwhile)
        notice: str | None = None
        try:
            await unless_stopped(self._store, self._changed, self._deployment.restart())
        except TimeoutError:
            notice = f"Not all workers came back within {RESTART_TIMEOUT_SECONDS:.0f} s of the restart; see the log."
        if self._wanted.stopped:
            return
        self._applied = replace(self._applied, restarts=restarts)
        self._note(notice)

    # -- retiring --------------------------------------------------------------------------------

    async def _retire(self) -> None:
        await unless_stopped(self._store, self._changed, self._retire_worker(next(iter(self._retiring))))

    async def _retire_worker(self, name: str) -> None:
        self._show("retire", f"Moving the data of {self._titles.of(name)} to the others")
        stays: str | None = "…"
        leaving = self._addresses({name})
        try:
            await self._have_another(name)
            self._activity_log.mark_leaving(leaving)
            stays = await retiring.retire_worker(self._deployment, name, self._titles, last=lambda: self._none_wanted)
        finally:
            if stays is not None:
                self._activity_log.mark_staying(leaving)
            lowered = self._retiring.pop(name, False)
            wanted = self._wanted
            if stays is not None and lowered and wanted.n_workers is not None:
                self._store.update(wanted=Wanted(n_workers=wanted.n_workers + 1))
        self._take_as_applied()
        self._store.update(**self._observed())
        self._note(stays)

    async def _have_another(self, name: str) -> None:
        """Wait for another worker to take the results, and start one if needed, where any is wanted at all."""
        wanted = self._wanted.n_workers
        if wanted and self._names() == {name}:
            # One more than wanted, as this one will leave.
            await self._deployment.scale(min(wanted + 1, self._plan.maximum_workers))
            self._set_applied(len(self._names()))
        while not self._none_wanted and retiring.alone(self._deployment.scheduler.members(), name):
            others = [slot for slot in self._slots() if slot.name != name]
            failed = {slot.name for slot in others if slot.state is SlotState.FAILED}
            if failed:
                await self._deployment.release(failed)
            if failed or not others or self._queues:  # The queue may take hours.
                return
            await self._ask_again(len(others) + 1)
            await asyncio.sleep(0.05)

    def _take_as_applied(self) -> None:
        """Continue as if the cluster had been scaled to what it has now."""
        if self._applied.adapt is None:
            self._set_applied(len(self._names()))

    # -- scaling ---------------------------------------------------------------------------------

    async def _scale(self) -> None:
        """Request the wanted number; wait for workers that start at once, unless something else is wanted meanwhile."""
        wanted = self._wanted.n_workers
        assert wanted is not None
        await self._lower_memory_limit()
        self._store.update(state=ClusterState.SCALING, progress=self._progress(wanted))
        leaving = self._deployment.leaving(wanted)
        self._activity_log.mark_leaving(self._addresses(leaving))
        moving = retiring.move_results(
            self._deployment, leaving, self._titles, lambda: self._wanted.n_workers == wanted
        )
        lost = await unless_stopped(self._store, self._changed, moving)
        if self._wanted.n_workers != wanted or self._wanted.stopped:
            self._activity_log.mark_staying(self._addresses())
            self._take_as_applied()
            return
        if lost is not None:
            self._note(lost)
        if leaving:
            await self._deployment.release(leaving)
        await self._deployment.scale(wanted)
        limit = self._deployment.limit
        if limit is not None and limit < wanted and self._wanted.n_workers == wanted and not self._wanted.stopped:
            # Workers that are not granted never come.
            self._note(f"{counted(wanted, 'worker')} were requested, but only {limit} granted.")
            self._store.update(wanted=Wanted(n_workers=limit))
            wanted = limit
        self._set_applied(wanted)
        self._reported_failure = self._could_not_start = None
        if self._queues:
            return
        while self._wanted.n_workers == wanted and not self._wanted.stopped:
            slots = self._deployment.slots()
            failed = [slot for slot in slots if slot.state is SlotState.FAILED]
            if failed:
                # Better fewer workers than endless retries.
                await self._deployment.release({slot.name for slot in failed})
                count = len(_living(slots))
                self._set_applied(count)
                self._store.update(wanted=Wanted(n_workers=count))
                self._note(could_not_start(len(failed), wanted, failed[0].why or "see the log"))
                return
            # A leaving worker counts until it is gone.
            if len(slots) == wanted and all(slot.state is SlotState.RUNNING for slot in slots):
                return
            if len(_living(slots)) < wanted:
                await self._ask_again(wanted)
            self._store.update(soon=True, progress=self._progress(wanted), **self._observed())
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), 0.05)
            self._changed.clear()

    async def _adapt(self) -> None:
        adapt = self._wanted.adapt
        assert adapt is not None
        await self._lower_memory_limit()
        await self._deployment.adapt(adapt)
        self._set_applied(None, adapt)

    async def _lower_memory_limit(self) -> None:
        if self._plan.shares_memory:
            await self._deployment.lower_memory_limit(self._store.model.memory_limit_bytes or 0)

    def _progress(self, wanted: int) -> Progress:
        done = len(self._deployment.scheduler.members().workers)
        # "4 of 1" says nothing.
        counts = {"done": done, "total": wanted} if done <= wanted else {}
        return Progress(step="scale", message=f"Scaling to {counted(wanted, 'worker')}", **counts)

    # -- replacing -------------------------------------------------------------------------------

    async def _replace_lost(self) -> None:
        """Request workers again that are gone or could not be started, less and less often while that continues."""
        wanted = self._wanted.n_workers
        if self._wanted.stopped or (wanted is not None and wanted != self._applied.n_workers):
            return  # Something else is to be done first.
        slots = self._slots()
        failed = [slot for slot in slots if slot.state is SlotState.FAILED]
        try:
            if failed:
                await self._deployment.release({slot.name for slot in failed})
                failure = could_not_start(len(failed), len(slots), failed[0].why or "see the log")
                if failure != self._could_not_start:
                    self._could_not_start = failure
                    self._report_failure(failure)
                if (tried := self._deployment.gives_up()) is not None:
                    await self._give_up(len(_living(slots)), tried)
                    return
            if wanted is None:
                return  # Adaptive scaling also replaces.
            if len(_living(slots)) < wanted:
                await self._ask_again(wanted)
            elif all(slot.state is SlotState.RUNNING for slot in slots):
                self._backoff.note_complete()
                self._could_not_start = None
                self._report_failure(None)
        except Exception as error:
            logger.exception("Missing workers could not be requested")
            self._backoff.note_request()
            self._report_failure(f"Missing workers could not be requested: {cause_of(error)}.")

    async def _give_up(self, n_workers: int, tried: int) -> None:
        """Continue with the present workers, until a request for others comes."""
        failure, self._reported_failure = self._reported_failure, None
        await self._deployment.scale(n_workers)
        self._set_applied(n_workers)
        self._store.update(wanted=Wanted(n_workers=n_workers))
        self._note(f"{failure} After {tried} attempts, no more are requested. Scale the cluster to try again.")

    async def _ask_again(self, wanted: int) -> None:
        if self._backoff.due:
            self._backoff.note_request()
            self._activity_log.mark_lost(slot.name for slot in self._slots() if slot.state is SlotState.LOST)
            await self._deployment.scale(wanted)
        elif (seconds := self._backoff.take_wait_to_report()) is not None:
            why = self._could_not_start or "Workers were lost again soon after they started."
            self._report_failure(f"{why} They will be requested again in {seconds:.0f} seconds.")

    def _report_failure(self, notice: str | None) -> None:
        """Report once why workers are missing; ``None`` withdraws the report."""
        before, self._reported_failure = self._reported_failure, notice
        if notice is not None and notice != before:
            self._note(notice)
        elif notice is None and before is not None and self._store.model.notice == before:
            self._store.update(say={MessageCode.NOTICE: None})

    # -- what there is ---------------------------------------------------------------------------

    def _slots(self) -> list[Slot]:
        """Return those that are not leaving."""
        return [slot for slot in self._deployment.slots() if slot.state is not SlotState.LEAVING]

    def _names(self) -> set[str]:
        return {slot.name for slot in self._slots()}

    def _addresses(self, names: set[str] | None = None) -> set[str]:
        """Return the addresses of the connected workers, or of those with these names."""
        return {worker.address for worker in self._deployment.scheduler.members().named(names)}


def _living(slots: list[Slot]) -> list[Slot]:
    """Return the slots whose workers run or are starting."""
    return [slot for slot in slots if slot.state in {SlotState.PENDING, SlotState.RUNNING}]

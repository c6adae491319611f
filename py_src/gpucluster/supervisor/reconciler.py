"""Bring the workers of a running cluster to what is wanted: scale, adapt, retire, restart."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ..backends.starting import cause_of, scheduler_of
from ..protocol.models import ClusterState, Progress, Wanted
from . import operations, retiring
from .activity_log import ActivityLog, counted
from .decision import Applied, Step, next_step
from .interruption import unless_stopped
from .state_store import StateStore

if TYPE_CHECKING:
    from distributed.deploy.spec import SpecCluster

logger = logging.getLogger("gpucluster.supervisor")


class Reconciler:
    """Changes the workers of one cluster, one operation at a time.

    Parameters
    ----------
    cluster : SpecCluster
        As it was started.
    n_workers : int
        With so many workers.
    maximum_workers : int
        It can never have more.
    store, activity_log
        Where what is wanted and what happens is written down.
    changed : asyncio.Event
        Set whenever something else is wanted, or workers came or went.
    observed : callable
        Gives the fields of the model that say what the cluster has now.
    """

    def __init__(
        self,
        cluster: SpecCluster,
        *,
        n_workers: int,
        maximum_workers: int,
        store: StateStore,
        activity_log: ActivityLog,
        changed: asyncio.Event,
        observed: Callable[[], dict[str, Any]],
    ) -> None:
        self._cluster = cluster
        self._maximum_workers = maximum_workers
        self._store = store
        self._activity_log = activity_log
        self._changed = changed
        self._observed = observed
        self._applied = Applied(n_workers=n_workers)
        self._restarts_wanted = 0
        self._retiring: dict[str, bool] = {}

    # -- what is wanted --------------------------------------------------------------------------

    @property
    def restarting(self) -> bool:
        """Whether a restart was asked for that is not done yet."""
        return self._restarts_wanted > self._applied.restarts

    def want_restart(self) -> None:
        """Restart all workers; asking again meanwhile changes nothing."""
        self._restarts_wanted = self._applied.restarts + 1

    def retires(self, name: str) -> bool:
        """Whether that worker is being retired."""
        return name in self._retiring

    def want_retired(self, name: str, *, lowers: bool) -> None:
        """Retire that worker.

        Parameters
        ----------
        name : str
        lowers : bool
            Whether the wanted number was lowered for it, and rises again if the worker stays.
        """
        self._retiring[name] = lowers

    def forget_lowered(self) -> None:
        """Another number is wanted: what was lowered for retired workers is of the past."""
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
        """Do what is wanted, until that is to stop."""
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
                await self._changed.wait()
            else:
                try:
                    await self._perform(step)
                except Exception as error:
                    # The cluster lives on with what it has; the request counts as done, or it would come again.
                    logger.exception("The step '%s' failed", step.value)
                    wanted = self._wanted
                    self._applied = Applied(wanted.n_workers, wanted.adapt, self._restarts_wanted)
                    self._note(f"Could not {step.value}: {cause_of(error)}.")

    async def _perform(self, step: Step) -> None:
        if step is Step.RESTART:
            await unless_stopped(self._store, self._changed, self._restart())
        elif step is Step.RETIRE:
            await unless_stopped(self._store, self._changed, self._retire(next(iter(self._retiring))))
        elif step is Step.ADAPT:
            adapt = self._wanted.adapt
            assert adapt is not None
            operations.adapt(self._cluster, adapt)
            self._applied = Applied(n_workers=None, adapt=adapt, restarts=self._applied.restarts)
        elif step is Step.SCALE:
            await self._scale()

    def _note(self, notice: str | None) -> None:
        """Tell why something that was asked for was not, or not quite, done."""
        if notice is not None:
            self._activity_log.failed(notice)
        self._store.update(notice=notice)

    async def _restart(self) -> None:
        restarts = self._restarts_wanted
        self._store.update(
            state=ClusterState.SCALING, progress=Progress(step="restart", message="Restarting the workers")
        )
        notice = await operations.restart(self._cluster)
        self._applied = Applied(n_workers=self._applied.n_workers, adapt=self._applied.adapt, restarts=restarts)
        self._note(notice)

    # -- retiring --------------------------------------------------------------------------------

    async def _retire(self, name: str) -> None:
        self._store.update(
            state=ClusterState.SCALING,
            progress=Progress(step="retire", message=f"Moving the data of worker {name} to the others"),
        )
        stays: str | None = "…"
        leaving = retiring.addresses(self._cluster, {name})
        try:
            await self._have_another(name)
            self._activity_log.sends_away(leaving)
            stays = await retiring.retire(self._cluster, name, last=self._none_wanted)
        finally:
            if stays is not None:
                self._activity_log.keeps(leaving)
            lowered = self._retiring.pop(name, False)
            wanted = self._wanted
            if stays is not None and lowered and wanted.n_workers is not None:
                self._store.update(wanted=Wanted(n_workers=wanted.n_workers + 1))
        self._take_as_applied()
        self._store.update(**self._observed())
        self._note(stays)

    async def _have_another(self, name: str) -> None:
        """Wait for another worker that takes the results, and start one if need be, where any is wanted at all."""
        wanted = self._wanted.n_workers
        if wanted and retiring.planned(self._cluster) == {name}:
            # One more than wanted, as this one will leave.
            operations.scale(self._cluster, min(wanted + 1, self._maximum_workers))
            self._applied = Applied(n_workers=len(self._cluster.worker_spec), restarts=self._applied.restarts)
        while not self._none_wanted and retiring.alone(self._cluster, name):
            if not retiring.planned(self._cluster) - {name}:
                return
            if operations.settled(self._cluster, len(self._cluster.worker_spec))[1] is not None:
                operations.forget_failed(self._cluster)
                return
            operations.replace_lost(self._cluster)
            await asyncio.sleep(0.05)

    def _take_as_applied(self) -> None:
        """Go on as if the cluster had been scaled to what it has now."""
        if self._applied.adapt is None:
            self._applied = Applied(n_workers=len(self._cluster.worker_spec), restarts=self._applied.restarts)

    # -- scaling ---------------------------------------------------------------------------------

    async def _scale(self) -> None:
        """Scale to the wanted number, and wait for it unless something else is wanted meanwhile."""
        wanted = self._wanted.n_workers
        assert wanted is not None
        self._store.update(state=ClusterState.SCALING, progress=self._progress(wanted))
        leaving = retiring.surplus(self._cluster, wanted)
        if not await self._hand_over(wanted, leaving):
            return
        operations.scale(self._cluster, wanted, leaving)
        self._applied = Applied(n_workers=wanted, restarts=self._applied.restarts)
        while self._wanted.n_workers == wanted and not self._wanted.stopped:
            count, failure = operations.settled(self._cluster, wanted)
            if failure is not None:
                # Better fewer workers than a request that is retried for ever.
                operations.forget_failed(self._cluster)
                self._applied = Applied(n_workers=count, restarts=self._applied.restarts)
                self._store.update(wanted=Wanted(n_workers=count))
                self._note(failure)
                return
            if count == wanted:
                return
            self._store.update(soon=True, progress=self._progress(wanted), **self._observed())
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), 0.05)
            self._changed.clear()

    async def _hand_over(self, wanted: int, leaving: set[str]) -> bool:
        """Move the results of those away that scaling will close; ``False`` if something else is wanted meanwhile."""
        self._activity_log.sends_away(retiring.addresses(self._cluster, leaving))
        handing = retiring.hand_over(self._cluster, leaving, lambda: self._wanted.n_workers == wanted)
        lost = await unless_stopped(self._store, self._changed, handing)
        if self._wanted.n_workers != wanted or self._wanted.stopped:
            self._activity_log.keeps(retiring.addresses(self._cluster))
            self._take_as_applied()
            return False
        if lost is not None:
            self._note(lost)
        return True

    def _progress(self, wanted: int) -> Progress:
        done = len(scheduler_of(self._cluster).workers)
        return Progress(step="scale", message=f"Scaling to {counted(wanted, 'worker')}", done=done, total=wanted)

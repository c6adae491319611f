"""The owner of one cluster: moves what is observed towards what is wanted, one operation at a time."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ..backends.backend import Backend, Plan, StartContext, load_backend
from ..backends.starting import cause_of, scheduler_of
from ..protocol.errors import GPUClusterError, InvalidRequest, InvalidState, PreflightFailed
from ..protocol.models import ClusterModel, ClusterState, Progress, Wanted
from ..protocol.spec import AutoSpec, ClusterPatch
from ..protocol.workers import find_worker
from ..registry.claims import DeviceClaims
from ..registry.directory import others_cannot_replace, write_private
from ..registry.record import DashboardAddress, Folder
from ..registry.store import LOG_TAIL_LINES, Registry, now, tail
from . import operations, retiring
from .chronicle import Chronicle, counted, span
from .decision import Applied, Step, next_step
from .idle import IdleTimer, computes, connected_clients
from .journal import Journal
from .members import members, versions
from .sampler import Sampler

if TYPE_CHECKING:
    from distributed.deploy.spec import SpecCluster

logger = logging.getLogger("gpucluster.supervisor")

TICK_SECONDS = 1.0
TOUCH_SECONDS = 3600.0


class Owner:
    """Owns one cluster from its request to its end.

    Parameters
    ----------
    registry, folder
        Where the cluster is written down.
    model : ClusterModel
        As requested, in state ``starting``.
    redact : callable
        Told every secret that must not appear in the log.
    """

    def __init__(self, registry: Registry, folder: Folder, model: ClusterModel, redact: Callable[[str], None]) -> None:
        self.registry = registry
        self.folder = folder
        self.spec = model.spec
        self.chronicle = Chronicle(folder.activity, self._planned)
        self.journal = Journal(registry, folder, model, self.chronicle.saw)
        self.idle = IdleTimer(model.idle.timeout_seconds)
        self.cluster: SpecCluster | None = None
        self.plan: Plan | None = None
        self.backend: Backend[Any] | None = None
        self.sampler: Sampler | None = None
        self.changed = asyncio.Event()
        self._redact = redact
        self._requested = self._touched = time.monotonic()
        self._restarts_wanted = 0
        self._retiring: dict[str, bool] = {}
        self._applied = Applied(n_workers=None)
        self._stop_reason: str | None = None
        self._scratch = folder.scratch

    @property
    def model(self) -> ClusterModel:
        """The cluster as it is now."""
        return self.journal.model

    # -- requests --------------------------------------------------------------------------------

    def patch(self, patch: ClusterPatch, by: str | None = None) -> ClusterModel:
        """Change what is wanted. The state is unchanged when this raises.

        Parameters
        ----------
        patch : ClusterPatch
            The change.
        by : str, optional
            Who asks, for the cluster's activity; the same with all requests.

        Raises
        ------
        InvalidRequest
            More workers than this cluster can have.
        InvalidState
            The cluster is stopping or has ended.
        """
        self._must_live()
        if patch.idle_timeout_seconds is not None:
            self.chronicle.asked_to_change(patch, by)
            self.idle.set_timeout(patch.idle_timeout_seconds or None)
            return self.journal.update(idle=self.idle.model())
        most = patch.adapt.maximum if patch.adapt is not None else (patch.n_workers or 0)
        if self.plan is not None and most > self.plan.maximum_workers:
            field = "adapt.maximum" if patch.adapt is not None else "n_workers"
            raise InvalidRequest(
                f"{field}: must be at most {self.plan.maximum_workers}, not {most}: {self.plan.maximum_reason}."
            )
        self.chronicle.asked_to_change(patch, by)
        self._retiring = dict.fromkeys(self._retiring, False)
        wanted = Wanted(n_workers=patch.n_workers, adapt=patch.adapt)
        model = self.journal.update(wanted=wanted, reason=None)
        self.changed.set()
        return model

    def retire(self, name: str, by: str | None = None) -> ClusterModel:
        """Ask for the end of one worker, whose results go to the others first.

        Raises
        ------
        InvalidState
            The cluster is not running.
        WorkerNotFound
            It has no worker of that name.
        """
        self._must_live()
        if self.cluster is None:
            raise InvalidState(f"The cluster '{self.model.name}' is still starting; it has no workers to retire.")
        name = find_worker(self.model, name).name
        if name in self._retiring:
            return self.model
        wanted = self.model.wanted
        self.chronicle.asked("retire", by, f"Retire worker {name}")
        lower = wanted.n_workers is not None and name in self._planned()
        self._retiring[name] = lower
        if lower:
            wanted = Wanted(n_workers=max(0, (wanted.n_workers or 0) - 1))
        model = self.journal.update(wanted=wanted, reason=None)
        self.changed.set()
        return model

    def restart(self, by: str | None = None) -> ClusterModel:
        """Ask for a restart of all workers.

        Raises
        ------
        InvalidState
            The cluster is not running.
        """
        self._must_live()
        if self.cluster is None:
            raise InvalidState(f"The cluster '{self.model.name}' is still starting; there is nothing to restart.")
        self.chronicle.asked("restart", by, "Restart all workers")
        self._restarts_wanted = self._applied.restarts + 1
        self.changed.set()
        return self.model

    def stop(self, reason: str | None = None, by: str | None = None) -> ClusterModel:
        """Ask for the end. Asking again changes nothing."""
        if self.model.state.ended or self.model.wanted.stopped:
            return self.model
        self.chronicle.asked("stop", by, reason or "Stop")
        self._stop_reason = reason
        model = self.journal.update(
            wanted=Wanted(stopped=True),
            state=ClusterState.STOPPING,
            progress=Progress(step="stop", message="Stopping"),
        )
        self.changed.set()
        return model

    def _must_live(self) -> None:
        if self.model.wanted.stopped or self.model.state.ended:
            raise InvalidState(f"The cluster '{self.model.name}' is {self.model.state.value}.")

    # -- life ------------------------------------------------------------------------------------

    async def run(self) -> ClusterModel:
        """Own the cluster until it has ended; returns its last model."""
        ticker: asyncio.Task[None] | None = None
        try:
            await self._unless_stopped(self._start())
            if not self.model.wanted.stopped:
                ticker = asyncio.create_task(self._tick())
                await self._reconcile()
            await self._end(ClusterState.STOPPED, self._stop_reason)
        except GPUClusterError as error:
            await self._end(ClusterState.FAILED, error.message)
        except Exception as error:
            logger.exception("The supervisor failed")
            await self._end(ClusterState.FAILED, f"Internal error ({type(error).__name__}); see the log.")
        finally:
            if ticker is not None:
                ticker.cancel()
        return self.model

    async def _unless_stopped(self, work: Coroutine[Any, Any, None]) -> None:
        """Do the work, and cancel it as soon as a stop is wanted."""
        task = asyncio.create_task(work)
        while not task.done():
            self.changed.clear()
            if self.model.wanted.stopped:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
                return
            waiter = asyncio.create_task(self.changed.wait())
            await asyncio.wait({task, waiter}, return_when=asyncio.FIRST_COMPLETED)
            waiter.cancel()
        await task

    async def _start(self) -> None:
        spec = self.spec
        if isinstance(spec, AutoSpec):
            from ..backends.auto import choose

            self._report("preflight", "Looking for GPUs")
            spec, why = await choose(spec)
            self.journal.update(backend=spec.backend, backend_reason=why)
        self.backend = load_backend(spec.backend)
        encrypted = getattr(spec, "protocol", "tls") == "tls"
        context = self._context(spec.local_directory, encrypted=encrypted)
        self.plan = await self.backend.preflight(spec, context)
        self.journal.update(encrypted=self.plan.encrypted)
        cluster = await self.backend.start(self.plan, context)
        self.cluster = cluster
        scheduler = scheduler_of(cluster)
        self.sampler = Sampler(scheduler, self.folder.id)
        self.sampler.start(devices=spec.backend != "local")
        self._applied = Applied(n_workers=self.plan.n_workers)
        wanted = self.model.wanted
        if wanted.n_workers is None and wanted.adapt is None:
            wanted = Wanted(n_workers=self.plan.n_workers)
        elif wanted.n_workers is not None and wanted.n_workers > self.plan.maximum_workers:
            wanted = Wanted(n_workers=self.plan.maximum_workers)
        operations.watch(scheduler, self._on_members)
        server: Any = scheduler.http_server  # distributed adds address and port to tornado's class
        address = DashboardAddress(host=server.address, port=server.port, prefix=context.dashboard_prefix)
        write_private(self.folder.dashboard, address.model_dump_json())
        self.idle.update(busy=False)
        self.journal.update(
            state=ClusterState.RUNNING,
            progress=None,
            wanted=wanted,
            scheduler_address=cluster.scheduler_address,
            dashboard_path=f"gpucluster/dashboard/{self.folder.id}/status",
            running_at=now(),
            start_seconds=self._seconds_since_request(),
            idle=self.idle.model(),
            versions=versions(),
            **self._members(),
        )

    def _context(self, local_directory: str | None, *, encrypted: bool) -> StartContext:
        from .credentials import make_credentials

        if local_directory is not None:
            self._scratch = self.folder.scratch_in(local_directory)
        try:
            if self._scratch.parent.is_dir() and not others_cannot_replace(self._scratch.parent):
                raise PreflightFailed(
                    f"local_directory: other users may write to {local_directory} and replace files in it. Choose a "
                    "directory of yours, or one with the sticky bit."
                )
            self._scratch.mkdir(mode=0o700)
        except FileExistsError:
            raise PreflightFailed(
                f"local_directory: {self._scratch} exists already. Choose another directory."
            ) from None
        except OSError as error:
            raise PreflightFailed(
                f"local_directory: {local_directory} cannot be used ({error.strerror}). Choose a directory that exists "
                "and that you may write to."
            ) from error
        prefix = secrets.token_urlsafe(24)
        self._redact(prefix)
        return StartContext(
            cluster_id=self.folder.id,
            security=make_credentials(self.folder.tls) if encrypted else None,
            scratch_directory=self._scratch,
            dashboard_prefix=prefix,
            report=self._report,
            claims=DeviceClaims(self.registry.directory),
        )

    async def _reconcile(self) -> None:
        assert self.cluster is not None
        while True:
            self.changed.clear()
            step = next_step(
                self.model.wanted,
                self._applied,
                restarts_wanted=self._restarts_wanted,
                retiring=bool(self._retiring),
            )
            if step is Step.STOP:
                return
            if step is Step.REST:
                if self.model.state is not ClusterState.RUNNING:
                    self.journal.update(state=ClusterState.RUNNING, progress=None, **self._members())
                await self.changed.wait()
            else:
                try:
                    await self._perform(step, self.cluster)
                except Exception as error:
                    # The cluster lives on with what it has; the request counts as done, or it would come again.
                    logger.exception("The step '%s' failed", step.value)
                    wanted = self.model.wanted
                    self._applied = Applied(wanted.n_workers, wanted.adapt, self._restarts_wanted)
                    self._note(f"Could not {step.value}: {cause_of(error)}.")

    async def _perform(self, step: Step, cluster: SpecCluster) -> None:
        if step is Step.RESTART:
            await self._unless_stopped(self._restart(cluster))
        elif step is Step.RETIRE:
            await self._unless_stopped(self._retire(cluster, next(iter(self._retiring))))
        elif step is Step.ADAPT:
            adapt = self.model.wanted.adapt
            assert adapt is not None
            operations.adapt(cluster, adapt)
            self._applied = Applied(n_workers=None, adapt=adapt, restarts=self._applied.restarts)
        elif step is Step.SCALE:
            await self._scale(cluster)

    async def _restart(self, cluster: SpecCluster) -> None:
        restarts = self._restarts_wanted
        self.journal.update(
            state=ClusterState.SCALING, progress=Progress(step="restart", message="Restarting the workers")
        )
        reason = await operations.restart(cluster)
        self._applied = Applied(n_workers=self._applied.n_workers, adapt=self._applied.adapt, restarts=restarts)
        self._note(reason)

    async def _retire(self, cluster: SpecCluster, name: str) -> None:
        self.journal.update(
            state=ClusterState.SCALING,
            progress=Progress(step="retire", message=f"Moving the data of worker {name} to the others"),
        )
        stays: str | None = "…"
        leaving = retiring.addresses(cluster, {name})
        try:
            await self._have_another(cluster, name)
            self.chronicle.sends_away(leaving)
            stays = await retiring.retire(cluster, name, last=self._none_wanted())
        finally:
            if stays is not None:
                self.chronicle.keeps(leaving)
            lowered = self._retiring.pop(name, False)
            wanted = self.model.wanted
            if stays is not None and lowered and wanted.n_workers is not None:
                wanted = Wanted(n_workers=wanted.n_workers + 1)
                self.journal.update(wanted=wanted)
        self._applied_is_left(cluster)
        self.journal.update(**self._members())
        self._note(stays)

    async def _have_another(self, cluster: SpecCluster, name: str) -> None:
        """Wait for another worker that takes the results, and start one if need be, where any is wanted at all."""
        wanted = self.model.wanted.n_workers
        assert self.plan is not None
        if wanted and retiring.planned(cluster) == {name}:
            # One more than wanted, as this one will leave.
            operations.scale(cluster, min(wanted + 1, self.plan.maximum_workers))
            self._applied = Applied(n_workers=len(cluster.worker_spec), restarts=self._applied.restarts)
        while not self._none_wanted() and retiring.alone(cluster, name):
            if not retiring.planned(cluster) - {name}:
                return
            if operations.settled(cluster, len(cluster.worker_spec))[1] is not None:
                operations.forget_failed(cluster)
                return
            operations.replace_lost(cluster)
            await asyncio.sleep(0.05)

    def _none_wanted(self) -> bool:
        wanted = self.model.wanted
        return (wanted.n_workers if wanted.adapt is None else wanted.adapt.minimum) == 0

    def _applied_is_left(self, cluster: SpecCluster) -> None:
        """Go on as if it had been scaled to what is left."""
        if self._applied.adapt is None:
            self._applied = Applied(n_workers=len(cluster.worker_spec), restarts=self._applied.restarts)

    def _note(self, reason: str | None) -> None:
        """Tell why something that was asked for was not, or not quite, done."""
        if reason is not None:
            self.chronicle.failed(reason)
        self.journal.update(reason=reason)

    async def _scale(self, cluster: SpecCluster) -> None:
        """Scale to the wanted number, and wait for it unless something else is wanted meanwhile."""
        wanted = self.model.wanted.n_workers
        assert wanted is not None
        self.journal.update(state=ClusterState.SCALING, progress=self._scaling_progress(wanted))
        if not await self._hand_over(cluster, wanted):
            return
        operations.scale(cluster, wanted)
        self._applied = Applied(n_workers=wanted, restarts=self._applied.restarts)
        while self.model.wanted.n_workers == wanted and not self.model.wanted.stopped:
            count, failure = operations.settled(cluster, wanted)
            if failure is not None:
                # Better fewer workers than a request that is retried for ever.
                operations.forget_failed(cluster)
                self._applied = Applied(n_workers=count, restarts=self._applied.restarts)
                self.journal.update(wanted=Wanted(n_workers=count))
                self._note(failure)
                return
            if count == wanted:
                return
            self.journal.update(soon=True, progress=self._scaling_progress(wanted), **self._members())
            with suppress(TimeoutError):
                await asyncio.wait_for(self.changed.wait(), 0.05)
            self.changed.clear()

    async def _hand_over(self, cluster: SpecCluster, wanted: int) -> bool:
        """Move the results of those away that scaling will close; ``False`` if something else is wanted meanwhile."""
        leaving = retiring.addresses(cluster, retiring.surplus(cluster, wanted))
        lost: list[str | None] = []

        async def hand_over() -> None:
            lost.append(await retiring.hand_over(cluster, wanted, lambda: self.model.wanted.n_workers == wanted))

        self.chronicle.sends_away(leaving)
        await self._unless_stopped(hand_over())
        if self.model.wanted.n_workers != wanted or self.model.wanted.stopped:
            self.chronicle.keeps(retiring.addresses(cluster))
            self._applied_is_left(cluster)
            return False
        for sentence in lost:
            if sentence is not None:
                self._note(sentence)
        return True

    def _scaling_progress(self, wanted: int) -> Progress:
        assert self.cluster is not None
        done = len(scheduler_of(self.cluster).workers)
        return Progress(step="scale", message=f"Scaling to {counted(wanted, 'worker')}", done=done, total=wanted)

    async def _end(self, state: ClusterState, reason: str | None) -> None:
        leftovers = operations.descendants()
        if self.sampler is not None:
            self.sampler.stop()
        if self.cluster is not None:
            if state is ClusterState.FAILED:
                self.journal.update(state=ClusterState.STOPPING)
            await operations.close(self.cluster)
        operations.kill(leftovers)
        operations.remove_scratch(self._scratch)
        self.registry.clear_secrets(self.folder)
        self.chronicle.flush()
        failed = state is ClusterState.FAILED
        self.journal.update(
            state=state,
            reason=reason,
            progress=None,
            n_workers=0,
            n_clients=0,
            workers=[],
            scheduler_address=None,
            dashboard_path=None,
            ended_at=now(),
            idle=self.model.idle.model_copy(update={"idle_since": None, "stops_at": None}),
            log_tail=tail(self.folder.log, LOG_TAIL_LINES) if failed else [],
        )

    # -- watching --------------------------------------------------------------------------------

    def _on_members(self) -> None:
        """Workers or clients came or went."""
        self.journal.update(soon=True, **self._members())
        self.changed.set()

    def _keep_files(self) -> None:
        """Touch the files once an hour: systems that clean /tmp by age must not clean a living cluster."""
        if time.monotonic() - self._touched > TOUCH_SECONDS:
            self._touched = time.monotonic()
            self.folder.touch()

    async def _tick(self) -> None:
        from distributed.core import Status

        while True:
            await asyncio.sleep(TICK_SECONDS)
            cluster = self.cluster
            if cluster is None or self.model.wanted.stopped:
                return
            scheduler = scheduler_of(cluster)
            self.idle.update(busy=connected_clients(scheduler) > 0 or computes(scheduler))
            self.journal.update(soon=True, idle=self.idle.model(), **self._members())
            self._keep_files()
            if scheduler.status in {Status.closing, Status.closed, Status.failed}:
                self.stop("A client shut the scheduler down.")
            elif self.idle.expired:
                idle = span(self.idle.timeout_seconds or 0)
                self.stop(f"Idle for {idle}: nobody was connected and nothing was computed.", by="idle timer")
            elif self.model.state is ClusterState.RUNNING:
                operations.replace_lost(cluster)

    def _members(self) -> dict[str, Any]:
        if self.cluster is None or self.backend is None or self.model.wanted.stopped:
            return {}
        found = members(self.cluster, self.backend)
        restarting = self._restarts_wanted > self._applied.restarts
        self.chronicle.saw_workers(found["workers"], restarting=restarting)
        return found

    def _planned(self) -> set[str]:
        return retiring.planned(self.cluster) if self.cluster is not None else set()

    def _report(self, step: str, message: str) -> None:
        if not self.model.wanted.stopped:
            self.journal.update(progress=Progress(step=step, message=message))

    def _seconds_since_request(self) -> float:
        # The request was written down by another process: take the clock, unless it was moved meanwhile.
        asked = datetime.fromisoformat(self.model.created_at)
        seconds = (datetime.fromisoformat(now()) - asked).total_seconds()
        here = time.monotonic() - self._requested
        return round(seconds if here <= seconds <= here + 60 else here, 3)

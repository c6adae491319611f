"""The controller of one cluster: runs it from start to end, with checks every second."""

from __future__ import annotations

import asyncio
import logging
import shutil
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ..backends.backend import Backend, Chooser, Claims, Plan, load_backend
from ..backends.deployment import Deployment, SlotState, cause_of
from ..backends.scheduler.view import Members, WebAddress
from ..operating_system.files import read_own_file
from ..operating_system.sockets import seconds_since_boot
from ..protocol.errors import GPUClusterError, InvalidState, StartFailed
from ..protocol.kinds import parse_spec
from ..protocol.messages import MessageCode
from ..protocol.models import ClusterModel, ClusterState, Progress, Wanted, WorkerModel
from ..protocol.plain_text import route_all_loggers
from ..protocol.refusals import folder_of, storage_refusal
from ..protocol.spec import ScratchSpec
from ..protocol.verbs import Verb
from ..registry.directory import write_private
from ..registry.ending import LOG_TAIL_LINES, ended_fields, tail
from ..registry.record import DashboardAddress, Folder, now
from ..registry.store import Registry
from ..sharing.turns import Turn
from ..site.reading import this_site
from . import starting
from .activity_log import Marks, span
from .bounded_log import BoundedLog
from .figures.cells import CellLog
from .figures.sampler import CostMeter, Sampler
from .idle import kept_by
from .instructor_listener import InstructorListener, carry_out, facts_of
from .members import observed
from .process.caller import leave_if_deleted
from .process.preloading import yield_as_cluster
from .process.process_tree import Orphans, descendants, kill
from .process.warmup import ask_for_rapids, multiprocessing_helpers
from .reaper import reap
from .reconciler import Reconciler
from .requests import ClusterParts, Requests
from .scratch_space import ScratchWatch, disk_of, limit_bytes
from .starting import make_scratch, prepare
from .state_store import StateStore, unless_stopped
from .versions import version_warnings, versions

CHECK_SECONDS = 1.0


class RoutineChecks:
    """Runs the checks of one cluster each second, until a stop is wanted. A failure is a notice, and logged once."""

    def __init__(self, store: StateStore, *checks: Callable[[], None]) -> None:
        self._store = store
        self._checks = checks
        self._notice: str | None = None

    async def run(self) -> None:
        while True:
            await asyncio.sleep(CHECK_SECONDS)
            failed: dict[str, Exception] = {}
            for check in self._checks:
                if self._store.model.wanted.stopped:
                    return
                try:
                    check()
                except Exception as error:
                    failed[check.__name__] = error
            self._report(failed)

    def _report(self, failed: dict[str, Exception]) -> None:
        before, self._notice = self._notice, None
        if failed:
            causes = ", ".join(dict.fromkeys(cause_of(error) for error in failed.values()))
            self._notice = f"The cluster's process cannot manage the cluster ({causes}); see the log."
        if self._notice == before:
            return
        for name, error in failed.items():
            logger.error("The periodic step '%s' failed", name.strip("_"), exc_info=error)
        if self._store.model.notice in {None, before}:
            self._store.update(say={MessageCode.NOTICE: self._notice})


logger = logging.getLogger("gpucluster.supervisor")

TOUCH_SECONDS = 3600.0
REAP_SECONDS = 6.0  # How long an ending supervisor tries to end what its deployment has left; then others do it.


class Controller:
    """Controls one cluster from its request to its end. `turn`: left once it keeps no processor here busy."""

    def __init__(self, registry: Registry, folder: Folder, model: ClusterModel, turn: Turn | None = None) -> None:
        self.registry = registry
        self.folder = folder
        self.spec = model.spec
        self.parts = parts = ClusterParts(registry, folder, model)
        self._store, self._activity_log, self._titles = parts.store, parts.activity_log, parts.titles
        self._idle, self._quota = parts.idle, parts.quota
        self.requests = Requests(parts)
        self.backend: Backend[Any] | None = None
        self.sampler: Sampler | None = None
        self._turn = turn
        self._requested = self._touched = time.monotonic()
        self._end_state = ClusterState.STOPPED
        self._scratch: Path | None = None
        self._scratch_watch: ScratchWatch | None = None
        self._marks = Marks(self._titles)
        self._costs: CostMeter | None = None
        self._log = BoundedLog(folder.log)
        self._instructors = InstructorListener(
            folder.id, lambda: facts_of(self.model), lambda request, who: carry_out(self.requests, request, who)
        )
        self._claims: Claims | None = None
        self._walltime: float | None = None  # End of the site's time for the cluster, in seconds since the boot.
        self._warnings: list[str] = []  # Shown for as long as it runs.
        self.directory: str | None = None  # Where workers start, once that is known.

    @property
    def model(self) -> ClusterModel:
        return self.parts.model

    def warn(self, warning: str) -> None:
        """Show the warning for as long as the cluster runs."""
        self._warnings.append(warning)

    # -- life ------------------------------------------------------------------------------------

    async def run(self) -> ClusterModel:
        early = (self._log.look, self._look_at_holder, self._instructors.look, self._store.look)
        checking = asyncio.create_task(RoutineChecks(self._store, *early).run())
        try:
            await unless_stopped(self._store, self.parts.changed, self._start())
            if self.parts.reconciler is not None and not self.model.wanted.stopped:
                looks = (self._look_at_scratch, self._look_at_directory, self._look_at_use, self._look_for_marks)
                late = (self._look_at_end, self._store.recover, self._keep_files, Orphans(multiprocessing_helpers).look)
                checking.cancel()
                checking = asyncio.create_task(RoutineChecks(self._store, *early, *looks, *late).run())
                await self.parts.reconciler.run()
            await self._end(self._end_state, self.parts.stop_reason)
        except GPUClusterError as error:
            await self._end(ClusterState.FAILED, error.message)
        except Exception as error:
            await self.fail(error)
        finally:
            checking.cancel()
            self._instructors.close()
            self._leave_turn()
        return self.model

    async def fail(self, error: Exception) -> None:
        """End because of an error that has no message for users."""
        logger.error("The supervisor failed", exc_info=error)
        where = folder_of(error, self.registry.directory)
        internal = f"Internal error ({type(error).__name__}); see the log."
        await self._end(ClusterState.FAILED, storage_refusal(error, where) or internal)

    async def _start(self) -> None:
        spec = self.spec
        backend = load_backend(spec.backend)
        if isinstance(backend, Chooser):
            self._report("preflight", "Looking for GPUs")
            spec, why = await backend.choose(spec)
            backend = load_backend(spec.backend)
            self._store.update(backend=spec.backend, say={MessageCode.CHOICE: why})
        if not isinstance(backend, Backend):
            raise StartFailed(f"The kind '{spec.backend}' cannot be started; it only chooses another one.")
        self.backend = backend
        spec = parse_spec(spec)  # The request may come from another version of the kind.
        self._store.update(backend_title=backend.title)
        if not backend.traits.this_machine:
            self._leave_turn()
        self._scratch = make_scratch(self.folder, spec.local_directory if backend.traits.this_machine else None)
        context = prepare(self.parts, self._scratch, spec, self._report)
        self._claims = context.claims
        self.parts.plan = plan = await self._quota.planned(self._store, self.backend, spec, context)
        if isinstance(spec, ScratchSpec):
            wanted_bytes = limit_bytes(spec.scratch_limit, disk_of(self._scratch))
            self._quota.allow_scratch(self._store, wanted_bytes, exact=spec.scratch_limit != "auto")
        has_gpus = backend.traits.has_gpus if plan.has_gpus is None else plan.has_gpus
        say = {MessageCode.NOTE: plan.notes(self._most_wanted(plan))}
        self._store.update(network=plan.network, has_gpus=has_gpus, slots=list(plan.slots), say=say)
        if has_gpus and backend.traits.this_machine:
            ask_for_rapids()
        rates = this_site().costs_of(spec.backend)
        self._costs = CostMeter(rates) if rates is not None else None
        self.parts.deployment = deployment = await starting.start_deployment(self.backend, plan, context)
        route_all_loggers()  # Of what only this kind of cluster imports.
        scheduler = deployment.scheduler
        cells = CellLog(self.folder.cells, self.model, lambda: self.model.cost)
        self.sampler = Sampler(scheduler, self.folder.id, plan.machine, cells)
        self.sampler.start(devices=has_gpus)
        if isinstance(spec, ScratchSpec):
            tell, limit, note = self._activity_log.happened, self.model.scratch_limit_bytes, self._quota.no_scratch
            self._scratch_watch = ScratchWatch(self._scratch, limit, scheduler, tell, has_gpus=has_gpus, why_none=note)
            await self._scratch_watch.begin(self._most_wanted(self.parts.plan))
        if deployment.submitted is not None:
            write_private(self.folder.submitted, deployment.submitted)
        plan = self.parts.plan  # A request may have replaced it meanwhile.
        queues = self.backend.traits.queues
        self.parts.reconciler = Reconciler(self.parts, deployment, plan, queues=queues, observed=self._members)
        wanted = self.model.wanted
        if wanted.stopped:
            return
        if wanted.n_workers is not None:
            # The request may be older than the limit, and than the fact that workers come in whole jobs.
            together = plan.workers_together if plan.whole_jobs else 1
            whole = -(-wanted.n_workers // together) * together
            wanted = Wanted(n_workers=plan.maximum_workers if wanted.n_workers > plan.maximum_workers else whole)
        elif wanted.adapt is None and plan.maximum_workers and not plan.leaves_number:
            wanted = Wanted(n_workers=plan.n_workers)
        self._walltime = self._quota.ends(self.backend.traits)
        scheduler.watch(self._on_members)
        if scheduler.dashboard is not None:
            prefix = scheduler.dashboard_prefix
            write_address(self.folder, context.dashboard_prefix if prefix is None else prefix, scheduler.dashboard)
        self._idle.update(busy=self._in_use(scheduler.members()))
        found = versions()
        self._warnings += version_warnings(found)
        for warning in self._warnings:
            logger.warning(warning)
        self._leave_turn()  # Before the state shows that it runs.
        self._store.update(
            state=ClusterState.RUNNING,
            progress=None,
            wanted=wanted,
            scheduler_address=scheduler.address,
            dashboard_path=f"gpucluster/dashboard/{self.folder.id}/status" if scheduler.dashboard is not None else None,
            running_at=now(),
            start_seconds=self._seconds_since_request(),
            idle=self._idle.model(),
            versions=found,
            can=tuple(filter(deployment.supports, Verb)),
            **self._members(),
        )
        await asyncio.to_thread(yield_as_cluster)

    def open_dashboard(self) -> DashboardAddress:
        """Open the dashboard to browsers on this machine, on a loopback port and below the secret prefix."""
        model = self.model
        if self.parts.deployment is None or model.dashboard_path is None:
            raise InvalidState(f"The cluster '{model.name}' is {model.state.value}; its dashboard is not open.")
        address = DashboardAddress.model_validate_json(read_own_file(self.folder.dashboard))
        scheduler = self.parts.deployment.scheduler
        if address.port is None:
            assert scheduler.dashboard is not None
            address = write_address(self.folder, address.prefix, scheduler.dashboard, scheduler.open_dashboard())
        return address

    def _most_wanted(self, plan: Plan) -> int:
        wanted = self.model.wanted
        if wanted.adapt is not None:
            return wanted.adapt.maximum
        return plan.n_workers if wanted.n_workers is None else wanted.n_workers

    async def _end(self, state: ClusterState, reason: str | None) -> None:
        failed = state is ClusterState.FAILED
        # Read now: log lines about the closing would push out the cause.
        log_tail = tail(self.folder.log, LOG_TAIL_LINES) if failed else []
        leftovers = descendants()
        await self.parts.recording.end("The cluster has ended.")
        if self.sampler is not None:
            self.sampler.stop()
        if self._scratch_watch is not None:
            self._scratch_watch.close()
        if self.parts.deployment is not None:
            if failed:
                self._store.update(state=ClusterState.STOPPING)
            if await starting.close_deployment(self.parts.deployment):
                with suppress(OSError):
                    self.folder.remembered.unlink(missing_ok=True)
        if self.backend is not None:
            # The next process that lists clusters retries what fails here.
            left = await reap(self.folder, self.backend, timeout=REAP_SECONDS)
            reason = " ".join(filter(None, (reason, left))) or None
        kill(leftovers)
        if self._claims is not None:
            # Readers of the ended state find its GPUs free.
            self._claims.release()
        if self._scratch is not None:
            shutil.rmtree(self._scratch, ignore_errors=True)
        self.registry.clear_secrets(self.folder)
        self._activity_log.ended()
        with suppress(OSError):
            self._log.shorten()
        cost: dict[str, Any] = {"cost": self._costs.end()} if self._costs is not None else {}
        self._store.update(**cost, **ended_fields(self.model, state, reason, at=now(), log_tail=log_tail))

    # -- watching --------------------------------------------------------------------------------

    def _on_members(self) -> None:
        self._store.update(soon=True, **self._members())
        self.parts.changed.set()

    def _keep_files(self) -> None:
        """Touch the files once an hour: systems that clean /tmp by age must not delete those of a running cluster."""
        if time.monotonic() - self._touched > TOUCH_SECONDS:
            self._touched = time.monotonic()
            self.folder.touch()

    def _look_at_holder(self) -> None:
        """End a lease whose holder is gone, even while it waits in the queue."""
        if (why := self.parts.why_lease_over()) is not None:
            self.requests.stop(why)

    def _look_at_use(self) -> None:
        members = self._running().scheduler.members()
        used = self._in_use(members)
        queue = used and not members.n_clients and not members.computes
        kept = kept_by(members, waits_in_queue=queue) if members.is_quiet else None
        self._idle.update(busy=used, quiet=members.is_quiet, kept_by=kept, n_uses=members.n_uses)
        if self.sampler is not None:
            self.sampler.note_use(used=used)
        if self._claims is not None:
            self._claims.set_expected_end(self._quota.expected_end(self._walltime, self._idle))
        self._store.update(soon=True, idle=self._idle.model(), **self._members())
        self._activity_log.note_recomputing(members.n_recomputing)

    def _look_for_marks(self) -> None:
        if self.sampler is not None and self.parts.reconciler is not None:
            if self.parts.reconciler.restarting:
                self._marks.forget()
            self._titles.note(self.sampler.columns)
            for kind, message in self._marks.look_at(self.sampler.columns, self._running().scheduler.members()):
                self._activity_log.happened(kind, message)

    def _look_at_scratch(self) -> None:
        if self._scratch_watch is not None and self.sampler is not None:
            self._scratch_watch.look(self.sampler.columns, self._running().scheduler.members())

    def _look_at_directory(self) -> None:
        if self.directory is not None and (warning := leave_if_deleted(self.directory)) is not None:
            self.warn(warning)

    def _in_use(self, members: Members) -> bool:
        """Whether a client is connected, something is computed, or workers wait in a queue, which may take hours."""
        if members.n_clients > 0 or members.computes:
            return True
        queues = self.backend is not None and self.backend.traits.queues
        return queues and any(slot.state is SlotState.PENDING for slot in self._running().slots())

    def _look_at_end(self) -> None:
        members = self._running().scheduler.members()
        if members.ended is not None:
            if members.failed:
                self._end_state = ClusterState.FAILED
            self.requests.stop(members.ended)
        elif self._walltime is not None and seconds_since_boot() >= self._walltime:
            self._stop_unasked("The cluster reached this site's time limit for clusters on this machine.", by="site")
        elif self._idle.expired:
            idle = span(self._idle.timeout_seconds or 0)
            self._stop_unasked(f"Idle for {idle}: no connection and no computation.", by="idle timer")

    def _stop_unasked(self, reason: str, *, by: str) -> None:
        """Stop the cluster without a request, so its user must be notified."""
        self._store.announce(MessageCode.STOPPED, f"Stopped. {reason}")
        self.requests.stop(reason, by=by)

    def _running(self) -> Deployment:
        assert self.parts.deployment is not None
        return self.parts.deployment

    def _members(self) -> dict[str, Any]:
        deployment = self.parts.deployment
        if deployment is None or self.model.wanted.stopped:
            return {}
        found = observed(deployment, has_gpus=self.model.has_gpus)
        say = found["say"]
        if self._walltime is not None:
            found["ends_at"] = self._quota.ends_at
        if (plan := self.parts.plan) is not None:
            # Some operations change what is wanted, as when a worker is retired.
            say[MessageCode.NOTE] = plan.notes(self._most_wanted(plan)) + deployment.notes()
        scratch = [] if self._scratch_watch is None else self._scratch_watch.warnings
        say[MessageCode.WARNING] = self._warnings + deployment.warnings() + scratch
        if self._costs is not None:
            found["cost"] = self._costs.note(**self._in_use_now(found["workers"]))
        failures = [*say[MessageCode.TASKS_FAILED], *say[MessageCode.TASKS_KILLED]]
        self._activity_log.note_failures([(one.subject or "", one.text) for one in failures])
        self._activity_log.note_restarts(deployment.scheduler.members().n_restarts)
        restarting = self.parts.reconciler is not None and self.parts.reconciler.restarting
        self._activity_log.note_workers(found["workers"], restarting=restarting)
        return found

    def _in_use_now(self, workers: Sequence[WorkerModel]) -> dict[str, int]:
        cores = getattr(self.spec, "cores", None)
        plan = self.parts.plan
        together, whole = (plan.workers_together, plan.whole_jobs) if plan is not None else (1, True)
        # Cores are those of a job, which may have several workers; a smaller job counts in proportion.
        on_nodes = (cores or 0) * getattr(self.spec, "nodes_per_job", 1)
        of_jobs = on_nodes * -(-len(workers) // together) if whole else -(-on_nodes * len(workers) // together)
        return {
            "gpus": len(workers) if self.model.has_gpus else 0,
            "cores": of_jobs if cores else sum(worker.n_threads for worker in workers),
            "nodes": len({urlsplit(worker.address or "").hostname for worker in workers}),
        }

    def _leave_turn(self) -> None:
        if self._turn is not None:
            self._turn.leave()
            self._turn = None

    def _report(self, step: str, message: str) -> None:
        if step == "line":  # A cluster that waits for a GPU keeps no processor busy.
            self._leave_turn()
        if not self.model.wanted.stopped:
            self._store.update(progress=Progress(step=step, message=message))

    def _seconds_since_request(self) -> float:
        # Another process wrote the request: use the wall clock unless it was changed meanwhile.
        created = datetime.fromisoformat(self.model.created_at)
        seconds = (datetime.fromisoformat(now()) - created).total_seconds()
        here = time.monotonic() - self._requested
        return round(seconds if here <= seconds <= here + 60 else here, 3)


def write_address(folder: Folder, prefix: str, *served: WebAddress) -> DashboardAddress:
    """Write the secret prefix of the dashboard's pages, and the sockets that serve them, to the folder."""
    found: dict[str, Any] = {}
    for where in served:
        found |= {"socket": where} if isinstance(where, str) else {"host": where[0], "port": where[1]}
    address = DashboardAddress(prefix=prefix, **found)
    write_private(folder.dashboard, address.model_dump_json())
    return address

"""The requests to a cluster: each changes what is wanted, and returns. A recording continues without any page."""

from __future__ import annotations

import asyncio
import logging
from datetime import datetime
from pathlib import Path
from typing import Any

from ..backends.backend import Plan
from ..backends.deployment import Deployment, SlotState
from ..backends.scheduler.view import SchedulerView
from ..protocol.errors import InvalidState, refused_field
from ..protocol.messages import MessageCode
from ..protocol.models import (
    Announcement,
    ClusterModel,
    ClusterState,
    Progress,
    ResultsReleased,
    RunningRecording,
    Wanted,
)
from ..protocol.plain_text import counted
from ..protocol.spec import ClusterPatch
from ..protocol.spec_base import not_whole_jobs
from ..protocol.telemetry import Decision
from ..protocol.verbs import VERBS, Verb
from ..protocol.workers import find_worker
from ..recordings.writing import LineRecorder
from ..registry.holders import why_lease_ended
from ..registry.record import Folder, now
from ..registry.store import Registry
from ..site.quota import is_here
from .activity_log import ActivityLog, DeathCauses, WorkerTitles
from .figures.sampler import Sampler
from .idle import IdleTimer
from .quota import Quota
from .reconciler import Reconciler
from .state_store import StateStore


class ClusterParts:
    """What a cluster's controller and its requests share; a request may replace ``plan``, and sets ``stop_reason``."""

    def __init__(self, registry: Registry, folder: Folder, model: ClusterModel) -> None:
        self.registry = registry
        self.folder = folder
        self.spec = model.spec
        self.titles = WorkerTitles()
        self.activity_log = ActivityLog(
            folder.activity,
            self.planned,
            inquire=DeathCauses(lambda: self.deployment).look_at,
            announce=lambda code, text, instead=None: self.store.announce(code, text, instead=instead),
            titles=self.titles,
            renewed=getattr(model.spec, "lifetime_seconds", None) is not None,
        )
        self.store = StateStore(registry, folder, model, self.activity_log.note_model)
        self.recording = ClusterRecording(self.store, self.activity_log)
        self.quota = Quota(registry, folder.id)
        self.idle = IdleTimer(model.idle.timeout_seconds)
        self.deployment: Deployment | None = None
        self.plan: Plan | None = None
        self.reconciler: Reconciler | None = None
        self.changed = asyncio.Event()
        self.stop_reason: str | None = None

    @property
    def model(self) -> ClusterModel:
        return self.store.model

    def planned(self) -> set[str]:
        if self.deployment is None:
            return set()
        return {slot.name for slot in self.deployment.slots() if slot.state is not SlotState.LEAVING}

    def why_lease_over(self) -> str | None:
        """Return why a lease has ended; ``None`` while it has a holder, or where there is no lease."""
        lease = self.model.lease
        return None if lease is None else why_lease_ended(self.folder, lease)


class Requests:
    """The requests to one cluster; its ``Controller`` does what they ask for."""

    def __init__(self, parts: ClusterParts) -> None:
        self.parts = parts
        self._store, self._activity_log, self._idle = parts.store, parts.activity_log, parts.idle

    @property
    def _model(self) -> ClusterModel:
        return self._store.model

    def patch(self, patch: ClusterPatch, by: str | None = None) -> ClusterModel:
        """Change what is wanted; the state is unchanged when this raises. `by`: the requester, for the activity.

        Raises `InvalidRequest` (more workers than it can have, or part of a job), `InvalidState` (it is ending) or
        `RegistryUnwritable` (what is wanted could not be written down).
        """
        self._require_running()
        self._store.require_writable()
        if patch.idle_timeout_seconds is not None:
            self._activity_log.note_change_request(patch, by)
            self._idle.set_timeout(patch.idle_timeout_seconds or None)
            return self._store.update(idle=self._idle.model())
        self._require_support(Verb.ADAPT if patch.adapt is not None else Verb.SCALE)
        field = "n_workers" if patch.adapt is None else "adapt.maximum"
        most = patch.adapt.maximum if patch.adapt is not None else (patch.n_workers or 0)
        limit: dict[str, Any] = {}
        if (plan := self.parts.plan) is not None:
            if most > plan.maximum_workers:
                raise refused_field(field, f"must be at most {plan.maximum_workers}, not {most}: {plan.maximum_reason}")
            if is_here(self._model):
                plan = self.parts.quota.planned_for(most, plan, self.parts.spec)
                if (fault := self.parts.quota.fault(most, plan)) is not None:
                    raise refused_field(field, fault.removesuffix("."))
                if plan.shares_memory:
                    limit = {"memory_limit_bytes": plan.memory_limit_bytes}
            if plan.whole_jobs:
                _require_whole_jobs(patch, plan.workers_together)
            self.parts.plan = plan
            self._store.update(soon=True, say={MessageCode.NOTE: plan.notes(most)})
        self._activity_log.note_change_request(patch, by)
        if self.parts.reconciler is not None:
            self.parts.reconciler.forget_lowered()
        wanted = Wanted(n_workers=patch.n_workers, adapt=patch.adapt)
        return self._want(wanted=wanted, **limit)

    def retire(self, name: str, by: str | None = None) -> ClusterModel:
        """Ask for the end of one worker, whose results go to the others first."""
        reconciler = self._require_reconciler(Verb.RETIRE, "it has no workers to retire")
        name = find_worker(self._model, name).name
        if reconciler.retires(name):
            return self._model
        self._store.require_writable()
        wanted = self._model.wanted
        self._activity_log.note_request(Verb.RETIRE, by, f"Retire {self.parts.titles.of(name)}")
        lowers = wanted.n_workers is not None and name in self.parts.planned()
        reconciler.want_retired(name, lowers=lowers)
        if lowers:
            wanted = Wanted(n_workers=max(0, (wanted.n_workers or 0) - 1))
        return self._want(wanted=wanted)

    def restart(self, by: str | None = None) -> ClusterModel:
        reconciler = self._require_reconciler(Verb.RESTART, "there is nothing to restart")
        self._store.require_writable()
        self._activity_log.note_request(Verb.RESTART, by, "Restart all workers")
        reconciler.want_restart()
        return self._want()

    def stop(self, reason: str | None = None, by: str | None = None) -> ClusterModel:
        """Ask for the end, even where nothing can be written. A second request changes nothing."""
        if self._model.state.ended or self._model.wanted.stopped:
            return self._model
        if reason is None:
            reason = self.parts.why_lease_over()  # A lease holder that is done releases it first.
        self._activity_log.note_request("stop", by, reason or "Stop")
        self.parts.stop_reason = reason
        model = self._store.update(
            wanted=Wanted(stopped=True), state=ClusterState.STOPPING, progress=Progress(step="stop", message="Stopping")
        )
        self.parts.changed.set()
        return model

    def tell(self, announced: Announcement, by: str | None = None) -> ClusterModel:
        self._require_running()
        self._activity_log.happened(announced.kind, announced.message, by)
        return self._model

    async def record(self, sampler: Sampler, file: str, by: str | None = None) -> ClusterModel:
        self._require_running()
        return await self.parts.recording.begin(sampler, file, by)

    def scheduler(self) -> SchedulerView:
        """Return the cluster's scheduler. Raises `InvalidState`: the cluster is starting, stopping or has ended."""
        self._require_running()
        if self.parts.deployment is None:
            raise InvalidState(f"The cluster '{self._model.name}' is still starting.")
        return self.parts.deployment.scheduler

    async def release_results(self, released: ResultsReleased, by: str | None = None) -> ClusterModel:
        """Release the results that a notebook holds of a collection: its futures are cancelled."""
        scheduler = self.scheduler()
        who = "An assistant" if (by or "").startswith("assistant") else "You"
        clock = datetime.now().astimezone().strftime("%H:%M")
        why = f"{who} released the results of '{released.name}' at {clock}; compute them again."
        n_released = await scheduler.release(group=released.group, kernel=released.kernel, why=why)
        if not n_released:
            raise InvalidState(f"That notebook no longer holds results of '{released.name}'.")
        self._activity_log.note_request("release", by, f"Release {counted(n_released, 'result')} of '{released.name}'")
        return self._model

    def decisions(self) -> list[Decision]:
        return self.parts.deployment.decisions() if self.parts.deployment is not None else []

    def _require_running(self) -> None:
        if self._model.wanted.stopped or self._model.state.ended:
            raise InvalidState(f"The cluster '{self._model.name}' is {self._model.state.value}.")

    def _require_reconciler(self, verb: Verb, why_not: str) -> Reconciler:
        self._require_running()
        if self.parts.reconciler is None:
            raise InvalidState(f"The cluster '{self._model.name}' is still starting; {why_not}.")
        self._require_support(verb)
        return self.parts.reconciler

    def _want(self, **changes: Any) -> ClusterModel:
        """Record what is wanted, and wake ``Reconciler.run``."""
        model = self._store.update(say={MessageCode.NOTICE: None}, **changes)
        self.parts.changed.set()
        return model

    def _require_support(self, verb: Verb) -> None:
        if self.parts.deployment is not None and not self.parts.deployment.supports(verb):
            known = self.parts.deployment.why_not
            why = VERBS[verb].instead if known is None else f": {known}"
            raise InvalidState(f"The cluster '{self._model.name}' {VERBS[verb].cannot}{why}.")


def _require_whole_jobs(patch: ClusterPatch, together: int) -> None:
    """Refuse a number of workers, or bounds, that no whole number of jobs can give."""
    if patch.adapt is not None:
        least, most = -(-patch.adapt.minimum // together), patch.adapt.maximum // together
        if least > most or not most:
            raise refused_field(
                "adapt.maximum",
                f"each job has {together} workers, which start and stop together. Allow at least "
                f"{max(least, 1) * together} workers, not {patch.adapt.maximum}",
            )
    elif fault := not_whole_jobs(patch.n_workers, together):
        raise refused_field("n_workers", fault)


logger = logging.getLogger("gpucluster.supervisor")


class ClusterRecording:
    """Records the cluster to one file at a time, which no other user may read and which replaces none."""

    def __init__(self, store: StateStore, activity_log: ActivityLog) -> None:
        self._store = store
        self._activity_log = activity_log
        self._recorder: LineRecorder | None = None
        self._beginning: asyncio.Task[None] | None = None
        self._begun = asyncio.Lock()  # Held until a recording has begun or failed to.
        self._ending: asyncio.Task[None] | None = None

    async def begin(self, sampler: Sampler, file: str, by: str | None) -> ClusterModel:
        """Start recording; returns when the first sample is written."""
        model = self._store.model
        if self._recorder is not None:
            raise InvalidState(f"The cluster '{model.name}' is already being recorded: {self._recorder.path.name}.")
        name = model.name
        recorder = LineRecorder(file, name, sampler.listen, lambda: self._store.model, title=name, private=True)
        self._recorder = recorder
        async with self._begun:
            beginning = self._beginning = asyncio.create_task(recorder.start())
            try:
                await asyncio.wait({beginning})
                if beginning.cancelled():
                    raise InvalidState(f"The recording of '{model.name}' was stopped before its first sample.")
                beginning.result()
            except BaseException:
                self._recorder = None
                beginning.cancel()  # Also when the request was cancelled.
                raise
            finally:
                self._beginning = None
            self._activity_log.note_request("record", by, f"Record to {recorder.path.name}")
            self._ending = asyncio.create_task(self._note_end(recorder))
            return self._store.update(recording=RunningRecording(path=str(recorder.path), since=now()))

    async def end(self, message: str | None = None) -> ClusterModel:
        """Complete the file. A second call changes nothing. `message`: why it ends, if not on request."""
        if self._beginning is not None:
            self._beginning.cancel()
        async with self._begun:
            recorder, ending = self._recorder, self._ending
        if recorder is not None and ending is not None:
            await recorder.stop(message)
            await ending
        return self._store.model

    async def _note_end(self, recorder: LineRecorder) -> None:
        written = await recorder.ended()
        self._recorder = self._ending = None
        text = f"Recorded {counted(written.samples, 'sample')} to {Path(written.path).name}"
        self._activity_log.happened("recorded", text if written.message is None else f"{text}. {written.message}")
        self._store.update(recording=None)

"""The part of a user's quota that one cluster takes; ``site.quota`` counts."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from ..backends.backend import Backend, Plan, RemainingShare, StartContext
from ..operating_system.sockets import seconds_since_boot
from ..protocol.errors import PreflightFailed
from ..protocol.models import Wanted
from ..protocol.sizes import format_size
from ..protocol.spec import SpecBase
from ..protocol.traits import Traits
from ..registry.record import stamped
from ..registry.store import Registry
from ..site.quota import NO_SCRATCH_ADVICE, Remaining, is_here, left_beside
from ..site.reading import this_site
from .idle import IdleTimer
from .state_store import StateStore


class Quota(RemainingShare):
    def __init__(self, registry: Registry, id: str) -> None:
        self._registry = registry
        self._id = id
        self.ends_at: str | None = None  # When the site's time is over, as an ISO 8601 time.
        self.no_scratch: str | None = None  # Why nothing may be spilled, and what to do, where the site leaves nothing.

    def left(self) -> Remaining:
        """Return what is left beside this user's other clusters."""
        return left_beside(self._registry.list(), self._id)

    def lowered(self, spec: SpecBase, would_be: int) -> int:
        return self.left().lowered(spec, would_be)

    def memory_limit(self, spec: SpecBase, memory_bytes: int, workers: int) -> int:
        """Return the memory of each of that many workers, where it was left open."""
        return self.left().memory_limit(spec, memory_bytes, workers)

    async def planned(self, store: StateStore, backend: Backend[Any], spec: SpecBase, context: StartContext) -> Plan:
        """Return a plan within what is left now: other clusters may have taken a part while it was made."""
        plan = await backend.preflight(spec, context)
        try:
            return self.require_allowed(store, plan)
        except PreflightFailed:
            if spec.memory_limit != "auto" or this_site().sharing.per_user.memory is None:
                raise
            if context.claims is not None:
                context.claims.release()
            return self.require_allowed(store, await backend.preflight(spec, context))

    def require_allowed(self, store: StateStore, plan: Plan) -> Plan:
        """Return the plan for the workers wanted now, and record their number. Raises `PreflightFailed`: too many."""
        if not is_here(store.model):
            return plan
        wanted = store.model.wanted
        number = wanted.adapt.maximum if wanted.adapt is not None else wanted.n_workers
        if number is None:
            number = plan.n_workers
        with self._registry.exclusive():
            plan = self.planned_for(number, plan, store.model.spec)
            if (fault := self.fault(number, plan)) is not None:
                raise PreflightFailed(fault)
            bounded = wanted == Wanted() and self.left().is_bounded
            count: dict[str, Any] = {"wanted": Wanted(n_workers=number)} if bounded else {}
            store.update(memory_limit_bytes=plan.memory_limit_bytes, **count)
        return plan

    def planned_for(self, n_workers: int, plan: Plan, spec: SpecBase) -> Plan:
        """Return the plan with the memory of each of that many workers, where they share it."""
        if not plan.shares_memory:
            return plan
        each = self.memory_limit(spec, plan.memory_of(n_workers), n_workers)
        return replace(plan, memory_limit_bytes=each)

    def allow_scratch(self, store: StateStore, wanted: int | None, *, exact: bool) -> None:
        """Record the bytes to spill: those wanted if `exact`, or a part of what is left. Raises `PreflightFailed`."""
        if not is_here(store.model):
            return
        with self._registry.exclusive():
            left = self.left()
            if exact:
                if (fault := left.scratch_fault(wanted)) is not None:
                    raise PreflightFailed(fault)
            else:
                part = left.scratch_part(wanted)
                if part == 0 and wanted != 0:
                    most = format_size(left.most.scratch or 0)
                    self.no_scratch = (
                        f"your other clusters have the {most} that each user may have. {NO_SCRATCH_ADVICE}"
                    )
                wanted = part
            store.update(scratch_limit_bytes=wanted)

    def fault(self, n_workers: int, plan: Plan) -> str | None:
        """Return why the site does not allow that many workers, or ``None``."""
        left = self.left()
        if not left.is_bounded:
            return None
        return left.fault(n_workers, plan.threads_per_worker, plan.memory_limit_bytes)

    def ends(self, traits: Traits) -> float | None:
        """Return the end of the site's time for this cluster, in seconds since the boot; counted from now."""
        seconds = this_site().sharing.per_user.walltime
        if seconds is None or not traits.this_machine:
            return None
        self.ends_at = stamped(datetime.now(UTC) + timedelta(seconds=seconds), "seconds")
        return seconds_since_boot() + seconds

    @staticmethod
    def expected_end(walltime: float | None, idle: IdleTimer) -> float | None:
        """Return the latest end of this cluster if it is not used any more; ``None``: unknown."""
        stops_at = idle.model().stops_at
        if stops_at is None:
            return walltime
        left = (datetime.fromisoformat(stops_at) - datetime.now(UTC)).total_seconds()
        # Whole tens of seconds: each change is published.
        stops = round((seconds_since_boot() + left) / 10) * 10.0
        return stops if walltime is None else min(stops, walltime)

"""What the site gives one user of this machine in all clusters together, and how much of it is left.

The clusters are those of the user's own registry: the count is fairness among people who use the product, as all of the
site's limits are.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from ..backends.backend import Plan
from ..operating_system.abstract_names import seconds_since_boot
from ..protocol.errors import PreflightFailed
from ..protocol.kinds import find_kind
from ..protocol.models import ClusterModel, Wanted
from ..protocol.plaintext import counted
from ..protocol.sizes import format_size
from ..protocol.traits import Traits
from ..registry.store import Registry
from ..site.reading import this_site
from .idle import IdleTimer
from .state_store import StateStore


@dataclass(frozen=True)
class Amount:
    """So much of this machine."""

    workers: int = 0
    threads: int = 0
    memory: int = 0

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.workers + other.workers, self.threads + other.threads, self.memory + other.memory)


class Share:
    """The share of one cluster.

    Parameters
    ----------
    registry : Registry
        All clusters of this user.
    id : str
        This one's.
    """

    def __init__(self, registry: Registry, id: str) -> None:
        self._registry = registry
        self._id = id
        self._each: Amount | None = None
        """One worker; ``None``: its workers are elsewhere."""
        self.ends_at: str | None = None
        """When the site's time is over, as models tell times."""

    def must_allow(self, store: StateStore, plan: Plan) -> None:
        """Refuse a cluster that is more than what is left, and write down how many workers it may count for.

        Raises
        ------
        PreflightFailed
        """
        if not _is_here(store.model):
            return
        self._each = Amount(1, plan.threads_per_worker, plan.memory_limit_bytes)
        wanted = store.model.wanted
        number = wanted.adapt.maximum if wanted.adapt is not None else wanted.n_workers
        if number is None:
            number = plan.n_workers
        with self._registry.exclusive():
            if (fault := self.fault(number)) is not None:
                raise PreflightFailed(fault)
            if self._has_limits() and wanted == Wanted():
                store.update(wanted=Wanted(n_workers=number))

    def allow_scratch(self, store: StateStore, wanted: int | None, *, asked: bool) -> None:
        """Write down how much this cluster may spill to the disk: what was wanted, or what is left of it.

        Parameters
        ----------
        wanted : int, optional
            Bytes; ``None``: as much as there is.
        asked : bool
            Whether somebody asked for exactly this.

        Raises
        ------
        PreflightFailed
            They asked for more than is left.
        """
        if not _is_here(store.model):
            return
        most = this_site().sharing.per_user.scratch
        with self._registry.exclusive():
            if most is not None:
                had = sum(model.scratch_limit_bytes or 0 for model in self._living_others())
                left = max(0, most - had)
                if asked and (wanted is None or wanted > left):
                    have = f"; your other clusters have {format_size(had)}" if had else ""
                    given = "no limit" if wanted is None else format_size(wanted)
                    raise PreflightFailed(
                        f"scratch_limit: Each user may have {format_size(most)} of scratch on this machine at this "
                        f"site{have}, and this one would have {given}. Ask for at most {format_size(left)}."
                    )
                wanted = left if wanted is None else min(wanted, left)
            store.update(scratch_limit_bytes=wanted)

    def fault(self, n_workers: int) -> str | None:
        """Return what the site has against so many workers, in a sentence or two."""
        if self._each is None or not self._has_limits():
            return None
        most = this_site().sharing.per_user
        others = self._others()
        here = Amount(*(n_workers * amount for amount in (1, self._each.threads, self._each.memory)))
        for limit, had, wanted, text in (
            (most.workers, others.workers, here.workers, _workers),
            (most.threads, others.threads, here.threads, _threads),
            (most.memory, others.memory, here.memory, _memory),
        ):
            if limit is not None and had + wanted > limit:
                have = f"; your other clusters have {text(had)}" if had else ""
                stop = ", or stop a cluster" if had else ""
                return (
                    f"Each user may have {text(limit)} on this machine at this site{have}, and this one would have "
                    f"{text(wanted)}. Ask for fewer workers or less for each{stop}."
                )
        return None

    def ends(self, traits: Traits) -> float | None:
        """Return when the site's time for this cluster is over, in seconds since the boot; counted from now."""
        seconds = this_site().sharing.per_user.walltime
        if seconds is None or not traits.this_machine:
            return None
        moment = datetime.now(UTC) + timedelta(seconds=seconds)
        self.ends_at = moment.isoformat(timespec="seconds").replace("+00:00", "Z")
        return seconds_since_boot() + seconds

    @staticmethod
    def expected_end(walltime: float | None, idle: IdleTimer) -> float | None:
        """Return when this cluster ends at the latest if nobody uses it any more; ``None``: nobody knows."""
        stops_at = idle.model().stops_at
        if stops_at is None:
            return walltime
        left = (datetime.fromisoformat(stops_at) - datetime.now(UTC)).total_seconds()
        # Whole tens of seconds: the word is given anew when it changes.
        stops = round((seconds_since_boot() + left) / 10) * 10.0
        return stops if walltime is None else min(stops, walltime)

    @staticmethod
    def _has_limits() -> bool:
        most = this_site().sharing.per_user
        return (most.workers, most.threads, most.memory) != (None, None, None)

    def _others(self) -> Amount:
        return sum((_amount(model) for model in self._living_others()), Amount())

    def _living_others(self) -> list[ClusterModel]:
        found = self._registry.list()
        return [model for model in found if model.id != self._id and not model.state.ended and _is_here(model)]


def _workers(number: int) -> str:
    return counted(number, "worker")


def _threads(number: int) -> str:
    return counted(number, "thread")


def _memory(number: int) -> str:
    return f"{format_size(number)} of memory"


def _is_here(model: ClusterModel) -> bool:
    found = find_kind(model.backend)
    return found is not None and found.kind is not None and found.kind.traits.this_machine


def _amount(model: ClusterModel) -> Amount:
    wanted = model.wanted.adapt.maximum if model.wanted.adapt is not None else model.wanted.n_workers or 0
    count = max(model.n_workers + model.n_pending, wanted)
    threads = model.workers[0].n_threads if model.workers else model.spec.threads_per_worker
    memory = (model.workers[0].memory_limit_bytes if model.workers else None) or 0
    if not model.workers and isinstance(model.spec.memory_limit, int):
        memory = model.spec.memory_limit
    return Amount(count, count * threads, count * memory)

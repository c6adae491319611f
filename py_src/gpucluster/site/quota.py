"""The quota of one user of this machine, for all clusters together, and how much of it is left.

It counts the clusters of the user's own registry: like all of the site's limits, it is for fairness among users.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ..devices.host import this_machine
from ..protocol.capacity import LEAST_MEMORY_BYTES
from ..protocol.kinds import traits_of
from ..protocol.models import ClusterModel
from ..protocol.plain_text import counted
from ..protocol.sizes import MEBIBYTE, format_size, rounded_down
from ..protocol.spec import SpecBase
from .model import known_kind
from .reading import this_site
from .sharing import PerUser

NO_SCRATCH_ADVICE = "Stop one and create this one again, or set a lower scratch_limit (--scratch-limit) for each."
_MOST_NAMES = 3
_OF_MEMORY = " of memory"


@dataclass(frozen=True)
class Amount:
    """An amount of this machine's resources."""

    workers: int = 0
    threads: int = 0
    memory: int = 0

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.workers + other.workers, self.threads + other.threads, self.memory + other.memory)


@dataclass(frozen=True)
class Remaining:
    """What is left of a user's quota, beside their other clusters."""

    others: tuple[ClusterModel, ...] = ()
    n_living: int = 0
    most: PerUser = field(default_factory=lambda: this_site().sharing.per_user)

    @property
    def is_bounded(self) -> bool:
        """Whether the site limits any of it."""
        return (self.most.workers, self.most.threads, self.most.memory) != (None, None, None)

    def most_workers(self, threads: int, memory_bytes: int) -> int | None:
        """Return how many workers of that size fit; ``None``: not limited."""
        had = self._had()
        fits = [
            max(0, limit - taken) // each
            for limit, taken, each in (
                (self.most.workers, had.workers, 1),
                (self.most.threads, had.threads, threads),
                (self.most.memory, had.memory, memory_bytes),
            )
            if limit is not None and each
        ]
        return min(fits, default=None)

    def lowered(self, spec: SpecBase, would_be: int) -> int:
        """Return how many workers a cluster with an open number gets: as many as fit, and at least one."""
        fits = self.most_workers(spec.threads_per_worker, _bytes_asked(spec) or LEAST_MEMORY_BYTES)
        return would_be if fits is None else max(1, min(would_be, fits))

    def memory_limit(self, spec: SpecBase, memory_bytes: int, workers: int) -> int:
        """Return the memory of each of that many workers: an equal part of what is left, if it was left open."""
        if self.most.memory is None or spec.memory_limit != "auto":
            return memory_bytes
        left = max(0, self.most.memory - self._had().memory)
        most_each = this_site().limits_of(spec.backend).memory_limit
        bounded = min(memory_bytes, max(LEAST_MEMORY_BYTES, left // max(1, workers)))
        return bounded if most_each is None else min(bounded, most_each)

    def fault(self, n_workers: int, threads: int, memory_bytes: int) -> str | None:
        """Return why the site does not allow that many workers of that size, or ``None``."""
        had = self._had()
        memory_left = max(0, (self.most.memory or 0) - had.memory)
        if self.most.memory is not None and not memory_bytes and n_workers:
            advice = _less_memory(memory_left // n_workers, 1)
            return self._sentence(_memory(self.most.memory), _memory(had.memory), "no memory limit", advice)
        workers_left = max(0, (self.most.workers or 0) - had.workers)
        threads_left = max(0, (self.most.threads or 0) - had.threads)
        each_left = memory_left // max(1, n_workers)
        fewer_workers = f"Request at most {counted(workers_left, 'worker')}" if workers_left else ""
        for limit, taken, wanted, noun, advice in (
            (self.most.workers, had.workers, n_workers, "worker", fewer_workers),
            (self.most.threads, had.threads, n_workers * threads, "thread", _fewer_threads(threads_left, n_workers)),
            (self.most.memory, had.memory, n_workers * memory_bytes, None, _less_memory(each_left, n_workers)),
        ):
            if limit is not None and taken + wanted > limit:
                shown = [counted(number, noun) if noun else _memory(number) for number in (limit, taken, wanted)]
                return self._sentence(shown[0], shown[1] if taken else "", shown[2], advice)
        return None

    def scratch_part(self, wanted_bytes: int | None) -> int | None:
        """Return how much a cluster without a scratch limit may spill, given what it would have without a site.

        Half of what is left, so that others can follow, or all of it if no other one may.
        """
        if self.most.scratch is None:
            return wanted_bytes
        left = self._scratch_left()
        part = left if self.n_living + 1 >= self.most.clusters else left // 2
        part = part if part >= MEBIBYTE else 0
        return part if wanted_bytes is None else min(part, wanted_bytes)

    def scratch_fault(self, wanted_bytes: int | None) -> str | None:
        """Return why the site does not allow that much scratch, or ``None``; ``None`` bytes: no limit."""
        most, left = self.most.scratch, self._scratch_left()
        if most is None or (wanted_bytes is not None and wanted_bytes <= left):
            return None
        have = f"; your other clusters have {format_size(had)}" if (had := self._scratch_had()) else ""
        given = "no limit" if wanted_bytes is None else format_size(wanted_bytes)
        advice = f"Request at most {rounded_down(left)}" if left >= MEBIBYTE else NO_SCRATCH_ADVICE.removesuffix(".")
        return (
            f"scratch_limit: Each user may have {format_size(most)} of scratch on this machine at this "
            f"site{have}, and this one would have {given}. {advice}."
        )

    def _scratch_had(self) -> int:
        return sum(model.scratch_limit_bytes or 0 for model in self.others)

    def _scratch_left(self) -> int:
        return max(0, (self.most.scratch or 0) - self._scratch_had())

    def _sentence(self, limit: str, had: str, wanted: str, advice: str) -> str:
        have, names = "", [f"'{model.name}'" for model in self.others if _amount(model) != Amount()]
        if had and names:
            more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
            whose = "cluster" if len(names) == 1 else "clusters"
            has = "has" if len(names) == 1 else "have"
            have = f"; your other {whose} {', '.join(names[:_MOST_NAMES])}{more} {has} {had}"
            stop = f"stop {names[0]}" if len(names) == 1 else "stop a cluster"
            advice = f"{advice}, or {stop}" if advice else f"{stop[0].upper()}{stop[1:]}"
            if advice.startswith("Stop") and had.endswith(_OF_MEMORY):
                advice += ", or create it again with less (memory_limit, --memory-limit)"
        return (
            f"Each user may have {limit} on this machine at this site{have}, and this one would have {wanted}. "
            f"{advice or 'Request less'}."
        )

    def _had(self) -> Amount:
        return sum(map(_amount, self.others), Amount())


def left_beside(clusters: Iterable[ClusterModel], own: str | None = None) -> Remaining:
    """Return what is left of this user's quota beside these clusters."""
    living = [model for model in clusters if model.id != own and not model.state.ended]
    return Remaining(tuple(filter(is_here, living)), len(living))


def fault_of_request(spec: SpecBase, left: Remaining) -> str | None:
    """Return why the site refuses a request, whatever is chosen for its open fields; ``None``: it may fit."""
    if not is_here(spec):
        return None
    # A fraction of the disk is only known with its directory.
    scratch = getattr(spec, "scratch_limit", "auto")
    if not isinstance(scratch, (str, float)) and (fault := left.scratch_fault(scratch)) is not None:
        return fault
    if not left.is_bounded:
        return None
    devices = getattr(spec, "devices", None)
    n_workers = spec.n_workers if spec.n_workers is not None else len(devices or ()) or 1
    memory_bytes = _bytes_asked(spec)
    if memory_bytes is None:
        memory_bytes = left.memory_limit(spec, this_machine().memory_bytes, n_workers)
    return left.fault(n_workers, spec.threads_per_worker, memory_bytes)


def gpus_asked(spec: SpecBase) -> int:
    """Return the minimum number of this machine's GPUs for a request; 0 if its kind uses none."""
    traits = traits_of(spec)
    if not traits.has_gpus or not traits.this_machine:
        return 0
    return spec.n_workers or len(getattr(spec, "devices", None) or ()) or 1


def is_here(cluster: ClusterModel | SpecBase) -> bool:
    kind = known_kind(cluster.backend)
    return kind is not None and kind.traits.this_machine


def _bytes_asked(spec: SpecBase) -> int | None:
    """Return the requested memory of one worker, 0 for no limit; ``None``: it was left open."""
    wanted = spec.memory_limit
    if wanted == "auto":
        return None
    return int(wanted * this_machine().memory_bytes) if isinstance(wanted, float) else int(wanted or 0)


def _amount(model: ClusterModel) -> Amount:
    wanted = model.wanted.adapt.maximum if model.wanted.adapt is not None else model.wanted.n_workers or 0
    count = max(model.n_workers + model.n_pending, wanted)
    threads = model.workers[0].n_threads if model.workers else model.spec.threads_per_worker
    memory = model.memory_limit_bytes
    if memory is None:  # It was just requested, or its version does not report it.
        memory = (model.workers[0].memory_limit_bytes if model.workers else _bytes_asked(model.spec)) or 0
    return Amount(count, count * threads, count * memory)


def _memory(number: int) -> str:
    return f"{format_size(number)}{_OF_MEMORY}" if number else ""


def _fewer_threads(left: int, n_workers: int) -> str:
    if not left:
        return ""
    if not (each := left // max(1, n_workers)):
        return "Request fewer workers"
    return f"Request at most {each} for each (threads_per_worker, --threads-per-worker)"


def _less_memory(left_each: int, n_workers: int) -> str:
    fewer = "fewer workers" if n_workers > 1 else ""
    if left_each < LEAST_MEMORY_BYTES:
        return f"Request {fewer}" if fewer else ""
    size = f"at most {rounded_down(left_each)} for each worker (memory_limit, --memory-limit)"
    return f"Request {size}{' or ' * bool(fewer)}{fewer}"

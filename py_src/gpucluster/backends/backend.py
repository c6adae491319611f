"""The contract between the supervisor and one kind of cluster.

A backend is found by entry point (group ``gpucluster.backends``) and imported only when used. It runs
inside the supervisor process, on its event loop. The supervisor calls, in this order::

    preflight(spec, context)     checks everything that can be checked, starts nothing
    start(plan, context)         returns a Deployment: its scheduler answers, and its workers are requested
    …                            the methods of the Deployment, until its close()
    reap(remembered, context)    only if something may be left, even in another process after the supervisor's death
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from ..protocol.capacity import Machine, capacity_notes, memory_of_worker
from ..protocol.errors import MissingPackage
from ..protocol.kinds import ClusterKind, find_kind, why_unusable
from ..protocol.models import GPUSlot, Network, Submission
from ..protocol.spec import SpecBase
from ..sharing.node import GPUPolicy
from .deployment import Deployment

if TYPE_CHECKING:
    from distributed.security import Security


class RemainingShare:
    """What a site without limits leaves: everything. Explicit values of a request are checked by the supervisor."""

    def lowered(self, spec: SpecBase, would_be: int) -> int:
        """Return the number of workers of a cluster that would have `would_be` by default."""
        return would_be

    def memory_limit(self, spec: SpecBase, memory_bytes: int, workers: int) -> int:
        """Return the memory of each of `workers` workers, which would have `memory_bytes` by default."""
        return memory_bytes


SpecT = TypeVar("SpecT", bound=SpecBase)

Report = Callable[[str, str], None]
Remembered = Mapping[str, Any]  # What would be left if the supervisor died, as JSON types.
Remember = Callable[[Remembered], None]
START_TIMEOUT_SECONDS = 120.0


class Claims(Protocol):
    """Lets clusters that start at the same moment choose different GPUs or, where the site divides them, slots."""

    policy: GPUPolicy  # The site's policy.

    def choosing(self) -> AbstractContextManager[Mapping[str, int]]:
        """Give how often each device, by UUID, is claimed by other clusters."""

    def claim(self, uuids: Iterable[str]) -> None:
        """Claim devices for this cluster. Raises `ClaimedMeanwhile`: one was claimed since ``choosing``."""

    def set_expected_end(self, ends: float | None) -> None:
        """Note until when the devices are needed at most, in seconds since boot; ``None``: unknown."""

    def release(self) -> None:
        """Release all claims."""


@dataclass(frozen=True)
class StartContext:
    """What a backend gets for one start."""

    cluster_id: str  # Identifier of the cluster; the ``name`` of the distributed Cluster object.
    security: Security | None  # Credentials of this cluster; ``None`` where the protocol is not TLS.
    scratch_directory: Path  # Private (0700) folder for spilled data; exists.
    dashboard_prefix: str  # Secret path prefix of the dashboard, without slashes.
    report: Report = field(default=lambda step, message: None)  # To users, such as ("preflight", "Checking the GPUs").
    claims: Claims | None = None  # Where GPUs are claimed; ``None``: no other cluster chooses.
    tls_directory: Path | None = None  # Private folder with the same as ``ca.pem``, ``cert.pem`` and ``key.pem``.
    credentials_directory: Path | None = None
    """Where clients of the cluster look for ``ca.pem``, ``cert.pem`` and ``key.pem``. A backend whose scheduler has
    separate credentials writes them there; the folder is removed when the cluster ends."""
    comm_directory: Path | None = None  # Private folder for unix sockets, if they are the protocol (``..comm``).
    tell: Callable[[str, str], None] = field(default=lambda kind, message: None)
    """Write an event into the cluster's activity: its kind, such as ``worker_died``, and a message."""
    left: RemainingShare = field(default_factory=RemainingShare)  # What the site leaves to this user, for defaults.
    remember: Remember = field(default=lambda remembered: None)
    """Write down what must be ended elsewhere, *before* the next step: ids of jobs, names of resources.

    It replaces what was written before, and is on disk (0600) when this returns; an empty mapping means that nothing is
    left. A crash at any line then leaves something that ``Backend.reap`` can clean."""


@dataclass(frozen=True)
class ReapContext:
    """What a backend gets to end what a dead supervisor has left."""

    cluster_id: str  # Identifier of the cluster.
    report: Callable[[str], None] = field(default=lambda message: None)  # To users: each thing found and ended.
    seconds: float = 300.0  # Timeout; a backend that waits for something reports what it is before that.


@dataclass(frozen=True)
class Plan:
    """A checked start: everything is resolved, nothing was started."""

    n_workers: int  # Workers that ``start`` requests.
    maximum_workers: int  # Most workers this cluster can ever have.
    maximum_reason: str  # Why not more, as the end of a sentence: 'this cluster has 2 GPUs, one worker each'.
    network: Network  # How the cluster's messages are protected.
    options: Mapping[str, Any] = field(default_factory=dict)  # Of the distributed Cluster class, but for the context's.
    machine: Machine | None = None  # The machine that all workers share; ``None``: they have several, or it is unknown.
    threads_per_worker: int = 1
    memory_limit_bytes: int = 0  # Host memory of one worker; 0: no limit.
    shares_memory: bool = False  # Whether that is an equal share of the machine's, so that more workers have less each.
    ready_workers: int | None = None  # Connected before the cluster runs; ``None``: all, 0: they wait in a queue.
    has_gpus: bool | None = None  # Whether each worker has a GPU, if the request decides; ``None``: see the traits.
    start_timeout: float = START_TIMEOUT_SECONDS  # Until the scheduler answers, and again until those are connected.
    leaves_number: bool = False  # Whether the number only changes on request, because the cluster was there before.
    workers_together: int = 1  # Number of workers that come and go together, as those of one job do.
    whole_jobs: bool = True  # Whether the number is a multiple of that; otherwise the last job may have fewer.
    slots: tuple[GPUSlot, ...] = ()  # The GPUs, or parts of them, that the cluster occupies until it ends.
    remarks: tuple[str, ...] = ()  # Remarks for users about this cluster, as sentences.

    def memory_of(self, n_workers: int) -> int:
        """Return the host memory of one of `n_workers` workers, never more than it is now."""
        if not self.shares_memory or self.machine is None:
            return self.memory_limit_bytes
        return min(self.memory_limit_bytes, memory_of_worker("auto", self.machine, workers=n_workers))

    def notes(self, n_workers: int) -> list[str]:
        """Return the remarks for users about a cluster of `n_workers` workers, as sentences."""
        found = [*self.remarks]
        if self.machine is not None:
            found += capacity_notes(n_workers, self.threads_per_worker, self.memory_limit_bytes, self.machine)
        return found


class Chooser(ClusterKind, ABC, Generic[SpecT]):
    """A kind that starts another kind, depending on the machine."""

    @abstractmethod
    async def choose(self, spec: SpecT) -> tuple[SpecBase, str]:
        """Return the spec of another kind, with the reason as a sentence."""


class Backend(ClusterKind, ABC, Generic[SpecT]):
    """One kind of cluster."""

    @abstractmethod
    async def preflight(self, spec: SpecT, context: StartContext) -> Plan:
        """Check everything that can be checked before starting and resolve all defaults; start nothing.

        Raises `PreflightFailed` with the real cause and what to do.
        """

    async def preview(self, spec: SpecT) -> Submission:
        """Return what ``start`` would submit, and when it may begin. Raises `PreflightFailed`: it would be refused."""
        return Submission()

    @abstractmethod
    async def start(self, plan: Plan, context: StartContext) -> Deployment:
        """Start the scheduler and request workers.

        When it returns, the scheduler answers, and ``plan.n_workers`` workers are requested. The supervisor waits until
        ``plan.ready_workers`` of them are connected.

        Raises `StartFailed` with the real cause. Whatever was started is closed again before; the same holds when the
        call is cancelled.
        """

    async def reap(self, remembered: Remembered, context: ReapContext) -> None:
        """End what was started elsewhere and remembered, if it is still there.

        Called by the process that notices that the cluster's supervisor is dead, or by the supervisor itself after an
        unclean end; at any later time, more than once, and also when nothing is left. A new job that has the id of an
        ended one must not be touched. Raises an exception if something may still be left: it is called again later.
        """

    def left_behind(self, remembered: Remembered) -> str | None:
        """Return what may be left if ``reap`` fails, and how to end it by hand, in one or two sentences."""
        return None


def load_backend(name: str) -> Backend[Any] | Chooser[Any]:
    """Import and make the kind of that name. Raises `MissingPackage`: there is none, or it cannot be imported."""
    found = find_kind(name)
    if found is None or found.kind is None:
        raise MissingPackage(why_unusable(name))
    if not issubclass(found.kind, (Backend, Chooser)):
        raise MissingPackage(f"The kind '{name}' of the package {found.package} is not a gpucluster backend.")
    return found.kind()

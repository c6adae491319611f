"""What a backend is: the contract between the supervisor and one kind of cluster.

A backend is found by entry point (group ``gpucluster.backends``) and imported only when used. It runs
inside the supervisor process, on its event loop. The supervisor calls, in this order::

    preflight(spec, context)     checks everything that can be checked, starts nothing
    start(plan, context)         returns a Deployment: a scheduler that answers, and workers that were asked for
    …                            what a Deployment can do, until its close()
    reap(remembered, context)    only where something may be left, also in another process after the supervisor's death
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
from ..sharing.policy import GPUPolicy

if TYPE_CHECKING:
    from distributed.security import Security

    from .deployment import Deployment


class RemainingShare(Protocol):
    """What a request gets that leaves something open; what was asked for is judged by the supervisor."""

    def lowered(self, spec: SpecBase, would_be: int) -> int:
        """Return how many workers a cluster gets that leaves their number open, of so many that it would have."""

    def memory_limit(self, spec: SpecBase, memory_bytes: int, workers: int) -> int:
        """Return the memory of each of so many workers, which would have so many bytes."""


class Everything:
    """No site says anything."""

    def lowered(self, spec: SpecBase, would_be: int) -> int:
        """Return as many."""
        return would_be

    def memory_limit(self, spec: SpecBase, memory_bytes: int, workers: int) -> int:
        """Return as much."""
        return memory_bytes


SpecT = TypeVar("SpecT", bound=SpecBase)

Report = Callable[[str, str], None]
Remembered = Mapping[str, Any]
"""What would be left if the supervisor died, in types of JSON."""
Remember = Callable[[Remembered], None]
START_TIMEOUT_SECONDS = 120.0


class Claims(Protocol):
    """Lets clusters that start at the same moment choose different GPUs; where the site divides them, slots of them."""

    policy: GPUPolicy
    """What the site says."""

    def choosing(self) -> AbstractContextManager[Mapping[str, int]]:
        """Give how often each device, by UUID, is claimed by other clusters."""

    def claim(self, uuids: Iterable[str]) -> None:
        """Claim devices for this cluster.

        Raises
        ------
        ClaimedMeanwhile
            Another one has claimed one of them since ``choosing``: choose again.
        """

    def tell_end(self, ends: float | None) -> None:
        """Say until when the devices are needed at most, in seconds since the boot; ``None``: nobody knows."""

    def release(self) -> None:
        """Give back what was claimed."""


@dataclass(frozen=True)
class StartContext:
    """What the supervisor gives a backend for one start."""

    cluster_id: str
    """Identifier of the cluster; the ``name`` of the distributed Cluster object."""
    security: Security | None
    """Credentials of this cluster; ``None`` where the protocol is not TLS."""
    scratch_directory: Path
    """Private (0700) folder for spilled data; exists."""
    dashboard_prefix: str
    """Secret path prefix of the dashboard, without slashes."""
    report: Report = field(default=lambda step, message: None)
    """Tell people what is happening: ``report("preflight", "Looking at the GPUs")``."""
    claims: Claims | None = None
    """Where GPUs are claimed; ``None``: nobody else chooses."""
    tls_directory: Path | None = None
    """Private folder with ``ca.pem``, ``cert.pem`` and ``key.pem``, the same credentials for other programs."""
    credentials_directory: Path | None = None
    """Where clients of the cluster look for ``ca.pem``, ``cert.pem`` and ``key.pem``. A backend whose scheduler has
    credentials of its own writes them there; the folder goes when the cluster ends."""
    comm_directory: Path | None = None
    """Private folder for unix sockets, where the protocol is those; see ``gpucluster.comm``."""
    tell: Callable[[str, str], None] = field(default=lambda kind, message: None)
    """Write into the cluster's activity what has happened to it: a kind, such as ``worker_died``, and a sentence."""
    left: RemainingShare = field(default_factory=Everything)
    """What the site leaves to this user, for what the spec leaves open."""
    remember: Remember = field(default=lambda remembered: None)
    """Write down what there is to be ended elsewhere, *before* the next step: ids of jobs, names of resources.

    It replaces what was written before, and is on disk (0600) when this returns; an empty mapping says that nothing is
    left. A crash at any line then leaves something that ``Backend.reap`` can clean."""


@dataclass(frozen=True)
class ReapContext:
    """What a backend gets to end what a dead supervisor has left."""

    cluster_id: str
    """Identifier of the cluster."""
    report: Callable[[str], None] = field(default=lambda message: None)
    """Tell people what was found and ended, in a sentence each."""
    seconds: float = 300.0
    """So long it may take; who waits for something says before that what it is."""


@dataclass(frozen=True)
class Plan:
    """A checked start: everything is resolved, nothing was started."""

    n_workers: int
    """Workers to start with: so many ``start`` asks for."""
    maximum_workers: int
    """Most workers this cluster can ever have."""
    maximum_reason: str
    """Why not more, as the end of a sentence: 'this cluster has 2 GPUs, one worker each'."""
    network: Network
    """What keeps others out of the cluster's messages."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Constructor arguments of the distributed Cluster class, without those from the context."""
    machine: Machine | None = None
    """The machine that all workers share; ``None``: they have several, or nobody knows."""
    threads_per_worker: int = 1
    memory_limit_bytes: int = 0
    """Host memory of one worker; 0: no limit."""
    shares_memory: bool = False
    """Whether that is an equal share of the machine's memory, so that more workers have less each."""
    ready_workers: int | None = None
    """So many must be connected before the cluster is running, ``None`` for all; 0 where they wait in a queue."""
    has_gpus: bool | None = None
    """Whether each worker has a GPU, where that depends on what was asked for; ``None``: as the kind's traits say."""
    start_timeout: float = START_TIMEOUT_SECONDS
    """Seconds until the scheduler must answer, and seconds until those workers must be connected."""
    leaves_number: bool = False
    """Whether the number of workers is left as it is until somebody asks for another: the cluster was there before."""
    workers_together: int = 1
    """So many workers come and go together, as those of one job do."""
    whole_jobs: bool = True
    """Whether the number of workers is a multiple of that; otherwise the last job may have fewer."""
    slots: tuple[GPUSlot, ...] = ()
    """The GPUs, or parts of them, that are the cluster's as long as it lives."""
    remarks: tuple[str, ...] = ()
    """What else to tell people about this cluster, in sentences."""

    def memory_of(self, n_workers: int) -> int:
        """Return the host memory of each of so many workers, never more than it is now."""
        if not self.shares_memory or self.machine is None:
            return self.memory_limit_bytes
        return min(self.memory_limit_bytes, memory_of_worker("auto", self.machine, workers=n_workers))

    def notes(self, n_workers: int) -> list[str]:
        """Return what to tell people about so many workers, in sentences."""
        if self.machine is None:
            return [*self.remarks]
        return [
            *self.remarks,
            *capacity_notes(n_workers, self.threads_per_worker, self.memory_limit_bytes, self.machine),
        ]


class Chooser(ClusterKind, ABC, Generic[SpecT]):
    """A kind that leaves it to what it finds which other kind is started."""

    @abstractmethod
    async def choose(self, spec: SpecT) -> tuple[SpecBase, str]:
        """Return the spec of another kind, with the reason in a sentence."""


class Backend(ClusterKind, ABC, Generic[SpecT]):
    """One kind of cluster."""

    @abstractmethod
    async def preflight(self, spec: SpecT, context: StartContext) -> Plan:
        """Check everything that can be checked before starting and resolve all defaults.

        Raises
        ------
        PreflightFailed
            With the real cause and what to do, in a sentence. Nothing was started.
        """

    async def preview(self, spec: SpecT) -> Submission:
        """Return what ``start`` would hand to a batch system and the like, and when it may begin; starts nothing.

        Raises
        ------
        PreflightFailed
            It would not be taken.
        """
        return Submission()

    @abstractmethod
    async def start(self, plan: Plan, context: StartContext) -> Deployment:
        """Start the scheduler and ask for workers.

        Returns
        -------
        Deployment
            Its scheduler answers, and ``plan.n_workers`` workers were asked for. Those that have to come first
            (``plan.ready_workers``) are waited for by the supervisor.

        Raises
        ------
        StartFailed
            With the real cause. Whatever was started is closed again before this is raised; the same
            holds when the call is cancelled.
        """

    async def reap(self, remembered: Remembered, context: ReapContext) -> None:
        """End what was started elsewhere and remembered, if it is still there.

        It is called by whichever process notices that the cluster's supervisor is dead, or by the supervisor itself
        when the end was not clean; at any later time, more than once, and also when all of it has ended by itself.
        What has taken the place of an ended job, as another of the same id, must not be touched.

        Raises
        ------
        Exception
            Something may still be left; it is called again later.
        """

    def left_behind(self, remembered: Remembered) -> str | None:
        """Return what may be left where ``reap`` fails, and how to end it by hand, in a sentence or two."""
        return None


def load_backend(name: str) -> Backend[Any] | Chooser[Any]:
    """Import and make the kind of that name.

    Raises
    ------
    MissingPackage
        When no installed package offers it, or when it cannot be imported.
    """
    found = find_kind(name)
    if found is None or found.kind is None:
        raise MissingPackage(why_unusable(name))
    if not issubclass(found.kind, (Backend, Chooser)):
        raise MissingPackage(f"The kind '{name}' of the package {found.package} is not a gpucluster backend.")
    return found.kind()

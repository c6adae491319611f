"""What the supervisor needs of a scheduler, wherever it runs.

Reading is immediate: of a scheduler in another process, the last reading is returned.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self, TypeAlias, cast

from ...protocol.errors import InvalidState

WebAddress: TypeAlias = tuple[str, int] | str  # Host and port, or the path of a unix socket.
Columns: TypeAlias = dict[str, Sequence[Any]]  # One entry per worker, by name of the column.
TaskCounts: TypeAlias = dict[str, int]
TaskProgressRows: TypeAlias = list[dict[str, Any]]
ANSWER_SECONDS = 20.0


@dataclass(frozen=True)
class Member:
    """A connected worker."""

    name: str
    address: str
    pid: int | None
    n_threads: int
    memory_limit_bytes: int | None
    ready: bool  # Whether it takes results of others: one that has just connected, or is leaving, does not.
    holds: bool  # Whether it holds results or actors.
    actors: bool  # Whether it holds actors, which cannot be moved.
    paused: bool = False  # Whether it starts no new tasks, as when its memory is almost full.
    spills_no_more: bool = False  # Whether its last result did not fit into what it may spill.


@dataclass(frozen=True)
class Gone:
    """A worker that was connected, and what it took along."""

    address: str
    n_recomputed: int  # Results that only it held and that are recomputed; without those counted for an earlier one.
    n_lost: int  # Data that only it held and that cannot be recomputed.
    too_big: bool  # Whether its nanny ended it because it used more memory than it may.
    tasks: tuple[str, ...] = ()  # Kinds of the tasks that it had, the most frequent first.
    window: int = 0  # Number of the period within which each result is counted once, even if it is lost repeatedly.


@dataclass(frozen=True)
class Failing:
    """A kind of task with failures that the scheduler still knows."""

    task: str
    n_tasks: int
    error: str  # Of the last one.
    has_traceback: bool = True  # Whether there is one: none where the workers that ran it died.


@dataclass(frozen=True)
class Members:
    """Members of a cluster."""

    workers: tuple[Member, ...] = ()
    n_clients: int = 0  # Clients of users; the supervisor's own does not count.
    kernels: tuple[str, ...] = ()  # Ids of the Jupyter kernels that have a client.
    computes: bool = False  # Whether any task runs, waits or could run if there were workers.
    is_quiet: bool = True  # Whether no task is at a worker.
    n_held: int = 0  # Results that clients hold.
    n_queued: int = 0  # Tasks that could run and are at no worker.
    n_uses: int = 0  # Grows with each client that connects and with each computation, finished or not.
    n_restarts: int = 0  # How often a Dask client restarted all workers, without the supervisor.
    gone: tuple[Gone, ...] = ()  # Workers that left recently, oldest first.
    n_recomputing: int = 0  # Results that were lost with workers and are not back yet.
    failures: tuple[Failing, ...] = ()  # Tasks that have failed, the newest kind first.
    ended: str | None = None  # Why the scheduler has ended, as a sentence; ``None`` while it runs.
    failed: bool = False  # Whether it ended without a request.

    @classmethod
    def read(cls, found: dict[str, Any]) -> Self:
        """Convert the result of ``SchedulerReader.members``."""
        rows = {
            "workers": tuple(Member(*row) for row in found["workers"]),
            "gone": tuple(Gone(a, n, lost, big, tuple(tasks), i) for a, n, lost, big, tasks, i in found["gone"]),
            "failures": tuple(Failing(*row) for row in found["failures"]),
        }
        return cls(**{**found, **rows, "kernels": tuple(found["kernels"])})

    def lost(self, why: str) -> Self:
        """Return what is left when the scheduler is gone. `why`: as a sentence."""
        return replace(self, workers=(), computes=False, is_quiet=True, ended=why, failed=True)

    def named(self, names: Collection[str] | None = None) -> list[Member]:
        """Return the workers with these names; all without names."""
        return [worker for worker in self.workers if names is None or worker.name in names]


@dataclass(frozen=True)
class Retired:
    """The outcome of moving the results of leaving workers to the others."""

    gone: frozenset[str] = field(default_factory=frozenset)  # Addresses of those that hold nothing and were closed.
    kept: tuple[str, ...] = ()  # Names of those whose results no worker takes, or that hold actors.
    stuck: tuple[str, ...] = ()  # Names of those that made no progress.


class SchedulerView(ABC):
    """A scheduler as the supervisor sees it: its members, its tasks, and the requests that it answers."""

    dashboard: WebAddress | None = None  # Of its web pages, which answer below the cluster's secret prefix only.
    dashboard_prefix: str | None = None
    """Path below which they answer if that is not the cluster's secret prefix, without slashes; may be empty."""
    together: Callable[[Any], str] | None = None
    """What workers that come and go together have in common, as Dask's ``WorkerState``; ``None``: each is alone."""

    def open_dashboard(self) -> tuple[str, int]:
        """Serve the web pages on a loopback port, if they are only on a socket so far; return host and port."""
        if not isinstance(self.dashboard, tuple):
            raise InvalidState("The scheduler of this cluster has no dashboard.")
        return self.dashboard

    @property
    @abstractmethod
    def address(self) -> str:
        """For ``distributed.Client``."""

    @abstractmethod
    def _reading(self, name: str) -> Any:
        """Return the last of these ``SchedulerReader.answers``."""

    @abstractmethod
    async def _ask(self, verb: str, *, seconds: float | None = ANSWER_SECONDS, **options: Any) -> Any:
        """Get one of ``SchedulerReader.answers``. `seconds`: timeout, if the scheduler is in another process."""

    @abstractmethod
    def watch(self, changed: Callable[[], None]) -> None:
        """Call back soon after workers or clients come or go. One callback at a time."""

    def watch_cells(self, began: Callable[[], None]) -> None:
        """Call back when a cell has sent its first tasks. One callback at a time."""
        return

    def members(self) -> Members:
        """Return workers, clients and what they do."""
        return Members.read(self._reading("members"))

    async def refresh(self) -> None:
        """Bring ``members`` up to date, which it always is for a scheduler in this process."""
        return

    @property
    def heartbeat_seconds(self) -> float:
        return float(self._reading("heartbeat_seconds"))

    async def ask_for_heartbeats(self) -> None:
        """Let all workers send one now, so that ``columns`` is fresh; in another process, wait for the next ones."""
        return

    def columns(self) -> Columns:
        """Return the figures of the workers' last heartbeats, one column per figure; ``None``: not measured."""
        return cast(Columns, self._reading("columns"))

    def tasks(self) -> tuple[TaskCounts, TaskProgressRows]:
        """Return the number of tasks by state, and the progress of the kinds that were active last."""
        counts, progress = self._reading("tasks")
        return counts, progress

    def cells(self) -> list[dict[str, Any]]:
        """Return the cells that compute, and those that have ended lately, as the fields of ``CellWork``."""
        return cast(list[dict[str, Any]], self._reading("cells"))

    async def failures(self) -> list[dict[str, Any]]:
        """Return the fields of ``TaskFailure`` for each kind of task that has failed."""
        return cast(list[dict[str, Any]], await self._ask("failures"))

    async def results(self) -> dict[str, Any]:
        """Return the fields of ``LargestResults`` but for the cluster's id."""
        return cast(dict[str, Any], await self._ask("results"))

    async def release(self, *, group: str, kernel: str, why: str) -> int:
        """Release the results of a collection that a kernel's clients hold; return their number."""
        return int(await self._ask("release", group=group, kernel=kernel, why=why))

    async def retire(self, names: Collection[str]) -> Retired:
        """Move the results of these workers to the others and close those that hold nothing any more.

        Returns when that is done, when no worker takes the rest, or when nothing has moved for half a minute.
        """
        # No timeout here: the scheduler's side notices workers that hang.
        found = await self._ask("retire", seconds=None, names=list(names))
        return Retired(frozenset(found["gone"]), tuple(found["kept"]), tuple(found["stuck"]))

    async def cancel_retiring(self) -> None:
        """Cancel ``retire``: workers that still hold results continue to work."""
        await self._ask("cancel_retiring")

    async def end_workers(self, names: Collection[str]) -> None:
        """End these workers, whatever they hold."""
        await self._ask("end_workers", names=list(names))

    async def restart_workers(self, timeout: float) -> None:
        """Restart all workers and forget all tasks."""
        await self._ask("restart_workers", seconds=timeout + ANSWER_SECONDS, timeout=timeout)

    @abstractmethod
    async def target(self, seconds: float) -> int:
        """Return how many workers would finish all tasks in that time."""

    @abstractmethod
    async def to_close(self, count: int) -> list[str]:
        """Return the names of up to `count` workers that are not needed, all or none of those that are ``together``."""

    @abstractmethod
    async def add_worker_plugin(self, name: str, pickled: bytes) -> None:
        """Register a pickled ``WorkerPlugin`` with all workers, including those that join later."""

    @abstractmethod
    async def close(self) -> None:
        """Stop reading the scheduler, which continues to run."""

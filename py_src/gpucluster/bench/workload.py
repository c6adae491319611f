"""What a workload is: data that are made first, and work on them whose time is taken."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .errors import WrongResult
from .names import Size

Parameters = Mapping[str, int]
FORGET_SECONDS = 5.0  # Others may use the cluster meanwhile, so that it never knows as few tasks as before.


@dataclass(frozen=True)
class Context:
    """What a workload needs to know of the cluster."""

    client: Any  # A ``distributed.Client``, the current one; ``None`` where a workload computes in this process.
    n_workers: int
    n_blocks: int  # So many blocks the data should have at least: the same for all numbers of workers.
    frames: str = "pandas"  # What data frames are made of: ``pandas`` or ``cudf``.

    def blocks_for(self, size_bytes: int, most_bytes: int = 64 * 10**6) -> int:
        """Return into how many blocks data of this size are cut."""
        return max(1, self.n_blocks, -(-size_bytes // most_bytes))

    def n_tasks(self) -> int:
        return 0 if self.client is None else int(self.client.run_on_scheduler(_n_tasks))

    def wait_until_forgotten(self, n_tasks: int) -> None:
        """Wait, for a bounded time, until the scheduler knows no more tasks than before a run.

        The next run has tasks of the same names: those that it still forgets could be taken for the new ones.
        """
        deadline = time.monotonic() + FORGET_SECONDS
        while self.n_tasks() > n_tasks and time.monotonic() < deadline:
            time.sleep(0.005)


def _n_tasks(dask_scheduler: Any) -> int:
    return len(dask_scheduler.tasks)


@dataclass(frozen=True)
class Outcome:
    """What one run computed."""

    check: float  # A number that depends on the whole result: the same in all runs, or something is wrong.
    seconds: float | None = None  # Where the workload takes the time itself: the time of one operation.


@dataclass(frozen=True)
class Workload:
    """One thing to measure."""

    name: str
    title: str  # What it does, in a few words.
    sizes: Mapping[Size, Parameters]
    prepare: Callable[[Context, Parameters], Any]
    """Makes the data on the workers and waits for them; this time does not count."""
    run: Callable[[Any], Outcome]  # The work; its time counts, from the call until the result is in the client.
    memory_bytes: Callable[[Parameters], int]  # What it needs on all workers together at its worst, roughly.
    amount: Callable[[Parameters], float] | None = None
    """How much one run works through, in ``unit``; ``None`` where a rate would say nothing."""
    unit: str = "rows"
    least_workers: int = 1
    needs_mpi: bool = False
    tolerance: float = 1e-6
    """Relative difference that the checks of two runs may have: sums of floats depend on their order."""
    scales: bool = field(default=True)  # Whether more workers should make it faster.


def persisted(*collections: Any) -> list[Any]:
    from dask.base import persist
    from distributed import futures_of, wait

    kept = list(persist(*collections))
    futures = futures_of(kept)
    wait(futures)
    for future in futures:
        if future.status != "finished":
            raise future.exception() or WrongResult("The data could not be made: a worker was lost.")
    return kept


def expect(found: float, known: float, what: str, tolerance: float = 1e-9) -> None:
    """Raise `WrongResult` unless a result is the one that is known beforehand."""
    if not abs(found - known) <= tolerance * max(1.0, abs(known)):
        raise WrongResult(f"{what} must be {known!r}, but the cluster computed {found!r}.")

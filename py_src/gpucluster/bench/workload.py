"""Workloads: data that are made first, and work on them that is timed. Their names are known without importing them."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from .errors import WrongResult

NAMES = (
    "transpose-sum", "merge", "frame-sum", "svd", "kmeans", "pca", "truncated-svd", "nearest-neighbors",
    "allreduce-latency", "allreduce-bandwidth", "mpi-allreduce-latency", "mpi-allreduce-bandwidth", "mpi-kmeans",
    "flights-etl",
)  # fmt: skip
Size = Literal["tiny", "small", "medium", "large"]
SIZES: tuple[Size, ...] = get_args(Size)
TRANSPORTS = ("unix", "tls", "tcp", "mpi", "ucx")  # Choices of ``--transports``.


Parameters = Mapping[str, int]
FORGET_SECONDS = 5.0  # If others use the cluster, the number of tasks may never fall to that before a run.


@dataclass(frozen=True)
class Context:
    """Properties of the cluster for workloads."""

    client: Any  # The current ``distributed.Client``; ``None`` where a workload computes in this process.
    n_workers: int
    n_blocks: int  # Fewest blocks of the data: the same for all numbers of workers.
    frames: str = "pandas"  # Library of data frames: ``pandas`` or ``cudf``.

    def blocks_for(self, size_bytes: int, most_bytes: int = 64 * 10**6) -> int:
        return max(1, self.n_blocks, -(-size_bytes // most_bytes))

    def n_tasks(self) -> int:
        if self.client is None:
            return 0
        return int(self.client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)))

    def wait_until_forgotten(self, n_tasks: int) -> None:
        """Wait, not forever, until old tasks are forgotten: the next run has tasks of the same names."""
        deadline = time.monotonic() + FORGET_SECONDS
        while self.n_tasks() > n_tasks and time.monotonic() < deadline:
            time.sleep(0.005)


@dataclass(frozen=True)
class Outcome:
    check: float  # A number that depends on the whole result, and must be the same in all runs.
    seconds: float | None = None  # Time of one operation, if the workload measures it.


@dataclass(frozen=True)
class Workload:
    """One thing to measure."""

    name: str
    title: str
    sizes: Mapping[Size, Parameters]
    prepare: Callable[[Context, Parameters], Any]
    """Makes the data on the workers and waits for them; this time does not count."""
    run: Callable[[Any], Outcome]  # The work; timed from the call until the result is in the client.
    memory_bytes: Callable[[Parameters], int]  # Approximate peak memory of all workers together.
    amount: Callable[[Parameters], float] | None = None
    """Amount of data of one run, in ``unit``; ``None`` where a rate is meaningless."""
    unit: str = "rows"
    least_workers: int = 1
    needs_mpi: bool = False
    tolerance: float = 1e-6
    """Largest relative difference of the checks of two runs: sums of floats depend on their order."""
    scales: bool = field(default=True)  # Whether more workers should make it faster.


def by_size(**values: Sequence[int]) -> Mapping[Size, Parameters]:
    """Return the parameters of each size, from the values of each parameter in the order of the sizes."""
    return {size: {name: each[place] for name, each in values.items()} for place, size in enumerate(SIZES)}


def persisted(*collections: Any) -> list[Any]:
    from dask.base import persist
    from distributed import futures_of, wait

    kept = list(persist(*collections))
    futures = futures_of(kept)
    wait(futures)
    for future in futures:
        if future.status != "finished":
            raise future.exception() or WrongResult("The data could not be generated: a worker was lost.")
    return kept


def expect(found: float, known: float, what: str, tolerance: float = 1e-9) -> None:
    """Raise `WrongResult` unless a result equals the known one."""
    if not abs(found - known) <= tolerance * max(1.0, abs(known)):
        raise WrongResult(f"{what} must be {known!r}, but the cluster computed {found!r}.")

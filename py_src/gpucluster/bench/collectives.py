"""Workloads of collective operations: allreduce over the workers' links, or over MPI."""

from __future__ import annotations

import statistics
import time
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from .names import SIZES
from .workload import Context, Outcome, Parameters, Workload, by_size, expect

LATENCY_BYTES = 8
_MEASURED_SECONDS = 0.2  # Approximate duration of one run of repeated operations.
_LEAST, _MOST = 5, 500


def _one_row_each(context: Context, parameters: Parameters) -> Any:
    import dask.array as da

    # One block of the same size for each worker, so that each is a rank.
    return da.zeros((context.n_workers, 1), chunks=(1, 1)), parameters["bytes"], context.n_workers


def timed_allreduces(shard: Any, n_bytes: int) -> tuple[float, float]:
    """Sum an array over all ranks repeatedly; runs on the workers.

    Returns the median seconds of one operation on this rank, and the first element of the last result.
    """
    communicator = shard.communicator
    values = np.ones(max(1, n_bytes // 8))
    communicator.barrier()
    started = time.perf_counter()
    for _ in range(_LEAST):
        communicator.allreduce(values)
    each = (time.perf_counter() - started) / _LEAST
    # All ranks repeat as often as the slowest one.
    repeats = int(min(max(_MEASURED_SECONDS / communicator.allreduce(each, "max"), _LEAST), _MOST))
    taken = []
    result = values
    for _ in range(repeats):
        started = time.perf_counter()
        result = communicator.allreduce(values)
        taken.append(time.perf_counter() - started)
    return statistics.median(taken), float(result[0])


def _allreduce(data: Any, communicator: Any = "workers") -> Outcome:
    from ..learn import config_context, run_on_ranks

    rows, n_bytes, n_workers = data
    with config_context(communicator=communicator):
        answers = run_on_ranks(timed_allreduces, rows, n_bytes=n_bytes)
    expect(len(answers), n_workers, "The number of ranks")
    for _, total in answers:
        expect(total, n_workers, "The sum over all ranks")
    return Outcome(n_workers, seconds=max(seconds for seconds, _ in answers))


ALLREDUCE_LATENCY = Workload(
    "allreduce-latency",
    "Allreduce of one number over the workers' links: latency",
    by_size(bytes=[LATENCY_BYTES] * len(SIZES)),
    prepare=_one_row_each,
    run=_allreduce,
    memory_bytes=lambda parameters: 2**20,
    least_workers=2,
    scales=False,
)
ALLREDUCE_BANDWIDTH = replace(
    ALLREDUCE_LATENCY,
    name="allreduce-bandwidth",
    title="Allreduce of a large array over the workers' links: bandwidth",
    sizes=by_size(bytes=(2**18, 2**22, 2**24, 2**26)),
    memory_bytes=lambda parameters: 64 * parameters["bytes"],
    amount=lambda parameters: parameters["bytes"],
    unit="bytes",
)


def _over_mpi(workload: Workload) -> Workload:
    title = workload.title.replace("the workers' links", "MPI")
    run = partial(_allreduce, communicator="mpi")
    return replace(workload, name=f"mpi-{workload.name}", title=title, run=run, needs_mpi=True)


MPI_LATENCY = _over_mpi(ALLREDUCE_LATENCY)
MPI_BANDWIDTH = _over_mpi(ALLREDUCE_BANDWIDTH)

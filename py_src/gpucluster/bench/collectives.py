"""Workloads of collective operations: allreduce over the workers' links, or over MPI."""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from .names import SIZES, Size
from .workload import Context, Outcome, Parameters, Workload, expect

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


def _allreduce_mpi(data: Any) -> Outcome:
    return _allreduce(data, "mpi")


_ONE_NUMBER: Mapping[Size, Parameters] = {size: {"bytes": LATENCY_BYTES} for size in SIZES}
_LARGE: Mapping[Size, Parameters] = {
    "tiny": {"bytes": 2**18}, "small": {"bytes": 2**22}, "medium": {"bytes": 2**24}, "large": {"bytes": 2**26},
}  # fmt: skip


def _latency(name: str, run: Any, over: str, mpi: bool) -> Workload:
    return Workload(
        name, f"Allreduce of one number over {over}: latency", _ONE_NUMBER, prepare=_one_row_each, run=run,
        memory_bytes=lambda parameters: 2**20, least_workers=2, needs_mpi=mpi, scales=False,
    )  # fmt: skip


def _bandwidth(name: str, run: Any, over: str, mpi: bool) -> Workload:
    return Workload(
        name, f"Allreduce of a large array over {over}: bandwidth", _LARGE, prepare=_one_row_each, run=run,
        memory_bytes=lambda parameters: 64 * parameters["bytes"], amount=lambda parameters: parameters["bytes"],
        unit="bytes", least_workers=2, needs_mpi=mpi, scales=False,
    )  # fmt: skip


ALLREDUCE_LATENCY = _latency("allreduce-latency", _allreduce, "the workers' links", False)
ALLREDUCE_BANDWIDTH = _bandwidth("allreduce-bandwidth", _allreduce, "the workers' links", False)
MPI_LATENCY = _latency("mpi-allreduce-latency", _allreduce_mpi, "MPI", True)
MPI_BANDWIDTH = _bandwidth("mpi-allreduce-bandwidth", _allreduce_mpi, "MPI", True)

"""Lesson 09: the learner's function as several ranks, simulated so that each message is seen, and under MPI."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....protocol.errors import GPUClusterError
from ...examination import Examination
from ...simulations.ranks import MPIRun, NoMPI, mpiexec, run_under_mpi, simulate

RUNS = "It runs on several ranks without an error"


def on_ranks(exam: Examination, function: Callable[..., Any], *arguments: Any, n_ranks: int) -> MPIRun:
    """Run ``function(comm, *arguments)`` as simulated ranks; what goes wrong is a finding."""
    try:
        return simulate(function, *arguments, n_ranks=n_ranks)
    except GPUClusterError as error:
        exam.require(RUNS, False, f"{n_ranks} ranks: {str(error)[:300]}")
        raise


def under_mpi(exam: Examination, function: Callable[..., Any], *arguments: Any, n_ranks: int) -> list[Any] | None:
    """Do the same under ``mpiexec``; ``None`` where there is no MPI, or where the answer is wrong already."""
    starter = mpiexec()
    if starter is None or not exam.passed:
        return None

    def called(comm: Any, _rows: Any, *given: Any) -> Any:
        return function(comm, *given)

    try:
        run = run_under_mpi(starter, called, list(range(n_ranks)), *arguments, n_ranks=n_ranks, plain=True)
    except NoMPI:
        return None
    except GPUClusterError as error:
        exam.require("It runs under mpiexec without an error", False, str(error)[:300])
        raise
    return run.results


def levels(n: int) -> int:
    """Return how many rounds a tree needs that makes one of n things: log2, rounded up."""
    return max(0, (n - 1).bit_length())

"""``run_ranks(function, points, …)``: run one function as several ranks, each on its own part of the points."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .mpi import mpiexec, run_under_mpi
from .outcome import NoMPI, RankFailed, RankRun
from .plain import MPIRun, run_mpi, run_script, simulate
from .workers import run_on_workers

if TYPE_CHECKING:
    from distributed import Client

__all__ = [
    "MPIRun",
    "NoMPI",
    "RankFailed",
    "RankRun",
    "mpiexec",
    "run_mpi",
    "run_on_workers",
    "run_ranks",
    "run_script",
    "run_under_mpi",
    "simulate",
]


def run_ranks(
    function: Callable[..., Any], points: Any, *arguments: Any, n_ranks: int = 2, client: Client | None = None
) -> RankRun:
    """Run ``function(comm, own_points, *arguments)`` as several ranks at the same time.

    With MPI, the ranks are processes that ``mpiexec`` starts. Where that is not possible, they are the workers of the
    cluster.

    Parameters
    ----------
    function : callable
        ``comm`` is a communicator of `gpucluster.learn`; ``own_points`` are the rows of this rank.
    points : array
        Cut along the rows into as many nearly equal parts as there are ranks.
    *arguments
        Given to each rank as they are.
    n_ranks : int, optional
        Number of processes of MPI.
    client : distributed.Client, optional
        Where to run without MPI; left out, the lesson's.

    Raises
    ------
    RankFailed
        A rank ended with an error; says which, and with which.
    """
    starter = mpiexec()
    if starter is None:
        print("MPI is not installed here (pip install 'gpucluster[mpi]'), so the workers of the cluster are the ranks.")
        return run_on_workers(function, points, *arguments, client=client)
    try:
        return run_under_mpi(starter, function, points, *arguments, n_ranks=n_ranks)
    except NoMPI as error:
        print(f"{error.message} The workers of the cluster are the ranks instead.")
        return run_on_workers(function, points, *arguments, client=client)

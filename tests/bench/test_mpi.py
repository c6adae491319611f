"""A cluster started by dask-mpi: allreduce and k-means over MPI and over the workers' connections."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from distributed import Client
from gpucluster.bench import bench
from gpucluster.bench.errors import NothingToMeasure
from gpucluster.bench.target import scheduler
from gpucluster.protocol.errors import InvalidState

from tests.mpi import mpiexec, must_have_mpi

pytestmark = pytest.mark.full

must_have_mpi("dask_mpi")


@pytest.fixture(scope="module")
def scheduler_file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mpi")
    file = folder / "scheduler.json"
    command = [*mpiexec(3), Path(sys.executable).with_name("dask-mpi"), "--scheduler-file", file, "--nthreads",
               "1", "--no-dashboard", "--worker-class", "distributed.Worker", "--local-directory", folder]  # fmt: skip
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        with Client(scheduler_file=str(file), timeout=60, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=60)
            yield str(file)
            client.shutdown()
        process.wait(30)
    finally:
        process.kill()
        process.wait(30)


def test_mpi_and_connections_are_measured(scheduler_file):
    with scheduler(scheduler_file) as found:
        result = bench(found, size="tiny", repeats=1, only=["kmeans", "mpi-kmeans", "allreduce-latency",
                                                           "mpi-allreduce-latency"])  # fmt: skip
        with pytest.raises(InvalidState, match="This scheduler has 2 workers, and gpucluster did not start them"):
            bench(found, only=["svd"], workers=[1])
    assert result.left_out == []
    assert (result.cluster.mpi, result.cluster.backend, result.cluster.protocol) == (True, "other", "tcp")
    checks = {one.workload: one.check for one in result.measurements}
    assert checks["kmeans"] == pytest.approx(checks["mpi-kmeans"], rel=1e-4)
    assert checks["allreduce-latency"] == checks["mpi-allreduce-latency"] == 2


def test_mpi_workloads_are_refused_without_mpi(target):
    with pytest.raises(NothingToMeasure, match="not processes of one MPI program"):
        bench(target, only=["mpi-kmeans"])

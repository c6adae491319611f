"""A cluster started by dask-mpi: allreduce and k-means over MPI and over the workers' connections."""

import pytest
from gpucluster.bench import bench
from gpucluster.bench.target import scheduler
from gpucluster.protocol.errors import InvalidState

from tests.mpi import dask_mpi_cluster, require_mpi

pytestmark = [pytest.mark.full, pytest.mark.processes]

require_mpi("dask_mpi")


@pytest.fixture(scope="module")
def scheduler_file(tmp_path_factory):
    with dask_mpi_cluster(tmp_path_factory.mktemp("mpi")) as client:
        yield client.scheduler_file


def test_mpi_and_connections_are_measured(scheduler_file):
    with scheduler(scheduler_file) as found:
        result = bench(found, size="tiny", repeats=1, only=["kmeans", "mpi-kmeans", "allreduce-latency",
                                                           "mpi-allreduce-latency"])  # fmt: skip
        with pytest.raises(InvalidState, match="This scheduler has 2 workers, but gpucluster did not start them"):
            bench(found, only=["svd"], workers=[1])
    assert result.left_out == []
    assert (result.cluster.mpi, result.cluster.backend, result.cluster.protocol) == (True, "other", "tcp")
    checks = {one.workload: one.check for one in result.measurements}
    assert checks["kmeans"] == pytest.approx(checks["mpi-kmeans"], rel=1e-4)
    assert checks["allreduce-latency"] == checks["mpi-allreduce-latency"] == 2

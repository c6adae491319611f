"""k-means finds the same on workers of a dask-mpi cluster that communicate over MPI."""

from collections.abc import Iterator
from pathlib import Path

import dask
import dask.array as da
import numpy as np
import pytest
from distributed import Client
from gpucluster.learn import KMeans, config_context
from gpucluster.learn.errors import MissingMPI
from sklearn.datasets import load_digits

from tests.mpi import dask_mpi_cluster, require_mpi

DIGITS = load_digits().data
require_mpi()


@pytest.fixture
def dask_mpi(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Client]:
    pytest.importorskip("dask_mpi", reason="needs the package 'dask-mpi'")
    with dask_mpi_cluster(tmp_path, request.param) as client:
        with client.as_current(), dask.config.set(scheduler="dask.distributed"):
            yield client


@pytest.mark.parametrize("dask_mpi", ["distributed.Worker"], indirect=True)
@pytest.mark.full
def test_on_workers_of_dask_mpi(dask_mpi: Client) -> None:
    X = da.from_array(DIGITS, chunks=(500, 64), name=False)
    serial = KMeans(10, random_state=3).fit(DIGITS)
    for communicator in ("mpi", "workers", "mpi"):
        with config_context(communicator=communicator):
            ours = KMeans(10, random_state=3).fit(X)
        np.testing.assert_allclose(ours.cluster_centers_, serial.cluster_centers_, atol=1e-9)
        assert ours.n_iter_ == serial.n_iter_
        np.testing.assert_array_equal(ours.labels_.compute(), serial.labels_)


@pytest.mark.parametrize("dask_mpi", ["distributed.Nanny"], indirect=True)
@pytest.mark.full
def test_nannies_of_dask_mpi(dask_mpi: Client) -> None:
    X = da.from_array(DIGITS, chunks=(500, 64), name=False)
    with config_context(communicator="mpi"), pytest.raises(MissingMPI, match=r"--worker-class distributed\.Worker"):
        KMeans(10, random_state=3).fit(X)
    ours, serial = (KMeans(10, random_state=3).fit(rows).inertia_ for rows in (X, DIGITS))
    assert ours == pytest.approx(serial, rel=1e-9)


def test_workers_that_are_no_mpi_processes(dask_client: Client) -> None:
    X = da.from_array(DIGITS, chunks=(500, 64), name=False)
    with config_context(communicator="mpi"), pytest.raises(MissingMPI, match="communicator='workers'"):
        KMeans(10, random_state=3).fit(X)

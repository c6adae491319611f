"""Scaling where workers do not come: who leaves, and who is told that it has failed."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import gpucluster
import pytest
from gpucluster.cli import main
from gpucluster.protocol.errors import (
    ClusterEnded,
    InvalidState,
    OperationTimedOut,
    ScaleFailed,
)
from gpucluster.protocol.models import ClusterState

PRELOAD = str(Path(__file__).parents[1] / "backends" / "failing" / "preload.py")


@pytest.fixture(scope="module")
def gate(tmp_path_factory):
    """While this file is there, workers that start do not get far."""
    return tmp_path_factory.mktemp("gate") / "later"


@pytest.fixture(scope="module")
def hanging(shared_site, gate):
    """A cluster whose workers hang in their start while the gate is closed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DASK_DISTRIBUTED__WORKER__PRELOAD", PRELOAD)
        patch.setenv("GPUCLUSTER_TEST_FAULT", "later-hangs")
        patch.setenv("GPUCLUSTER_TEST_MARK", str(gate.with_name("mark")))
        shared_site.running(name="hanging", n_workers=2)
    return gpucluster.connect("hanging")


@pytest.fixture
def two(shared_site, hanging, gate):
    """The same, with two workers, that will not get others until the gate is open again."""
    gate.unlink(missing_ok=True)
    hanging.scale(2)
    gate.touch()
    yield hanging
    gate.unlink(missing_ok=True)


def pids(cluster):
    return {worker.pid for worker in cluster.model.workers}


def test_those_that_have_not_come_leave_first(shared_site, two):
    """Also where they were started before the others: here one that died, and whose successor hangs."""
    first, second = two.model.workers
    with two.get_client() as client:
        futures = client.scatter(list(range(20)), workers=[second.address])
        os.kill(first.pid, signal.SIGKILL)
        shared_site.wait_for("hanging", lambda model: model.n_workers == 1)
        two.scale(1)
        assert pids(two) == {second.pid}
        assert sum(client.gather(futures)) == sum(range(20))
    assert [entry.message for entry in two.activity() if entry.kind == "worker_left"][-1] == (
        f"Worker {first.name} left unexpectedly; see the log"
    )


def test_nobody_waits_for_those_that_are_wanted_no_more(shared_site, two):
    here = pids(two)
    two.scale(4, wait=False)
    shared_site.wait_for("hanging", lambda model: model.state is ClusterState.SCALING)
    two.scale(2)
    assert (pids(two), two.model.notice) == (here, None)

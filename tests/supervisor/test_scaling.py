"""Scaling with workers that do not come: which leave, and which requests fail."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import gpucluster
import pytest
from gpucluster.protocol.errors import OperationTimedOut, ScaleFailed
from gpucluster.protocol.models import ClusterState

PRELOAD = str(Path(__file__).parents[1] / "backends" / "failing" / "preload.py")


@pytest.fixture(scope="module")
def gate(tmp_path_factory):
    """While this file exists, starting workers hang."""
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
    """The same with two workers, which gets no others until the gate is open again."""
    gate.unlink(missing_ok=True)
    hanging.scale(2)
    gate.touch()
    yield hanging
    gate.unlink(missing_ok=True)


def pids(cluster):
    return {worker.pid for worker in cluster.model.workers}


def test_missing_workers_leave_first(shared_site, two):
    """Even if they were started before the others: one died here, and its successor hangs."""
    first, second = two.model.workers
    with two.get_client() as client:
        futures = client.scatter(list(range(20)), workers=[second.address])
        os.kill(first.pid, signal.SIGKILL)
        shared_site.wait_for("hanging", lambda model: model.n_workers == 1)
        two.scale(1)
        assert pids(two) == {second.pid}
        assert sum(client.gather(futures)) == sum(range(20))
    # The request comes after the death, and does not wait for the process's exit status.
    assert [entry.message for entry in two.activity() if entry.kind == "worker_died"][-1] in {
        f"Worker {first.name} was killed (SIGKILL).",
        f"Worker {first.name} left unexpectedly; see the log.",
    }


def test_lower_request_ends_wait(shared_site, two):
    here = pids(two)
    two.scale(4, wait=False)
    shared_site.wait_for("hanging", lambda model: model.state is ClusterState.SCALING)
    two.scale(2)
    assert (pids(two), two.model.notice) == (here, None)


def test_timeout_leaves_cluster_running(shared_site, two):
    first = two.model.workers[0]
    with pytest.raises(OperationTimedOut, match=r"'hanging' is still \w+ after 0 seconds.* It continues"):
        two.scale(3, timeout=0)
    two.scale(2)
    with two.get_client() as client:
        # Its results have nowhere to go at once: the other worker hangs.
        client.scatter(list(range(20)), workers=[first.address])
        os.kill(two.model.workers[1].pid, signal.SIGSTOP)
        try:
            with pytest.raises(TimeoutError, match="is still there after 0 seconds. The cluster keeps running") as late:
                two.retire(first.name, timeout=0)
        finally:
            os.kill(two.model.workers[1].pid, signal.SIGCONT)
    assert type(late.value) is OperationTimedOut
    shared_site.wait_for("hanging", lambda model: model.n_workers == 1 and model.state is ClusterState.RUNNING)
    with pytest.raises(OperationTimedOut, match=r"'hanging'.* 0 seconds.*(It continues|keeps running)"):
        two.restart(timeout=0)
    with pytest.raises(OperationTimedOut, match="1 of 9 workers of 'hanging' arrived within 0 seconds"):
        two.wait_for_workers(9, timeout=0)


@pytest.mark.full
def test_overruled_scale_fails(shared_site, two):
    with ThreadPoolExecutor(1) as thread:
        scaling = thread.submit(two.scale, 3)
        shared_site.wait_for("hanging", lambda model: model.wanted.n_workers == 3)
        two.scale(1)
        with pytest.raises(ScaleFailed, match="changed the cluster 'hanging' in the meantime; it has 1"):
            scaling.result(90)

"""A GPU cluster's life on a real GPU: no memory stays in use."""

import os
import signal
from typing import Any

import pytest

from benchmarks.gpu.devicememory import forkservers, has_context, settles_to, used_by_us

pytestmark = [pytest.mark.timeout(300), pytest.mark.filterwarnings("default")]
MIB = 2**20


def touch() -> str:
    """Make a context and return the name of the device."""
    import cupy

    cupy.arange(1000).sum().item()
    return str(cupy.cuda.runtime.getDeviceProperties(0)["name"].decode())


def test_memory_is_back_after_restart_and_stop(cluster_with: Any) -> None:
    before = used_by_us()
    with cluster_with(rmm_pool_size=1024 * MIB) as (cluster, client):
        client.submit(touch, pure=False).result(timeout=120)
        running = used_by_us()
        assert running - before > 1000 * MIB
        cluster.restart()
        client.submit(touch, pure=False).result(timeout=120)
        assert settles_to(running, within=64 * MIB)[0], "two pools or contexts"
    assert settles_to(before, within=64 * MIB)[0]


def test_gpu_memory_is_freed_after_kill(cluster_with: Any) -> None:
    before = used_by_us()
    with cluster_with() as (cluster, client):
        client.submit(touch, pure=False).result(timeout=120)
        os.kill(cluster.model.pid, signal.SIGKILL)
        assert settles_to(before, within=64 * MIB)[0]


def test_a_worker_that_is_killed_comes_back(cluster_with: Any, wait_until: Any) -> None:
    with cluster_with() as (cluster, client):
        first = client.submit(os.getpid, pure=False).result(timeout=60)
        os.kill(first, signal.SIGKILL)
        wait_until(lambda: [worker.pid for worker in cluster.model.workers] not in ([], [first]))
        assert len(cluster.model.workers) == 1
        assert client.submit(touch, pure=False).result(timeout=120)


def test_forkserver_has_no_cuda_context(cluster_with: Any) -> None:
    with cluster_with() as (cluster, client):
        worker = client.submit(os.getpid, pure=False).result(timeout=60)
        client.submit(touch, pure=False).result(timeout=120)
        assert has_context(worker)
        assert not has_context(cluster.model.pid)
        assert not any(has_context(pid) for pid in forkservers(cluster.model.pid))


def test_auto_takes_the_gpu(cluster_with: Any) -> None:
    import gpucluster

    with cluster_with() as (cluster, client):  # for its registry
        assert client.submit(touch, pure=False).result(timeout=120)
        cluster.stop()
        with gpucluster.create("auto", n_workers=1) as chosen:
            assert chosen.backend == "cuda"

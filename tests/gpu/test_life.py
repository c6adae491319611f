"""A GPU cluster's life on a real GPU: nothing of it stays on the device."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = [pytest.mark.gpu, pytest.mark.timeout(300)]
MIB = 2**20


def touch() -> str:
    """Make a context, and return the name of the device."""
    import cupy

    cupy.arange(1000).sum().item()
    return str(cupy.cuda.runtime.getDeviceProperties(0)["name"].decode())


def settles(used: Callable[[], int], wanted: int) -> int:
    """Wait until about so much is used; returns what is."""
    deadline = time.monotonic() + 30
    while abs(used() - wanted) > 64 * MIB and time.monotonic() < deadline:
        time.sleep(0.2)
    return used()


def test_memory_is_back_after_restart_and_stop(cluster_with: Any, used_memory: Callable[[], int]) -> None:
    before = used_memory()
    with cluster_with(rmm_pool_size=1024 * MIB) as (cluster, client):
        client.submit(touch, pure=False).result(timeout=120)
        running = used_memory()
        assert running - before > 1000 * MIB
        cluster.restart()
        assert settles(used_memory, before + 1024 * MIB) < running + 64 * MIB
    assert abs(settles(used_memory, before) - before) <= 64 * MIB


def test_memory_is_back_after_a_supervisor_was_killed(cluster_with: Any, used_memory: Callable[[], int]) -> None:
    before = used_memory()
    with cluster_with() as (cluster, client):
        client.submit(touch, pure=False).result(timeout=120)
        os.kill(cluster.model.pid, signal.SIGKILL)
        assert abs(settles(used_memory, before) - before) <= 64 * MIB


def test_a_worker_that_is_killed_comes_back(cluster_with: Any) -> None:
    with cluster_with() as (cluster, client):
        first = client.submit(os.getpid, pure=False).result(timeout=60)
        os.kill(first, signal.SIGKILL)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if cluster.n_workers == 1 and cluster.model.workers[0].pid != first:
                break
            time.sleep(0.2)
        assert client.submit(touch, pure=False).result(timeout=120)


def test_processes_that_workers_come_from_have_no_context(cluster_with: Any) -> None:
    from benchmarks.gpu.devicememory import forkservers, has_context

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

"""Canaries: the four places that store a worker's memory limit."""

from __future__ import annotations

import os
import signal
import types
from typing import Any

import dask
from distributed import LocalCluster, Nanny
from distributed.core import Status
from gpucluster.dask_internals.workers import memory_limits

from tests.conftest import until_async

MIB = 2**20


def test_a_worker_and_its_scheduler(here, canary):
    worker, scheduler = here.worker, here.scheduler
    before = worker.memory_manager.memory_limit
    target, transfer = worker.data.n, worker.state.transfer_incoming_bytes_limit
    total = scheduler.total_memory
    with canary("WorkerMemoryManager.memory_limit, SpillBuffer.n, state.transfer_incoming_bytes_limit"):
        memory_limits.lower_worker_limit(worker, before // 2)
        memory_limits.lower_worker_limit(worker, before)
        assert worker.memory_manager.memory_limit == before // 2
        assert abs(worker.data.n - target / 2) <= 1
        assert abs(worker.state.transfer_incoming_bytes_limit - transfer / 2) <= 1
    with canary("WorkerState.memory_limit and Scheduler.total_memory"):
        memory_limits.lower_known_limits(scheduler, before // 2)
        known = scheduler.workers[worker.address]
        assert known.memory_limit == before // 2
        assert scheduler.total_memory == sum(one.memory_limit for one in scheduler.workers.values()) < total
    worker.memory_manager.memory_limit = known.memory_limit = before
    worker.data.n, worker.state.transfer_incoming_bytes_limit, scheduler.total_memory = target, transfer, total


async def test_workers_to_come_and_nannies(canary):
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, memory_limit=600 * MIB, asynchronous=True)
    with canary("SpecCluster.new_spec and worker_spec with options"):
        memory_limits.lower_planned_limit(cluster, 300 * MIB)
        options = [spec["options"]["memory_limit"] for spec in (cluster.new_spec, *cluster.worker_spec.values())]
        assert options == [300 * MIB] * 3
    with dask.config.set({"distributed.worker.memory.terminate": 0.95}):
        small, large, none = (
            Nanny("tcp://127.0.0.1:1", nthreads=1, memory_limit=limit) for limit in (600 * MIB, 600 * MIB, None)
        )
    for nanny, pid in ((small, 1), (large, 2), (none, 3)):
        nanny.process = types.SimpleNamespace(process=types.SimpleNamespace(pid=pid))
    cluster.workers = {0: small, 1: large, 2: none}
    used = {1: 200 * MIB, 2: 500 * MIB}
    with canary("NannyMemoryManager.memory_limit and Nanny.process.process.pid"):
        assert not memory_limits.lower_nanny_limits(cluster, 300 * MIB, used.__getitem__)
        assert [nanny.memory_manager.memory_limit for nanny in (small, large, none)] == [300 * MIB, 600 * MIB, None]
        used[2] = 0
        assert memory_limits.lower_nanny_limits(cluster, 300 * MIB, used.__getitem__)
        assert large.memory_manager.memory_limit == 300 * MIB
    cluster.status = Status.closed


async def test_restarted_worker_has_present_limit(canary):
    """Its nanny may still have the old limit while its process uses more than the new one."""
    async with LocalCluster(
        n_workers=1, threads_per_worker=1, memory_limit=1200 * MIB, asynchronous=True, dashboard_address=":0"
    ) as cluster:
        scheduler = cluster.scheduler
        known = lambda: [one.memory_limit for one in scheduler.workers.values()]  # noqa: E731
        nanny = cluster.workers[0]
        with canary("Nanny.process.worker_kwargs"):
            for used, limit in ((0, 1000 * MIB), (2000 * MIB, 800 * MIB)):
                memory_limits.lower_nanny_limits(cluster, limit, lambda _pid, used=used: used)
                await nanny.restart()
                assert known() == [limit]
            # Also one that dies.
            memory_limits.lower_nanny_limits(cluster, 700 * MIB, lambda _pid: 0)
            old = nanny.process.pid
            os.kill(old, signal.SIGKILL)
            await until_async(lambda: nanny.pid not in {old, None} and known())
            assert known() == [700 * MIB]


def test_host_buffer_of_gpu_worker_is_lowered():
    """Its buffer has the old limit even where the worker has the present one."""
    buffer = types.SimpleNamespace(n=400 * MIB)
    worker: Any = types.SimpleNamespace(
        data=types.SimpleNamespace(host_buffer=buffer), memory_manager=types.SimpleNamespace(memory_limit=300 * MIB)
    )
    for limit in (300 * MIB, 350 * MIB):
        memory_limits.lower_worker_limit(worker, limit)
        assert buffer.n == 300 * MIB

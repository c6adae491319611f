"""Canaries: where a worker stores its results, and the four places that store its memory limit."""

import os
import signal
import types
from typing import Any

import dask
import pytest
from distributed.core import Status
from distributed.spill import SpillBuffer
from gpucluster.dask_internals.workers import memory

from tests.conftest import until_async


def test_spilled_bytes_are_counted(here, canary, wait_until):
    # Results released by an earlier test may not be gone yet.
    with canary("Worker.state.nbytes"):
        wait_until(lambda: memory.managed_bytes(here.worker) == 0)
        before = memory.managed_bytes(here.worker)
    written = memory.disk_traffic_bytes(here.worker, "disk-write")
    kept = here.client.map(lambda n: bytes([n]) * 4_000_000, range(5), pure=False, workers=[here.worker.address])
    here.client.gather(here.client.map(len, kept, pure=False))
    with canary("Worker.state.nbytes"):
        assert memory.managed_bytes(here.worker) - before >= 20_000_000
    with canary("SpillBuffer.spilled_total"):
        spilled = wait_until(lambda: (found := memory.spilled_bytes(here.worker)) and found.disk and found)
        assert spilled.memory >= 4_000_000
        assert not memory.keeps_in_memory(here.worker)
        assert not memory.has_device_tiers(here.worker)
    with canary("Server.digests_total with keys (…, 'disk-write', 'bytes')"):
        wait_until(lambda: memory.disk_traffic_bytes(here.worker, "disk-write") > written)
    read = memory.disk_traffic_bytes(here.worker, "disk-read")
    with canary("Server.digests_total with keys (…, 'disk-read', 'bytes')"):
        here.client.gather(here.client.map(len, kept, pure=False))
        wait_until(lambda: memory.disk_traffic_bytes(here.worker, "disk-read") > read)


def test_spill_limit_can_be_removed(here, canary):
    with canary("SpillBuffer.disk.data.max_weight"):
        assert memory.bound_spilling(here.worker, 10**9)
        assert not memory.spills_no_more(here.worker)
        assert memory.bound_spilling(here.worker, None)
        assert not memory.spills_no_more(here.worker)
    never = types.SimpleNamespace(data={})
    assert not memory.bound_spilling(never, 10**9)
    assert memory.keeps_in_memory(never)
    assert memory.spilled_bytes(never) is None


def test_exceeded_spill_limit_is_noticed(tmp_path, canary):
    data = SpillBuffer(str(tmp_path), target=4000)
    worker = types.SimpleNamespace(data=data)
    assert memory.bound_spilling(worker, 10_000)
    with canary("Slow.max_weight is compared with what would be on disk"):
        data["small"] = os.urandom(6000)
        assert data.spilled_total.disk >= 6000
        assert not memory.spills_no_more(worker)
        data["large"] = os.urandom(8000)
        assert memory.spills_no_more(worker)
        assert "large" in data.fast
        del data["small"]
        data.evict()
        assert not memory.spills_no_more(worker)


def test_spilled_result_is_read_with_full_scratch(tmp_path, canary):
    data = SpillBuffer(str(tmp_path), target=10_000)
    manager = types.SimpleNamespace(
        memory_limit=80_000, memory_target_fraction=0.1, memory_spill_fraction=0.7, memory_pause_fraction=0.8,
        _maybe_pause_or_unpause=lambda worker, memory: looks.append(memory),
    )  # fmt: skip
    looks: list[int] = []
    worker = types.SimpleNamespace(
        data=data, memory_manager=manager, state=types.SimpleNamespace(nthreads=1),
        loop=types.SimpleNamespace(add_callback=lambda look: look()),
        monitor=types.SimpleNamespace(get_process_memory=lambda: 50_000),
    )  # fmt: skip
    assert memory.bound_spilling(worker, 70_000)
    values = {number: os.urandom(6000) for number in range(3)}
    with canary("SpillBuffer.fast.weight, a function that is asked at each insertion"):
        data.update(values)
        assert sorted(data.slow) == [0, 1]
        assert looks == []
    with canary("SpillBuffer.slow_to_fast(key) puts the result into SpillBuffer.fast and evicts others"):
        assert data[0] == values[0]
        assert sorted(data.slow) == [1, 2]
    # The limit is lowered, as for more workers: now scratch is full.
    assert memory.bound_spilling(worker, 13_000)
    assert memory.spills_no_more(worker)
    assert data[1] == values[1]
    assert sorted(data.slow) == [1, 2], "it stays on disk"
    with canary("WorkerMemoryManager.memory_pause_fraction and the like"):
        data[3] = values[0]
        assert looks == [50_000]
        assert 0.6 < manager.memory_pause_fraction < 0.8
        assert manager.memory_pause_fraction == manager.memory_spill_fraction > manager.memory_target_fraction
    with canary("SpillBuffer.evict(), and fast.heavy and fast.order"):
        pickled = data.disk.data.dump
        data.disk.data.dump = lambda value: dumps.append(value) or pickled(value)
        dumps: list[bytes] = []
        assert [data.evict() for _ in range(5)] == [-1] * 5
        assert len(dumps) == 1
    # Dask itself would lose this result: it was read back, but the one to be evicted could not be written.
    memory.bound_spilling(worker, None)
    data.disk.data.max_weight = 1
    assert data[1] == values[1]
    assert all(data[number] == value for number, value in values.items())


MIB = 2**20


def test_a_worker_and_its_scheduler(here, canary):
    worker, scheduler = here.worker, here.scheduler
    before = worker.memory_manager.memory_limit
    target, transfer = worker.data.n, worker.state.transfer_incoming_bytes_limit
    total = scheduler.total_memory
    with canary("WorkerMemoryManager.memory_limit, SpillBuffer.n, state.transfer_incoming_bytes_limit"):
        memory.lower_worker_limit(worker, before // 2)
        memory.lower_worker_limit(worker, before)
        assert worker.memory_manager.memory_limit == before // 2
        assert abs(worker.data.n - target / 2) <= 1
        assert abs(worker.state.transfer_incoming_bytes_limit - transfer / 2) <= 1
    with canary("WorkerState.memory_limit and Scheduler.total_memory"):
        memory.lower_known_limits(scheduler, before // 2)
        known = scheduler.workers[worker.address]
        assert known.memory_limit == before // 2
        assert scheduler.total_memory == sum(one.memory_limit for one in scheduler.workers.values()) < total
    worker.memory_manager.memory_limit = known.memory_limit = before
    worker.data.n, worker.state.transfer_incoming_bytes_limit, scheduler.total_memory = target, transfer, total


@pytest.mark.processes
async def test_workers_to_come_and_nannies(canary):
    from distributed import LocalCluster, Nanny

    cluster = LocalCluster(n_workers=2, threads_per_worker=1, memory_limit=600 * MIB, asynchronous=True)
    with canary("SpecCluster.new_spec and worker_spec with options"):
        memory.lower_planned_limit(cluster, 300 * MIB)
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
        assert not memory.lower_nanny_limits(cluster, 300 * MIB, used.__getitem__)
        assert [nanny.memory_manager.memory_limit for nanny in (small, large, none)] == [300 * MIB, 600 * MIB, None]
        used[2] = 0
        assert memory.lower_nanny_limits(cluster, 300 * MIB, used.__getitem__)
        assert large.memory_manager.memory_limit == 300 * MIB
    cluster.status = Status.closed


@pytest.mark.processes
async def test_restarted_worker_has_present_limit(canary):
    """Its nanny may still have the old limit while its process uses more than the new one."""
    from distributed import LocalCluster

    async with LocalCluster(
        n_workers=1, threads_per_worker=1, memory_limit=1200 * MIB, asynchronous=True, dashboard_address=":0"
    ) as cluster:
        scheduler = cluster.scheduler
        known = lambda: [one.memory_limit for one in scheduler.workers.values()]  # noqa: E731
        nanny = cluster.workers[0]
        with canary("Nanny.process.worker_kwargs"):
            for used, limit in ((0, 1000 * MIB), (2000 * MIB, 800 * MIB)):
                memory.lower_nanny_limits(cluster, limit, lambda _pid, used=used: used)
                await nanny.restart()
                assert known() == [limit]
            # Also one that dies.
            memory.lower_nanny_limits(cluster, 700 * MIB, lambda _pid: 0)
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
        memory.lower_worker_limit(worker, limit)
        assert buffer.n == 300 * MIB

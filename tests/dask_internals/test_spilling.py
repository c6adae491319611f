"""Canaries: where a worker stores its results."""

from __future__ import annotations

import os
import types

from distributed.spill import SpillBuffer
from gpucluster.dask_internals.workers import spilling


def test_spilled_bytes_are_counted(here, canary, wait_until):
    # Results released by an earlier test may not be gone yet.
    with canary("Worker.state.nbytes"):
        wait_until(lambda: spilling.managed_bytes(here.worker) == 0)
        before = spilling.managed_bytes(here.worker)
    written = spilling.disk_traffic_bytes(here.worker, "disk-write")
    kept = here.client.map(lambda n: bytes([n]) * 4_000_000, range(5), pure=False, workers=[here.worker.address])
    here.client.gather(here.client.map(len, kept, pure=False))
    with canary("Worker.state.nbytes"):
        assert spilling.managed_bytes(here.worker) - before >= 20_000_000
    with canary("SpillBuffer.spilled_total"):
        spilled = wait_until(lambda: (found := spilling.spilled_bytes(here.worker)) and found.disk and found)
        assert spilled.memory >= 4_000_000
        assert not spilling.keeps_in_memory(here.worker)
        assert not spilling.has_device_tiers(here.worker)
    with canary("Server.digests_total with keys (…, 'disk-write', 'bytes')"):
        wait_until(lambda: spilling.disk_traffic_bytes(here.worker, "disk-write") > written)
    read = spilling.disk_traffic_bytes(here.worker, "disk-read")
    with canary("Server.digests_total with keys (…, 'disk-read', 'bytes')"):
        here.client.gather(here.client.map(len, kept, pure=False))
        wait_until(lambda: spilling.disk_traffic_bytes(here.worker, "disk-read") > read)


def test_spill_limit_can_be_removed(here, canary):
    with canary("SpillBuffer.disk.data.max_weight"):
        assert spilling.bound_spilling(here.worker, 10**9)
        assert not spilling.spills_no_more(here.worker)
        assert spilling.bound_spilling(here.worker, None)
        assert not spilling.spills_no_more(here.worker)
    never = types.SimpleNamespace(data={})
    assert not spilling.bound_spilling(never, 10**9)
    assert spilling.keeps_in_memory(never)
    assert spilling.spilled_bytes(never) is None


def test_exceeded_spill_limit_is_noticed(tmp_path, canary):
    data = SpillBuffer(str(tmp_path), target=4000)
    worker = types.SimpleNamespace(data=data)
    assert spilling.bound_spilling(worker, 10_000)
    with canary("Slow.max_weight is compared with what would be on disk"):
        data["small"] = os.urandom(6000)
        assert data.spilled_total.disk >= 6000
        assert not spilling.spills_no_more(worker)
        data["large"] = os.urandom(8000)
        assert spilling.spills_no_more(worker)
        assert "large" in data.fast
        del data["small"]
        data.evict()
        assert not spilling.spills_no_more(worker)


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
    assert spilling.bound_spilling(worker, 70_000)
    values = {number: os.urandom(6000) for number in range(3)}
    with canary("SpillBuffer.fast.weight, a function that is asked at each insertion"):
        data.update(values)
        assert sorted(data.slow) == [0, 1]
        assert looks == []
    with canary("SpillBuffer.slow_to_fast(key) puts the result into SpillBuffer.fast and evicts others"):
        assert data[0] == values[0]
        assert sorted(data.slow) == [1, 2]
    # The limit is lowered, as for more workers: now scratch is full.
    assert spilling.bound_spilling(worker, 13_000)
    assert spilling.spills_no_more(worker)
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
    spilling.bound_spilling(worker, None)
    data.disk.data.max_weight = 1
    assert data[1] == values[1]
    assert all(data[number] == value for number, value in values.items())

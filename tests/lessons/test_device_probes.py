"""What lesson 11 asks of a GPU, against stand-ins with the names and the signatures of RMM 26.10 and CuPy."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from gpucluster.lessons.course.lesson_11_gpu_memory import probes as devicepools
from gpucluster.lessons.course.lesson_11_gpu_memory import probes as viewpoints
from gpucluster.lessons.course.lesson_11_gpu_memory.probes import spilling_worker
from gpucluster.lessons.course.lesson_11_gpu_memory.simulations import Card, Pool, Replay, replay

MIB = 2**20
TRACE = [*(("allocate", name, 16 * MIB) for name in "ABCDEF"), *(("free", name) for name in "ACE"),
         ("allocate", "G", 32 * MIB)]  # fmt: skip


class CudaMemoryResource:
    """The driver: addresses begin somewhere."""

    def __init__(self) -> None:
        self.card = Card(128 * MIB)

    def allocate(self, nbytes: int, stream: Any = None) -> int:
        return 0x7F0000000000 + self.card.allocate(nbytes)

    def deallocate(self, ptr: int, nbytes: int, stream: Any = None) -> None:
        self.card.taken -= nbytes


CudaAsyncMemoryResource = type("CudaAsyncMemoryResource", (CudaMemoryResource,), {})


@dataclass
class Statistics:
    total_count: int


class StatisticsResourceAdaptor:
    def __init__(self, upstream_mr: Any) -> None:
        self.upstream_mr = upstream_mr

    @property
    def allocation_counts(self) -> Statistics:
        return Statistics(self.upstream_mr.card.requests)

    @property
    def card(self) -> Card:
        return self.upstream_mr.card


class PoolMemoryResource:
    def __init__(self, upstream_mr: Any, initial_pool_size: Any = None, maximum_pool_size: Any = None) -> None:
        self.upstream_mr = upstream_mr
        self._pool = Pool(initial_pool_size, maximum_pool_size, card=upstream_mr.card)

    def pool_size(self) -> int:
        return self._pool.pool_size()

    def allocate(self, nbytes: int, stream: Any = None) -> int:
        try:
            return 0x7F0000000000 + self._pool.allocate(nbytes)
        except MemoryError as error:  # RMM knows no class of ours
            raise MemoryError(f"std::bad_alloc: out_of_memory: RMM failure at: {error}") from None

    def deallocate(self, ptr: int, nbytes: int, stream: Any = None) -> None:
        self._pool.deallocate(ptr - 0x7F0000000000, nbytes)


class TrackingResourceAdaptor:
    def __init__(self, upstream_mr: Any) -> None:
        self.upstream_mr = upstream_mr

    def get_allocated_bytes(self) -> int:
        return 5 * MIB


@pytest.fixture
def rmm(monkeypatch: pytest.MonkeyPatch) -> Any:
    """RMM, as far as the lesson uses it."""
    module: Any = ModuleType("rmm")
    classes = (CudaMemoryResource, CudaAsyncMemoryResource, PoolMemoryResource, StatisticsResourceAdaptor)
    module.mr = SimpleNamespace(**{one.__name__: one for one in classes})
    module.__version__ = "26.10.00"
    monkeypatch.setitem(sys.modules, "rmm", module)
    return module


def test_a_real_pool_answers_as_the_simulated_one(rmm: Any) -> None:
    found = devicepools.replay_on_device(TRACE, 96 * MIB, 96 * MIB)
    simulated = replay(TRACE, Pool(96 * MIB, 96 * MIB))
    assert isinstance(found, Replay)
    assert found.place == "RMM's pool on the GPU"
    assert [step.live for step in found.steps] == [step.live for step in simulated.steps]
    assert [bool(step.refused) for step in found.steps] == [bool(step.refused) for step in simulated.steps]
    assert found.requests_to_card == 1
    with pytest.raises(MemoryError, match="Not enough room to grow"):
        found.granted()


def test_a_full_card_and_a_worker_without_rmm_are_said(rmm: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    full = devicepools.replay_on_device(TRACE, 512 * MIB, None)
    assert isinstance(full, str) and "no 536,870,912 bytes left" in full
    monkeypatch.setitem(sys.modules, "rmm", None)
    assert devicepools.replay_on_device(TRACE, MIB, None) == "The workers have no RMM: this is a simulated pool."


def test_requests_are_timed_by_what_answers_them(rmm: Any) -> None:
    times = devicepools._times_on_device(16 * MIB, 3)
    assert list(times.microseconds) == ["cudaMalloc", "pool", "asynchronous"]
    assert "on the GPU, RMM 26.10.00" in repr(times)
    host = devicepools._times_on_host(MIB, 3)
    assert list(host.microseconds) == ["from the operating system", "kept from before"]
    assert all(value > 0 for value in host.microseconds.values())


def test_each_layer_of_rmm_is_asked_for_what_it_knows(rmm: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pool = PoolMemoryResource(CudaMemoryResource(), 8 * MIB, None)
    rmm.mr.get_current_device_resource = lambda: TrackingResourceAdaptor(pool)
    cupy: Any = ModuleType("cupy")
    cupy.get_default_memory_pool = lambda: SimpleNamespace(used_bytes=lambda: 0)
    cupy.cuda = SimpleNamespace(runtime=SimpleNamespace(memGetInfo=lambda: (30 * MIB, 40 * MIB)))
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    store = SimpleNamespace(device_buffer=SimpleNamespace(fast=SimpleNamespace(total_weight=3 * MIB)), host_buffer={})
    found = viewpoints._on_device(SimpleNamespace(data=store))
    assert {who: nbytes // MIB for who, nbytes, _ in found} == {
        "Dask": 3, "CuPy's own pool": 0, "RMM, given out": 5, "RMM, pool": 8, "the driver": 10,
    }  # fmt: skip
    assert "  8 MiB  taken from the GPU" in repr(viewpoints.Views(viewpoints.View(*one) for one in found))


@pytest.mark.processes
def test_a_small_worker_writes_files_and_deletes_them() -> None:
    import dask.array as da

    with spilling_worker("40 MB") as small:
        kept = small.client.persist(da.random.default_rng(1).integers(0, 2, (8, 1_000_000), chunks=(1, -1)))
        assert 3_900_000 < small.client.compute(kept.sum()).result() < 4_100_000
        in_memory, on_disk = small.settled()
        assert 0 < in_memory <= 24_000_000
        assert len(small.files()) >= 5 and on_disk > 8_000_000 * len(small.files())
        del kept
        assert small.files_left() == 0

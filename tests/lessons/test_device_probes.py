"""What lesson 11 asks of a GPU, against stand-ins with the names and the signatures of RMM 26.10 and CuPy."""

import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from gpucluster import lessons
from gpucluster.datasets import describe
from gpucluster.datasets.errors import InvalidOption
from gpucluster.lessons.course.lesson_11_gpu_memory import probes
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
    found = probes.replay_on_device(TRACE, 96 * MIB, 96 * MIB)
    simulated = replay(TRACE, Pool(96 * MIB, 96 * MIB))
    assert isinstance(found, Replay)
    assert found.place == "RMM's pool on the GPU"
    assert [step.live for step in found.steps] == [step.live for step in simulated.steps]
    assert [bool(step.refused) for step in found.steps] == [bool(step.refused) for step in simulated.steps]
    assert found.requests_to_card == 1
    with pytest.raises(MemoryError, match="Not enough room to grow"):
        found.granted()


def test_a_full_card_and_a_worker_without_rmm_are_said(rmm: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    full = probes.replay_on_device(TRACE, 512 * MIB, None)
    assert isinstance(full, str) and "does not have 536,870,912 bytes left" in full
    monkeypatch.setitem(sys.modules, "rmm", None)
    assert probes.replay_on_device(TRACE, MIB, None) == "The workers have no RMM: this pool is simulated."


def test_requests_are_timed_by_what_answers_them(rmm: Any) -> None:
    times = probes._times_on_device(16 * MIB, 3)
    assert list(times.microseconds) == ["cudaMalloc", "pool", "asynchronous"]
    assert "on the GPU, RMM 26.10.00" in repr(times)
    host = probes._times_on_host(MIB, 3)
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
    found = probes._on_device(SimpleNamespace(data=store))
    assert {who: nbytes // MIB for who, nbytes, _ in found} == {
        "Dask": 3, "CuPy's own pool": 0, "RMM, given out": 5, "RMM, pool": 8, "the driver": 10,
    }  # fmt: skip
    assert "  8 MiB  taken from the GPU" in repr(probes.Views(probes.View(*one) for one in found))


@pytest.mark.processes
def test_a_small_worker_writes_files_and_deletes_them() -> None:
    import dask.array as da

    with probes.spilling_worker("40 MB") as small:
        kept = small.client.persist(da.random.default_rng(1).integers(0, 2, (8, 1_000_000), chunks=(1, -1)))
        assert 3_900_000 < small.client.compute(kept.sum()).result() < 4_100_000
        in_memory, on_disk = small.settled()
        assert 0 < in_memory <= 24_000_000
        assert len(small.files()) >= 5 and on_disk > 8_000_000 * len(small.files())
        del kept
        assert small.files_left() == 0


def test_a_data_set_by_name() -> None:
    shown = lessons.banner("flights", copies=4)
    known = describe("flights", copies=4)
    assert (shown.rows, shown.columns, shown.memory_bytes) == (4 * 336_776, 20, known.memory_bytes)
    assert shown.distinct_source_rows == 336_776
    assert "tiled" in repr(shown)
    assert lessons.banner("flights").kind == "real"
    assert lessons.banner("flight_minutes").kind == "derived"


def test_own_tables_are_measured_lazy_or_not(tmp_path: Path) -> None:
    table = pd.DataFrame({"n": np.arange(1000), "word": ["some text"] * 1000})
    file = tmp_path / "table.csv"
    table.to_csv(file)
    whole = lessons.banner(table, kind="real", distinct=1000, files=file)
    assert (whole.rows, whole.columns) == (1000, 2)
    assert whole.memory_bytes == table.memory_usage(deep=True, index=False).sum()
    assert whole.disk_bytes == file.stat().st_size
    assert lessons.banner(table, kind="real", distinct=1000, files=tmp_path).disk_bytes == file.stat().st_size
    frame = dd.from_pandas(table, npartitions=3)  # Dask makes Arrow's text of pandas 2's objects.
    lazy = lessons.banner(frame, kind="derived", distinct=10)
    assert (lazy.rows, lazy.columns, lazy.disk_bytes) == (1000, 2, None)
    expected = frame.compute().memory_usage(deep=True, index=False).sum()
    assert lazy.memory_bytes == pytest.approx(expected, rel=0.05)
    assert "not stored" in repr(lazy)


def test_own_arrays() -> None:
    shown = lessons.banner(da.ones((10, 3, 2), dtype="float32"), kind="derived", distinct=5, title="<squares>")
    assert (shown.rows, shown.columns, shown.memory_bytes) == (10, 6, 240)
    assert "<squares>" not in shown._repr_html_()


def test_what_is_missing_is_said() -> None:
    with pytest.raises(TypeError, match="Specify the kind of your data"):
        lessons.banner(np.zeros(3))
    with pytest.raises(TypeError, match="requires the name"):
        lessons.banner(np.zeros(3), kind="real", distinct=3, copies=2)
    with pytest.raises(InvalidOption, match="unknown data set"):
        lessons.banner("trains")

"""Rates from counters, short figures for clusters with many workers, and RMM's states, on names of RMM 26."""

import sys
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace

import pytest
from distributed.scheduler import heartbeat_interval
from gpucluster.telemetry.columns import coarse, rounded, size
from gpucluster.telemetry.device import Rates
from gpucluster.telemetry.report import is_one_of_many, rmm_figures


@pytest.mark.parametrize(
    "readings",
    [
        [("pcie", 5_000, 12.0, 2_000), ("nvlink", 5_000, 12.0, None)],
        [("pcie", None, 11.0, None), ("pcie", 2_000, 12.0, None), ("pcie", 2_300, 13.0, 300)],
        [("pcie", 500, 11.0, None), ("pcie", 700, 12.0, 200)],
        [("pcie", 2_000, 10.0, None)],
    ],
    ids=["separate counters", "unreadable", "decreased", "same moment"],
)
def test_rate_needs_two_readings(readings):
    rates = Rates()
    assert rates.per_second("pcie", 1_000, 10.0) is None
    for counter, value, seconds, rate in readings:
        assert rates.per_second(counter, value, seconds) == rate


@pytest.mark.parametrize(
    ("value", "short"), [(0, 0), (99_999, 99_999), (123_456, 123_460), (16_106_127_360, 16_106_000_000), (1.6, 2)]
)
def test_a_size_has_five_digits(value, short):
    assert size(value) == short
    assert isinstance(size(value), int)


@pytest.mark.parametrize(("n_workers", "many"), [(1, False), (100, False), (200, False), (400, True), (1000, True)])
def test_heartbeat_interval_shows_cluster_size(n_workers, many):
    heartbeat = SimpleNamespace(callback_time=1000 * heartbeat_interval(n_workers))
    assert is_one_of_many(SimpleNamespace(periodic_callbacks={"heartbeat": heartbeat})) is many


def test_invisible_digits_are_not_sent():
    unchanged = {"device_error": "This GPU is lost.", "gpu_temperature_celsius": 73, "vram_used_bytes": None}
    sizes = dict.fromkeys(("memory_bytes", "tier_host_bytes", "sent_bytes"), 123_456_789)
    figures = {"device": "GPU-01234567-89ab-cdef-0123-456789abcdef", **sizes, **unchanged}
    short = {"memory_bytes": 123_000_000, "tier_host_bytes": 120_000_000, "sent_bytes": 120_000_000}
    assert coarse(figures) == {"device": "GPU-0123456", **short, **unchanged}
    assert coarse({"received_bytes": 9_999_999}) == {"received_bytes": 0}, "a counter never runs ahead"
    assert size(None) is None
    assert rounded(1234, 3) == 1230


POOL, USED, LIMIT = 4 * 2**30, 3 * 2**30, 6 * 2**30


class CudaMemoryResource:
    """CUDA itself: it has no upstream and counts nothing."""


CudaAsyncMemoryResource = type("CudaAsyncMemoryResource", (CudaMemoryResource,), {})


class Upstream:
    def __init__(self, upstream_mr):
        self.upstream_mr = upstream_mr

    def get_upstream(self):
        return self.upstream_mr


class PoolMemoryResource(Upstream):
    def pool_size(self):
        return POOL


class TrackingResourceAdaptor(Upstream):
    def get_allocated_bytes(self):
        return USED


class LimitingResourceAdaptor(TrackingResourceAdaptor):
    def get_allocation_limit(self):
        return LIMIT


class LoggingResourceAdaptor(Upstream):
    pass


@dataclass
class Statistics:
    current_bytes: int
    peak_bytes: int = USED


class StatisticsResourceAdaptor(Upstream):
    def __init__(self, upstream_mr, current=USED):
        super().__init__(upstream_mr)
        self.allocation_counts = Statistics(current)


@dataclass
class RMMSetup:
    """dask-cuda's plugin on the worker."""

    maximum_pool_size: int | None = None


@dataclass
class Worker:
    plugins: dict = field(default_factory=dict)


@pytest.fixture
def use(monkeypatch):
    """Return the figures of a worker that has imported RMM and uses a resource."""

    def use(resource, worker=None):
        rmm = ModuleType("rmm")
        rmm.mr = SimpleNamespace(get_current_device_resource=lambda: resource)
        monkeypatch.setitem(sys.modules, "rmm", rmm)
        figures = rmm_figures(worker or Worker())
        return tuple(figures[f"rmm_{name}_bytes"] for name in ("used", "pool", "maximum"))

    return use


def near(value):
    return None if value is None else pytest.approx(value, rel=1e-4)


CUDA = CudaMemoryResource()
TRACKED = TrackingResourceAdaptor(PoolMemoryResource(CUDA))


@pytest.mark.parametrize(
    ("resource", "used", "pool", "maximum"),
    [
        pytest.param(CUDA, None, None, None, id="no pool"),
        pytest.param(CudaAsyncMemoryResource(), None, None, None, id="async, untracked"),
        pytest.param(PoolMemoryResource(CUDA), None, POOL, None, id="pool, untracked"),
        pytest.param(TRACKED, USED, POOL, None, id="pool, tracked"),
        pytest.param(StatisticsResourceAdaptor(PoolMemoryResource(CUDA)), USED, POOL, None, id="pool, statistics"),
        pytest.param(LimitingResourceAdaptor(CudaAsyncMemoryResource()), USED, None, LIMIT, id="async, limited"),
        pytest.param(LoggingResourceAdaptor(TRACKED), USED, POOL, None, id="logged"),
        pytest.param(PoolMemoryResource(TrackingResourceAdaptor(CUDA)), None, POOL, None, id="the pool is counted"),
        pytest.param(StatisticsResourceAdaptor(TRACKED, current=1), USED, POOL, None, id="a late counter on top"),
    ],
)
def test_each_state_is_reported(use, resource, used, pool, maximum):
    assert use(resource) == (near(used), near(pool), near(maximum))


def test_a_chain_without_end_ends(use):
    resource = LoggingResourceAdaptor(None)
    resource.upstream_mr = resource
    assert use(resource) == (None, None, None)


def test_pool_maximum_is_that_of_dask_cuda(use):
    worker = Worker({"RMMSetup-1": RMMSetup(LIMIT), "other": object()})
    assert use(PoolMemoryResource(CUDA), worker) == (None, near(POOL), near(LIMIT))
    assert use(PoolMemoryResource(CUDA), Worker({"RMMSetup-1": RMMSetup()})) == (None, near(POOL), None)


@pytest.mark.full
def test_rmm_is_not_imported_for_this():
    assert "rmm" not in sys.modules
    assert rmm_figures(Worker()) == {}
    assert "rmm" not in sys.modules

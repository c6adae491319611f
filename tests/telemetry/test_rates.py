"""Rates from counters, and short figures for clusters with many workers."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from distributed.scheduler import heartbeat_interval
from gpucluster.telemetry.columns import coarse, rounded, size
from gpucluster.telemetry.device import Rates
from gpucluster.telemetry.report import is_one_of_many


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

"""Rates from counters, and figures short enough to travel from many workers."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from distributed.scheduler import heartbeat_interval
from gpucluster.telemetry.columns import coarse, rounded, size
from gpucluster.telemetry.device import Rates
from gpucluster.telemetry.report import is_one_of_many


def test_a_rate_needs_two_readings():
    rates = Rates()
    assert rates.per_second("pcie", 1_000, 10.0) is None
    assert rates.per_second("pcie", 5_000, 12.0) == 2_000
    assert rates.per_second("nvlink", 5_000, 12.0) is None, "each counter for itself"


def test_unreadable_counter_restarts():
    rates = Rates()
    rates.per_second("pcie", 1_000, 10.0)
    assert rates.per_second("pcie", None, 11.0) is None
    assert rates.per_second("pcie", 2_000, 12.0) is None
    assert rates.per_second("pcie", 2_300, 13.0) == 300


def test_decreased_counter_restarts():
    rates = Rates()
    rates.per_second("pcie", 1_000, 10.0)
    assert rates.per_second("pcie", 500, 11.0) is None
    assert rates.per_second("pcie", 700, 12.0) == 200


def test_two_readings_at_once_are_no_rate():
    rates = Rates()
    rates.per_second("pcie", 1_000, 10.0)
    assert rates.per_second("pcie", 2_000, 10.0) is None


@pytest.mark.parametrize(
    ("value", "short"), [(0, 0), (99_999, 99_999), (123_456, 123_460), (16_106_127_360, 16_106_000_000), (1.6, 2)]
)
def test_a_size_has_five_digits(value, short):
    assert size(value) == short
    assert isinstance(size(value), int)


@pytest.mark.full
def test_nothing_stays_nothing():
    assert size(None) is None
    assert rounded(1234, 3) == 1230


@pytest.mark.parametrize(("n_workers", "many"), [(1, False), (100, False), (200, False), (400, True), (1000, True)])
def test_heartbeat_interval_shows_cluster_size(n_workers, many):
    heartbeat = SimpleNamespace(callback_time=1000 * heartbeat_interval(n_workers))
    assert is_one_of_many(SimpleNamespace(periodic_callbacks={"heartbeat": heartbeat})) is many


def test_invisible_digits_are_not_sent():
    figures = {
        "device": "GPU-01234567-89ab-cdef-0123-456789abcdef",
        "device_error": "This GPU is lost.",
        "memory_bytes": 123_456_789,
        "tier_host_bytes": 123_456_789,
        "sent_bytes": 123_456_789,
        "gpu_temperature_celsius": 73,
        "vram_used_bytes": None,
    }
    assert coarse(figures) == {
        "device": "GPU-0123456",
        "device_error": "This GPU is lost.",
        "memory_bytes": 123_000_000,
        "tier_host_bytes": 120_000_000,
        "sent_bytes": 120_000_000,
        "gpu_temperature_celsius": 73,
        "vram_used_bytes": None,
    }


def test_a_counter_never_runs_ahead():
    assert coarse({"received_bytes": 9_999_999}) == {"received_bytes": 0}

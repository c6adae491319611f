"""Workers of a large cluster tell their figures with fewer digits."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from distributed.scheduler import heartbeat_interval
from gpucluster.telemetry.columns import coarse
from gpucluster.telemetry.report import is_one_of_many


@pytest.mark.parametrize(("n_workers", "many"), [(1, False), (100, False), (200, False), (400, True), (1000, True)])
def test_the_heartbeat_tells_how_many_there_are(n_workers, many):
    heartbeat = SimpleNamespace(callback_time=1000 * heartbeat_interval(n_workers))
    assert is_one_of_many(SimpleNamespace(periodic_callbacks={"heartbeat": heartbeat})) is many


def test_digits_that_nobody_can_see_do_not_travel():
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

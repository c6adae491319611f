"""Rates from counters, and figures short enough to travel."""

from __future__ import annotations

import pytest
from gpucluster.telemetry.columns import rounded, size
from gpucluster.telemetry.device import Rates


def test_a_rate_needs_two_readings():
    rates = Rates()
    assert rates.per_second("pcie", 1_000, 10.0) is None
    assert rates.per_second("pcie", 5_000, 12.0) == 2_000
    assert rates.per_second("nvlink", 5_000, 12.0) is None, "each counter for itself"


def test_a_counter_that_cannot_be_read_begins_anew():
    rates = Rates()
    rates.per_second("pcie", 1_000, 10.0)
    assert rates.per_second("pcie", None, 11.0) is None
    assert rates.per_second("pcie", 2_000, 12.0) is None
    assert rates.per_second("pcie", 2_300, 13.0) == 300


def test_a_counter_that_went_back_begins_anew():
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

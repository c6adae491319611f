"""Durations as people and Dask write them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from dask.utils import parse_timedelta
from gpucluster.protocol.durations import parse_seconds
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    "text", ["10s", "500ms", "1 hour", "2 hours", "3 minutes", "1.5 days", "90", "5m", "us", "2 weeks", " 7 s "]
)
def test_it_reads_what_dask_reads(text):
    assert parse_seconds(text) == pytest.approx(parse_timedelta(text))


@pytest.mark.parametrize(("value", "seconds"), [(0, 0), (2.5, 2.5), (timedelta(minutes=2), 120), ("0", 0)])
def test_numbers_are_seconds(value, seconds):
    assert parse_seconds(value) == seconds


@pytest.mark.parametrize("value", ["", "soon", "-1s", "10 parsecs", "1e5", "s s", True, -1, float("nan"), float("inf")])
def test_anything_else_is_refused_with_what_is_allowed(value):
    with pytest.raises(ValueError, match="write seconds, or a duration such as '10s'"):
        parse_seconds(value)


@given(st.none() | st.text() | st.integers() | st.floats() | st.lists(st.integers()))
def test_nothing_else_happens(value):
    try:
        assert parse_seconds(value) >= 0
    except ValueError as error:
        assert "duration" in str(error)

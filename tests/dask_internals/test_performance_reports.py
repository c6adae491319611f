"""Canary: how Dask writes times."""

from __future__ import annotations

from gpucluster.dask_internals.performance_reports import written_time


def test_times_have_the_units_that_a_report_shows(canary) -> None:
    with canary("dask.utils.format_time(seconds)"):
        written = [written_time(seconds) for seconds in (0.0000123, 0.0123, 1.23, 200.0, 4000.0)]
        assert written == ["12.30 us", "12.30 ms", "1.23 s", "200.00 s", "66m 40s"]

"""Calls are counted wherever they happen."""

from __future__ import annotations

from typing import Any

import dask
from dask import delayed
from gpucluster.lessons.course.lesson_02_lazy_on_purpose.probes import counted
from gpucluster.lessons.probes.timing import Busy


def double(number: int) -> int:
    return 2 * number


def test_calls_in_this_process_and_on_workers_add_up(client: Any) -> None:
    load = counted(double)
    assert load(3) == 6
    assert load.__name__ == "double"
    futures = client.map(load, range(5))
    assert client.gather(futures) == [0, 2, 4, 6, 8]
    assert load.calls(client) == 6


def test_each_counts_for_itself() -> None:
    first, second = counted(double), counted(double)
    first(1)
    with dask.config.set(scheduler="synchronous"):
        assert dask.compute(delayed(second)(2), delayed(second)(2)) == (4, 4)
    assert second.calls() >= 2
    assert first.calls() == 1


def test_busy_counts_cores(client: Any) -> None:
    def work(_: int) -> int:
        return sum(range(3_000_000))

    with Busy(client) as busy:
        client.gather(client.map(work, range(4), pure=False))
    # On a machine that others use as well, a core may be busy for us only part of the time; never more than two.
    assert 0 < busy.workers <= 2.5
    assert busy.notebook < busy.workers
    assert "cores busy" in repr(busy)

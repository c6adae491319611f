"""The load of programs outside the cluster: the machine's load minus the cluster's own."""

from __future__ import annotations

from types import SimpleNamespace

import psutil
import pytest
from gpucluster.supervisor.figures import sampler


def test_other_load_excludes_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SimpleNamespace(now=0.0, busy=0.0)
    monkeypatch.setattr(psutil, "cpu_count", lambda: 2)
    times = SimpleNamespace(monotonic=lambda: clock.now, process_time=lambda: 0.1 * clock.now)
    monkeypatch.setattr(sampler, "time", times)
    monkeypatch.setattr(psutil, "cpu_times", lambda: SimpleNamespace(user=clock.busy, idle=5.0))
    load = sampler.OtherLoad(2)
    assert load.read({"cpu_percent": (10.0, 20.0)}) == {}
    for _ in range(3):
        clock.now += sampler.MEAN_SECONDS
        clock.busy += 2 * sampler.MEAN_SECONDS
        figures = load.read({"cpu_percent": (10.0, 10.0, None)})
    assert figures == {"host_others_cores": 1.7}
    clock.now += sampler.MEAN_SECONDS
    assert load.read({"cpu_percent": (190.0,)}) == {"host_others_cores": 0.0}, "never less than none"
    clock.now += 3600
    clock.busy += 2 * 3600
    assert load.read({"cpu_percent": (10.0,)}) == {}, "a gap of an hour says nothing about the last seconds"
    clock.now += sampler.MEAN_SECONDS
    assert load.read({"cpu_percent": (10.0,)}) == {"host_others_cores": 0.0}
    other = sampler.OtherLoad(1)
    clock.now += sampler.MEAN_SECONDS
    assert other.read({}) == {}, "unknown for a part of the machine"

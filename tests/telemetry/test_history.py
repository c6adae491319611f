"""Ten minutes of figures: complete for few workers, coarser for many, and bounded in memory."""

from __future__ import annotations

import pytest
from gpucluster.protocol.telemetry import TelemetryHistory
from gpucluster.supervisor.figures.sampler import MOST_WORKER_POINTS, History, Series, points_per_worker


@pytest.fixture
def history():
    return History("0000000a")


def columns(n_workers, value=1.0, **more):
    names = [f"w{number}" for number in range(n_workers)]
    return {"workers": names, "cpu_percent": [value] * n_workers, "memory_bytes": [1000] * n_workers, **more}


def decoded(history):
    return TelemetryHistory.model_validate_json(history.encoded())


def test_nothing_has_happened_yet(history):
    model = decoded(history)
    assert (model.id, model.seconds, model.workers) == ("0000000a", [], {})


def test_totals_and_workers(history):
    history.add({**columns(2), "cpu_percent": [10, 30], "processing": [1, 2]}, 100.0)
    history.add({**columns(2), "cpu_percent": [None, 50], "processing": [0, 0]}, 101.0)
    model = decoded(history)
    assert model.seconds == model.worker_seconds == [-1.0, 0.0]
    assert model.cpu_percent == [20, 50], "the mean of the reported figures"
    assert model.memory_bytes == [2000, 2000]
    assert model.processing == [3, 0]
    assert model.vram_used_bytes == [None, None]
    assert model.workers["w0"].cpu_percent == [10, None]
    assert model.workers["w1"].cpu_percent == [30, 50]
    assert model.workers["w0"].vram_used_bytes is None, "it has no GPU"


def test_workers_on_one_device_count_it_once(history):
    devices = {"device": ["GPU-1", "GPU-1", "GPU-2", None], "vram_used_bytes": [5, 5, 7, 1]}
    history.add({**columns(4), **devices}, 100.0)
    assert decoded(history).vram_used_bytes == [13]
    history.add({**columns(3), **devices, "gpu_utilization_percent": [90, 90, 0]}, 101.0)
    assert decoded(history).gpu_utilization_percent == [None, 45]
    assert decoded(history).n_workers == [4, 3]


def test_ten_minutes_and_no_more(history):
    for second in range(1000):
        history.add(columns(2, value=second), float(second))
    model = decoded(history)
    assert len(model.seconds) == len(model.cpu_percent) == 600
    assert model.seconds[0] == model.worker_seconds[0] == -599
    assert model.workers["w1"].cpu_percent[-1] == model.cpu_percent[-1] == 999


@pytest.mark.parametrize(("n_workers", "points"), [(0, 600), (1, 600), (33, 600), (100, 200), (1000, 20), (9000, 20)])
def test_many_workers_have_fewer_points_each(n_workers, points):
    assert points_per_worker(n_workers) == points


def test_a_thousand_workers_fit(history):
    for moment in range(0, 1200, 6):
        history.add(columns(1000), float(moment))
    model = decoded(history)
    assert len(model.seconds) == 100, "one every six seconds"
    assert 18 <= len(model.worker_seconds) <= 20
    assert sum(len(worker.cpu_percent) for worker in model.workers.values()) <= MOST_WORKER_POINTS
    assert model.worker_seconds[0] <= -500, "less than ten minutes"


def test_rows_become_coarse_with_many_workers(history):
    for second in range(300):
        history.add(columns(2, value=second), float(second))
    history.add(columns(400, value=7.0), 330.0)
    model = decoded(history)
    assert len(model.worker_seconds) <= points_per_worker(400)
    assert model.worker_seconds == sorted(model.worker_seconds)
    assert model.worker_seconds[-1] == 0.0
    assert model.workers["w0"].cpu_percent[-1] == model.workers["w399"].cpu_percent[-1] == 7.0
    assert set(model.workers["w399"].cpu_percent[:-1]) == {None}


def test_worker_is_forgotten_after_ten_minutes(history):
    history.add(columns(2), 0.0)
    history.add(columns(1), 500.0)
    assert decoded(history).workers["w1"].cpu_percent == [1.0, None]
    history.add(columns(1), 601.0)
    assert set(decoded(history).workers) == {"w0"}


def test_thinning_keeps_the_newest():
    series = Series(["x"])
    for number in range(10):
        series.append(float(number), {"x": float(number)})
    series.forget(before=0.0, most=3)
    assert list(series.times) == list(series.values["x"]) == [1.0, 5.0, 9.0]

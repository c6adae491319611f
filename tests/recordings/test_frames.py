"""Figures as data frames: gaps are NaN, times are UTC, and totals equal the panel's."""

from __future__ import annotations

import math
import subprocess
import sys

import pandas as pd
import pytest
from gpucluster import frame
from gpucluster.protocol.errors import InvalidRequest, RecordingNotFound
from gpucluster.protocol.recordings import RecordedSession, Recording
from gpucluster.protocol.telemetry import PrefixProgress, TelemetryHistory, TelemetrySample
from gpucluster.recordings.frames import history_frame, session_frame
from gpucluster.recordings.places import find_recording
from gpucluster.recordings.reading import read_recording
from gpucluster.supervisor.figures.sampler import History

HEADER = Recording(title="t", recorded_at="2026-11-21T10:00:00Z", backend="cuda", n_workers=2, simulated=True)
SAMPLES = [
    TelemetrySample(
        id="a", at="2026-11-21T10:00:00Z", workers=["0"], memory_bytes=10, cpu_percent=50.0, tasks={"memory": 3},
        progress=[PrefixProgress(prefix="inc", in_memory=3, waiting=1)],
    ),
    TelemetrySample(
        id="a", at="2026-11-21T10:00:01.5Z", workers=["0", "1"], memory_bytes=[10, None], cpu_percent=[50.0, 100.0],
        device="GPU-1", host=["node1", "node2"], vram_used_bytes=7, tasks={"no-worker": 2},
    ),
]  # fmt: skip
SESSION = RecordedSession(recording=HEADER, label=HEADER.label, samples=SAMPLES)


def test_all_workers_together():
    found = session_frame(SESSION)
    assert str(found.index.tz) == "UTC"
    assert [str(moment.time()) for moment in found.index] == ["10:00:00", "10:00:01.500000"]
    assert list(found["n_workers"]) == [1, 2]
    assert list(found["cpu_percent"]) == [50, 75]
    assert list(found["memory_bytes"]) == [10, 10]
    assert math.isnan(found["vram_used_bytes"].iloc[0]) and found["vram_used_bytes"].iloc[1] == 7, "one device"
    assert [list(found[name]) for name in ("tasks_memory", "tasks_no_worker")] == [[3, 0], [0, 2]]


def test_each_worker():
    found = session_frame(SESSION, by="worker")
    assert found.index.names == ["time", "worker"]
    late = found.xs("2026-11-21T10:00:01.5Z", level="time")
    assert list(late["cpu_percent"]) == [50, 100]
    assert math.isnan(late["memory_bytes"]["1"])
    assert list(late["device"]) == ["GPU-1", "GPU-1"]
    assert list(late["host"]) == ["node1", "node2"]
    assert "rmm_used_bytes" not in found, "not measured"


def test_kinds_of_tasks():
    found = session_frame(SESSION, by="task")
    assert found.index.names == ["time", "prefix"]
    assert dict(found.iloc[0]) == {"waiting": 1, "processing": 0, "in_memory": 3, "released": 0, "erred": 0}


def test_a_history_has_the_totals_of_the_panel():
    history = History("0000000a")
    history.add({"workers": ["0", "1"], "cpu_percent": [10, 30], "memory_bytes": [5, 5]}, 100.0)
    history.add({"workers": ["1"], "cpu_percent": [None], "memory_bytes": [7]}, 102.0)
    told = told_of(history)
    together = history_frame(told)
    assert list(together["cpu_percent"].iloc[:1]) == [20]
    assert list(together["memory_bytes"]) == [10, 7]
    assert together.index[1] - together.index[0] == pd.Timedelta(seconds=2)
    assert together.index[1] == pd.Timestamp(told.at)
    single = history_frame(told, by="worker")
    assert list(single.index.get_level_values("worker")) == ["0", "1", "1"], "gone workers have no rows"
    assert list(single["memory_bytes"]) == [5, 5, 7]
    assert "vram_used_bytes" not in single
    assert history_frame(told_of(History("0000000a"))).empty


def told_of(history: History) -> TelemetryHistory:
    return TelemetryHistory.model_validate_json(history.encoded())


def test_a_bundled_recording():
    samples = read_recording(find_recording("etl-with-spill-cpu")).samples
    assert len(frame("etl-with-spill-cpu")) == len(samples)
    spilled = frame("etl-with-spill-cpu", by="worker")["tier_disk_bytes"]
    assert spilled.max() > 0


def test_mistakes_are_refused():
    with pytest.raises(RecordingNotFound, match="There is no recording"):
        frame("nothing")
    with pytest.raises(InvalidRequest, match="by: must be 'cluster', 'worker' or 'task', not 'host'"):
        frame("kmeans-cpu", by="host")  # type: ignore[arg-type]


def test_pandas_is_imported_when_it_is_used():
    code = "import sys, gpucluster.client.api, gpucluster.recordings.frames; assert 'pandas' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)

"""The failures that the pieces of the proof detect: each could look like a success."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from gpucluster.recordings.places import find_recording
from gpucluster.recordings.reading import read_recording

from benchmarks.gpu import clusters, lessons, recordings, speed
from benchmarks.gpu.gauges import Step, table

ROOT = Path(__file__).parents[2]
CLEAN = {"nothing_left": True, "context_in_worker": True} | dict.fromkeys(
    ("context_in_supervisor", "context_in_forkserver"), False
)


@pytest.mark.parametrize(
    ("changes", "troubles"),
    [
        ({}, []),
        ({"nothing_left": False}, ["left GPU memory behind"]),
        ({"context_in_worker": False}, ["no context was seen in the worker, so that none in its parents proves "
                                        "nothing"]),
        ({"context_in_supervisor": True}, ["the supervisor has a context"]),
        ({"context_in_forkserver": True}, ["the forkserver has a context"]),
    ],
)  # fmt: skip
def test_a_start(changes: dict[str, bool], troubles: list[str]) -> None:
    assert clusters.troubles(CLEAN | changes) == troubles


@pytest.mark.parametrize(
    ("lesson", "troubles"),
    [
        ({"checks": {"06.1": "passed"}, "backends": ["cuda", "local"]}, []),
        ({"checks": {"06.1": "passed"}, "backends": ["local"]}, ["06 had no cluster of GPU workers"]),
        ({"checks": {"06.1": "passed"}, "backends": []}, ["06 had no cluster of GPU workers"]),
        ({"checks": {"06.1": "not made"}, "backends": ["cuda"]}, ["06: check 06.1 is not made"]),
        ({"failed": "KilledWorker: lloyd"}, ["06 failed: KilledWorker: lloyd"]),
    ],
)
def test_a_lesson_on_gpus(lesson: dict[str, Any], troubles: list[str]) -> None:
    assert lessons.troubles({"06": lesson}, needs_gpu=True) == troubles
    assert lessons.troubles({"06": {"checks": {}, "backends": ["local"]}}, needs_gpu=False) == []


@pytest.mark.full
def test_cpu_lesson_is_no_gpu_proof(tmp_path: Path) -> None:
    figures = tmp_path / "figures.json"
    command = [sys.executable, "-m", "benchmarks.gpu.lessons", "run", "00", "--figures", str(figures)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(figures.read_text())
    assert found["00"]["backends"] == ["local"]
    assert lessons.troubles(found, needs_gpu=True) == ["00 had no cluster of GPU workers"]
    asked = subprocess.run([*command, "--needs-gpu"], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert asked.returncode == 1
    assert asked.stdout.count("\n") == 1, "more than the refusal was printed"


def run_of(backend: str, *lines: str, check: str = "passed") -> dict[str, Any]:
    figures = {"seconds": 1.0, "peak_bytes": 1, "printed": list(lines)}
    return {"06": {"checks": {"06.1": check}, "backends": [backend], **figures}}


@pytest.mark.parametrize(
    ("second", "differences"),
    [
        (run_of("cuda", "inertia 2655.6"), []),
        (run_of("cuda", "inertia 2700"), ["06: inertia #: [2655.5] and [2700.0]"]),
        (run_of("cuda", "inertia 2655.5", check="failed"), ["06: check 06.1 is passed and failed"]),
        (run_of("cuda", "distance 1"), ["06: the runs have no line in common"]),
        (run_of("local", "inertia 2655.5"), ["06: both runs had the same workers"]),
        ({"07": {}}, ["The two runs have no lesson in common."]),
    ],
)
def test_two_runs_of_lessons(second: dict[str, Any], differences: list[str]) -> None:
    table = lessons.compare(run_of("local", "inertia 2655.5"), second)
    assert lessons.differences(table) == differences


def test_work_that_was_not_compared() -> None:
    gpu = {"backend": "cuda", "arrays": "cupy", "frames": "cudf"}
    times = dict.fromkeys(speed.WORKLOADS, 2.0)
    found: dict[str, Any] = {"gpu": {"cluster": gpu, "left_out": []}, "cpu": {"left_out": []}}
    found["cpu_seconds_by_gpu_seconds"] = times
    assert speed.not_compared(found) == []
    left_out = [{"workload": "merge", "why": "MemoryError: no room"}]
    found["gpu"] = {"cluster": {**gpu, "frames": "pandas"}, "left_out": left_out}
    found["cpu_seconds_by_gpu_seconds"] = {name: 2.0 for name in times if name != "merge"}
    assert speed.not_compared(found) == [
        "merge, gpu: MemoryError: no room",
        "The GPU cluster had cuda workers, cupy and pandas.",
        "merge was not compared on data of the same size",
    ]


def test_cpu_recording_is_no_gpu_proof() -> None:
    session = read_recording(find_recording("kmeans-cpu"))
    assert recordings.troubles(session) == ["does not say that a real GPU was there", "has no figures of GPU memory"]


def test_unreadable_driver_is_reported() -> None:
    name = "vram_cluster_bytes"
    step = Step("worker, cudaMalloc", {name: 2**29}, {name: None}, {name: None}, 2**29, None, [], [name])
    row = "| worker, cudaMalloc | vram cluster | +512 MiB | none | +512 MiB |  | the driver does not tell |"
    assert row in table([step])


@pytest.mark.full
@pytest.mark.parametrize(
    ("tests", "code", "counts"),
    [
        ("def test_a(): pass", 0, {"passed": 1, "failed": 0, "error": 0, "skipped": 0}),
        ("import pytest\ndef test_a(): pass\ndef test_b(): pytest.importorskip('no_such_module')",
         1, {"passed": 1, "failed": 0, "error": 0, "skipped": 1}),
        ("import pytest\npytest.skip('all', allow_module_level=True)", 1, {"passed": 0, "skipped": 1}),
    ],
)  # fmt: skip
def test_skipped_test_proves_nothing(tmp_path: Path, tests: str, code: int, counts: dict[str, int]) -> None:
    conftest = (ROOT / "tests" / "gpu" / "conftest.py").read_text(encoding="utf-8")
    (tmp_path / "conftest.py").write_text(f"{conftest}\n\ndef _why_not() -> str:\n    return ''\n")
    (tmp_path / "test_some.py").write_text(tests)
    figures = tmp_path / "figures.json"
    command = [sys.executable, "-m", "pytest", "-q", str(tmp_path), "-p", "no:cacheprovider", "--figures", str(figures)]
    environment = {name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"}
    environment["GPUCLUSTER_PIECE"] = "a"
    command += ["--rootdir", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    assert json.loads(figures.read_text()).items() >= counts.items()

"""GPU figures of a real ``LocalCUDACluster`` on simulated GPUs."""

import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "fakes"))

from nvml.fixtures import fake_libraries, machine  # noqa: F401
from nvml.machine import FakeMachine, gpu

pytest.importorskip("dask_cuda", reason="runs in the second environment, which has dask-cuda")
pytestmark = pytest.mark.timeout(240)
GIBIBYTE = 2**30

PROGRAM = f"""
import sys, time, pathlib
sys.path[:0] = {[str(Path(__file__).parents[1] / "fakes")]!r}
from nvml.machine import gpu
import os
import gpucluster
from gpucluster.profiling.assembly import TelemetryReadings
TelemetryReadings.others_cores = None  # As in the fixture quiet_machine.
file = pathlib.Path(os.environ["FAKE_NVML"])

def write(used, util, **more):
    lines = [gpu(number, total=16384, used=used, util=util, **more) for number in (1, 2)]
    new = file.with_suffix(".new")
    new.write_text("\\n".join(lines) + "\\n")
    new.replace(file)

with gpucluster.create("cuda", n_workers=2, memory_limit="1 GiB") as cluster, cluster.get_client() as client:
    # First imports, which take seconds on a busy machine, on both workers and here.
    workers = client.scheduler_info()["workers"]
    with gpucluster.profile(cluster):
        client.gather([client.submit(time.sleep, 0, workers=[worker], pure=False) for worker in workers])
        client.gather(client.map(time.sleep, [0.0] * 2, pure=False))
    with gpucluster.profile(cluster) as report:
        futures = client.map(time.sleep, [5.0] * 2, pure=False)
        write(12288, 20)
        time.sleep(3.0)
        write(400, 20)
        client.gather(futures)
    print(report.to_json(indent=None))
    print(report.text(), file=sys.stderr)
    for power in (100, 350):
        write(400, 95, power=power, limit=400)
        time.sleep(2.0)
        with gpucluster.profile(cluster) as report:
            client.gather(client.map(time.sleep, [3.0] * 2, pure=False))
        print(report.to_json(indent=None))
        print(report.text(), file=sys.stderr)
"""


@pytest.fixture
def registry() -> Iterator[str]:
    directory = tempfile.mkdtemp(prefix="gpc", dir="/tmp")
    yield directory
    shutil.rmtree(directory, ignore_errors=True)


@pytest.mark.full
def test_figures_and_rules_of_gpus(machine: FakeMachine, registry: str) -> None:  # noqa: F811
    machine.write([gpu(1), gpu(2)])
    told = machine.run(PROGRAM, GPUCLUSTER_DIR=registry).splitlines()[-3:]
    report, low, full = map(json.loads, told)
    assert report["n_tasks"] == 2 and len(report["workers"]) == 2
    for worker in report["workers"]:
        assert worker["vram_total_bytes"] == 16 * GIBIBYTE
        assert worker["peak_vram_bytes"] == 12 * GIBIBYTE
        assert 0 < worker["mean_gpu_utilization_percent"] <= 20
        assert worker["peak_rmm_bytes"] is None and worker["peak_rmm_pool_bytes"] is None
        assert worker["spilled_bytes"] == 0
    assert {finding["rule"] for finding in report["findings"]} == {"gpu_waits"}, report["findings"]
    lines = {line["name"] for line in report["timeline_data"]["lines"]}
    assert lines == {"host memory", "VRAM", "CPU", "GPU"}
    assert any("sampled once a second" in note for note in report["notes"])
    assert [finding["rule"] for finding in low["findings"]] == ["small_kernels"], "busy at a quarter of the power"
    assert "low power: GPU 0 95 % of the time with 25 % of its" in low["findings"][0]["evidence"]
    assert [finding["rule"] for finding in full["findings"]] == ["fine"], "busy at nearly all of it"

"""Real ``LocalCUDACluster``s on machines whose GPUs exist in a text file only."""

import json
import sys
from pathlib import Path

import psutil
import pytest
from gpucluster.protocol.version import GIVEN_VARIABLES
from nvml.machine import gpu, gpu_uuid, mig_slice, slice_uuid

pytest.importorskip("dask_cuda", reason="runs in the second environment, which has dask-cuda")
GIB = 2**30


@pytest.fixture
def four_gpus(machine):
    # The first is busy, and UUIDs sort against the order of the devices: dask-cuda would take the wrong ones.
    machine.write([
        gpu(4, total=81920, used=20480), "process 1 used=20000",
        gpu(3, total=81920, util=7), gpu(2, total=40960), gpu(1, total=81920),
    ])  # fmt: skip


def test_two_workers_on_the_idle_ones_of_four(four_gpus, play, tmp_path):
    log = tmp_path / "cuda.log"
    given = json.dumps({"GIVEN": "to workers"})
    workers = play("workers_and_devices", n_workers=2, environment={"FAKE_CUDA_LOG": str(log), GIVEN_VARIABLES: given})
    assert sorted(worker["name"] for worker in workers) == [gpu_uuid(2), gpu_uuid(3)]
    for worker in workers:
        assert worker["device"] == worker["visible"][0] == worker["name"]
        assert set(worker["visible"]) == {gpu_uuid(number) for number in (1, 2, 3, 4)}
        assert worker["address"].startswith("gpucluster+unix://127.0.0.1/")
        # 80% of the smallest device of the cluster, for all workers.
        assert worker["device_memory_limit"] == 40 * GIB * 8 // 10
        # Host memory is shared by as many workers as there can be.
        assert worker["memory_limit"] <= psutil.virtual_memory().total // 4
        assert worker["answer"] == 6
        assert worker["given"] == "to workers"
    large = next(worker for worker in workers if worker["name"] == gpu_uuid(3))
    assert (large["vram_total"], large["vram_used"], large["gpu_utilization"]) == (80 * GIB, 300 * 2**20, 7)
    # A CUDA context in the process that workers are forked from, or in the scheduler's, would break them.
    contexts = [line.split() for line in log.read_text().splitlines() if line.startswith("context")]
    assert {int(pid) for _, pid, _ in contexts} == {worker["pid"] for worker in workers}
    assert {visible.split(",")[0] for _, _, visible in contexts} == {gpu_uuid(2), gpu_uuid(3)}


def test_scale_up_from_none_and_down(four_gpus, play):
    none, three, one, again = play("scale_up_and_down", n_workers=0, resources={"GPU": 1}, preload=["json"])
    assert none == []
    assert again == [gpu_uuid(2), gpu_uuid(3)]
    assert three == [gpu_uuid(1), gpu_uuid(2), gpu_uuid(3)]
    assert len(one) == 1


def test_more_workers_than_devices_are_refused_without_a_change(four_gpus, play):
    result = play("more_workers_than_devices", n_workers=1)
    assert [code for code, _ in result["refusals"]] == ["invalid_request"] * 3
    assert result["refusals"][0][1] == "5 workers are not possible: this cluster has 4 GPUs, one worker each."
    assert result["plan_unchanged"] is True
    assert result["then"] == 3


def test_adapting_without_a_maximum_ends_at_the_number_of_devices(four_gpus, play):
    assert play("adapt", n_workers=1) == {"maximum": 4, "minimum": 2}


def test_mig_slices(machine, play):
    machine.write([gpu(1, total=81920), mig_slice(1, total=20480), mig_slice(2, total=10240)])
    workers = play("workers_and_devices")
    assert sorted(worker["name"] for worker in workers) == [slice_uuid(1), slice_uuid(2)]
    # Of the smallest slice; dask-cuda would take 80% of the whole GPU.
    assert {worker["device_memory_limit"] for worker in workers} == {10 * GIB * 8 // 10}
    assert {worker["vram_total"] for worker in workers} == {20 * GIB, 10 * GIB}
    assert {worker["gpu_utilization"] for worker in workers} == {None}


def test_worker_starts_without_a_cpu_affinity_of_its_gpu(machine, play):
    machine.write([gpu(1), "fail nvmlDeviceGetCpuAffinity 3"])
    [worker] = play("workers_and_devices", devices=[0], device_memory_limit="2 GiB", memory_limit="1 GiB")
    assert (worker["name"], worker["device_memory_limit"], worker["memory_limit"]) == (gpu_uuid(1), 2 * GIB, GIB)


def test_connections_without_credentials_are_refused(four_gpus, play):
    result = play("strangers", n_workers=1, protocol="tls")
    assert result["address"].startswith("tls://127.0.0.1:")
    assert all(result["refused"])
    assert result["dashboard"] == ["127.0.0.1", 404, 404, 200]


def test_a_module_that_fails_on_import_is_named(four_gpus, play, tmp_path):
    (tmp_path / "without_licence.py").write_text("raise RuntimeError('the licence has expired')\n")
    assert play("failing_start", n_workers=2, pre_import=["without_licence"], packages=tmp_path) == {
        "code": "start_failed",
        "message": "2 of 2 workers could not start: RuntimeError: the licence has expired.",
        "left": [],
    }


@pytest.mark.parametrize("options", [{"rmm_pool_size": "1 GiB"}, {"rmm_async": True}, {"rmm_managed_memory": True}])
def test_an_allocator_that_cannot_be_set_up(four_gpus, play, options):
    # The real rmm, in a separate folder: if it could be imported, each worker on a simulated GPU would fail on it.
    rmm = Path(sys.prefix) / "rmm"
    assert (rmm / "rmm" / "__init__.py").exists(), "installed by `make cuda-tests`"
    result = play("failing_start", n_workers=1, packages=rmm, **options)
    assert (result["code"], result["left"]) == ("start_failed", [])
    assert f"The allocator requested by {next(iter(options))}" in result["message"]


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("fail nvmlDeviceGetHandleByUUID 6", "Invalid device index or UUID"),
        ("fail nvmlInitWithFlags 9", "Driver Not Loaded"),
    ],
)
def test_a_gpu_that_vanishes_after_the_checks(four_gpus, play, fault, words):
    result = play("failing_start", n_workers=1, environment={"FAKE_BETWEEN": fault})
    assert (result["code"], result["left"]) == ("start_failed", [])
    assert result["message"].startswith("A GPU became unusable") and words in result["message"]


def test_a_cancelled_start_leaves_nothing(four_gpus, play):
    assert play("cancelled_start", n_workers=2) == {"cancelled": True, "left": []}


def test_an_unencrypted_cluster_stays_on_this_machine(four_gpus, play):
    [worker] = play("workers_and_devices", n_workers=1, protocol="tcp")
    assert worker["address"].startswith("tcp://127.0.0.1:")

"""Figures of the GPUs of a real ``LocalCUDACluster``, even when GPUs change while it runs."""

import os

import pytest
from nvml.machine import gpu, gpu_uuid, mig_slice, slice_uuid

pytest.importorskip("dask_cuda", reason="runs in the second environment, which has dask-cuda")

MIB = 2**20
ONE = gpu(0, used=2000, util=73, power=150, limit=300, temperature=55)


@pytest.fixture
def measure(machine, play):
    """Return what runs a scenario on these lines of a machine, and after each change to them."""

    def measure(lines, *changes, scenario="figures", environment=None, **spec):
        machine.write(lines)
        texts = ["\n".join(change) + "\n" for change in changes]
        options = {"CHANGES": "---\n".join(texts)} | (environment or {})
        return play(scenario, module="telemetry_scenarios", environment=options, **spec)

    return measure


def size(mib):
    return pytest.approx(mib * MIB, rel=1e-4)


def test_figures_of_a_gpu(measure):
    (found,) = measure([ONE, gpu(1, used=500)], n_workers=2)
    assert found["workers"] == found["device"] == [gpu_uuid(0), gpu_uuid(1)]
    assert found["vram_total_bytes"] == [size(16384)] * 2
    assert found["vram_used_bytes"] == [size(2000), size(500)]
    assert found["gpu_utilization_percent"] == [73, 0]
    assert (found["gpu_power_watts"][0], found["gpu_power_limit_watts"][0]) == (150, 300)
    assert found["gpu_temperature_celsius"] == [55, 30]
    assert found["gpu_power_limit_watts"][1] is None, "not supported is not zero"
    assert found["pcie_sent_bytes_per_second"] == found["nvlink_sent_bytes_per_second"] == [None, None]
    assert found["device_error"] == [None, None]
    assert found["rmm_used_bytes"] == found["rmm_pool_bytes"] == [None, None]
    assert found["tier_device_bytes"] == [0, 0]
    assert found["tier_device_limit_bytes"] == [size(0.8 * 16384)] * 2


@pytest.mark.full
def test_memory_of_the_cluster_and_of_others(measure):
    other = f"process {os.getpid()} used=700"
    ours = ["process PID0 used=900", "process SELF used=100"]
    alone, unknown, shared, foreign = measure(
        [ONE], [ONE, "process PID0 used=-1", other], [ONE, *ours, other], [ONE, "process 4194303 used=900"], n_workers=1
    )
    assert alone["vram_cluster_bytes"] == [0]
    assert shared["vram_cluster_bytes"] == [size(1000)], "of the worker and of its supervisor, not of the other"
    assert unknown["vram_cluster_bytes"] == [None]
    assert foreign["vram_cluster_bytes"] == [None], "a process id of outside a container"
    assert foreign["vram_used_bytes"] == [size(2000)]


@pytest.mark.full
def test_a_gpu_is_lost_and_comes_back(measure):
    lost = [ONE, "fail * 15", gpu(1, used=500)]
    before, without, after = measure([ONE, gpu(1, used=500)], lost, [ONE, gpu(1, used=500)], n_workers=2)
    assert before["device_error"] == [None, None]
    assert "lost" in without["device_error"][0]
    assert without["device"] == [gpu_uuid(0), gpu_uuid(1)]
    assert without["vram_used_bytes"] == [None, size(500)], "the other one goes on"
    assert without["tier_device_limit_bytes"][0] is not None, "and so do the figures that need no GPU"
    assert after["device_error"] == [None, None]
    assert after["vram_used_bytes"] == [size(2000), size(500)]


@pytest.mark.parametrize(("code", "words"), [(9, "not loaded"), (18, "updated"), (4, "has no permission to use")])
@pytest.mark.full
def test_the_driver_fails_and_recovers(measure, code, words):
    _, without, after = measure([ONE], [f"fail * {code}", ONE], [ONE], n_workers=1)
    (sentence,) = without["device_error"]
    assert words in sentence
    assert sentence.endswith(".")
    assert without["vram_used_bytes"] == [None]
    assert after["device_error"] == [None]
    assert after["vram_used_bytes"] == [size(2000)]


def test_the_library_is_not_there(measure):
    _, without = measure([ONE], ["fail * 12", ONE], n_workers=1)
    assert "driver" in without["device_error"][0]
    assert without["device"] == [gpu_uuid(0)]


def test_a_mig_slice_is_the_device(measure):
    lines = [gpu(0, total=81920, power=200), mig_slice(3, used=300), mig_slice(4, used=20)]
    before, after = measure(lines, [*lines[:2], "process PID0 used=250", lines[2]], devices=[slice_uuid(3)])
    assert before["device"] == [slice_uuid(3)]
    assert (before["vram_total_bytes"], before["vram_used_bytes"]) == ([size(10240)], [size(300)])
    assert before["gpu_utilization_percent"] == before["gpu_power_watts"] == [None], (
        "of the whole GPU, not of the slice"
    )
    assert after["vram_cluster_bytes"] == [size(250)]


def test_traffic_is_a_rate(measure):
    counters = "pcie_sent=0 pcie_received=0 nvlink_sent=0 nvlink_received=0"
    first, found = measure([f"{ONE} {counters}"], scenario="rates", n_workers=1)
    assert first["pcie_sent_bytes_per_second"] in ([None], [0]), "one reading is no rate"
    pcie, link = found["pcie_sent_bytes_per_second"][0], found["nvlink_sent_bytes_per_second"][0]
    assert pcie > 0
    assert found["pcie_received_bytes_per_second"][0] == pytest.approx(2 * pcie, rel=0.02)
    assert link == pytest.approx(pcie * 1024 * 1024 / 1_000_000, rel=0.02), "NVML counts it in KiB"
    assert found["nvlink_received_bytes_per_second"][0] == pytest.approx(2 * link, rel=0.02)


@pytest.mark.full
def test_later_worker_reports_the_same_figures(measure):
    found = measure([ONE, gpu(1, used=500)], scenario="joins_later", devices=[gpu_uuid(0), gpu_uuid(1)], n_workers=1)
    assert found["device"] == [gpu_uuid(0), gpu_uuid(1)]
    assert found["vram_used_bytes"] == [size(2000), size(500)]


@pytest.mark.full
def test_data_spilled_to_disk_is_shown(measure):
    """Although Dask itself always reports 0: the results are in dask-cuda's own store."""
    before, after, cleared = measure([ONE], scenario="spills", n_workers=1, memory_limit="300 MiB")
    assert (before["tier_host_bytes"], before["tier_disk_bytes"]) == ([0], [0])
    assert after["tier_disk_bytes"][0] > 0
    assert after["tier_device_bytes"] == [0]
    assert cleared["tier_host_bytes"][0] < after["tier_host_bytes"][0] + after["tier_disk_bytes"][0]

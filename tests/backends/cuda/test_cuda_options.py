"""Packages of GPUs, the choice of the kind 'auto', and sizes in bytes of the right device."""

import json
import re
import sys
from typing import Any

import pytest
from gpucluster.backends.auto import AutoSpec, decide
from gpucluster.backends.cuda import spec
from gpucluster.backends.cuda.memory import DeviceMemory, explain, resolve_memory
from gpucluster.backends.cuda.spec import CudaSpec, check_packages, check_platform, importable
from gpucluster.backends.local import LocalSpec
from gpucluster.devices.selection import GPUProbe
from gpucluster.protocol.errors import MissingPackage, PreflightFailed
from gpucluster.protocol.models import DeviceModel, DeviceProcess
from nvml.machine import FakeMachine, gpu, gpu_uuid, slice_uuid


@pytest.fixture
def explosive(tmp_path, monkeypatch):
    """A package that must not be imported."""
    package = tmp_path / "explosive"
    package.mkdir()
    (package / "__init__.py").write_text("raise SystemExit('imported')\n")
    (package / "part.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)


def test_importable_imports_nothing(explosive):
    assert importable("explosive") and importable("explosive.part")
    assert not importable("explosive.other") and not importable("explosive.part.deeper")
    assert "explosive" not in sys.modules


def test_importable_finds_installed_modules_only():
    assert importable("gpucluster.protocol.spec") and importable("email.mime.text")
    assert not importable("no_such_package") and not importable("no_such_package.part")


@pytest.mark.parametrize(
    ("options", "field", "package"),
    [
        ({"rmm_pool_size": "1 GiB"}, "rmm_pool_size", "rmm"),
        ({"rmm_async": True}, "rmm_async", "rmm"),
        ({"rmm_managed_memory": True}, "rmm_managed_memory", "rmm"),
        ({"rmm_allocator_external_lib_list": ["torch"]}, "rmm_allocator_external_lib_list", "rmm"),
        ({"enable_cudf_spill": True}, "enable_cudf_spill", "cudf"),
        ({"protocol": "ucx"}, "protocol", "distributed-ucxx"),
        ({"pre_import": ["json", "no_such_package.part"]}, "pre_import", "no_such_package.part"),
    ],
)
def test_a_missing_package_is_named_with_its_option(options, field, package):
    if importable(package.replace("-", "_")):
        pytest.skip(f"{package} is installed here")
    with pytest.raises(MissingPackage) as raised:
        check_packages(CudaSpec(**options))
    assert [error.field for error in raised.value.fields] == [field]
    assert f"'{package}'" in raised.value.message


def test_missing_library_for_rmm_is_refused(monkeypatch, tmp_path):
    (tmp_path / "rmm.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    if importable("torch"):
        pytest.skip("torch is installed here")
    with pytest.raises(MissingPackage, match="'torch'.* pip install torch"):
        check_packages(CudaSpec(rmm_allocator_external_lib_list=["torch"]))


def test_defaults_need_nothing_more():
    check_packages(CudaSpec(pre_import=["json"]))


@pytest.mark.skipif(importable("dask_cuda"), reason="dask-cuda is installed here")
def test_without_dask_cuda():
    with pytest.raises(MissingPackage) as raised:
        check_platform()
    assert "pip install 'gpucluster[gpu-cu13]'" in raised.value.message


def test_another_operating_system(monkeypatch):
    monkeypatch.setattr(spec, "LINUX", False)
    with pytest.raises(PreflightFailed, match="need Linux"):
        check_platform()


GOOD = GPUProbe(True, "2 GPUs can be used, 2 of them idle.", "ok", 2)
NONE = GPUProbe(False, "No GPU here: clusters use CPU workers.", "no_library")


@pytest.mark.parametrize(
    ("options", "probe", "dask_cuda", "kind", "why"),
    [
        ({"name": "a", "n_workers": 2, "memory_limit": "1 GiB"}, GOOD, True, CudaSpec, re.escape(GOOD.reason)),
        ({"n_workers": 3}, NONE, True, LocalSpec, re.escape(NONE.reason)),
        ({}, GOOD, False, LocalSpec, r".*pip install 'gpucluster\[gpu-cu13\]'.*"),
        ({"n_workers": 3}, GOOD, True, LocalSpec, "3 workers were requested.*"),
    ],
    ids=["a usable GPU", "no GPU", "no dask-cuda", "more workers than GPUs"],
)
def test_auto_decides_by_the_gpus(options, probe, dask_cuda, kind, why):
    spec, reason = decide(AutoSpec(**options), probe, devices=2 * probe.usable, dask_cuda=dask_cuda)
    assert spec == kind(**options) and re.fullmatch(why, reason)


CHOOSE = """
import asyncio, json
from gpucluster.backends.auto import AutoBackend, AutoSpec
spec, reason = asyncio.run(AutoBackend().choose(AutoSpec()))
print(json.dumps([spec.backend, reason]))
"""


def choose(machine: FakeMachine, **environment: str) -> Any:
    return json.loads(machine.run(CHOOSE, **environment))


def test_real_machines_without_a_usable_gpu(machine):
    machine.write([gpu(1)])
    assert choose(machine, CUDA_VISIBLE_DEVICES="") == [
        "local", "CUDA_VISIBLE_DEVICES='' hides all GPUs: clusters use CPU workers.",
    ]  # fmt: skip
    backend, reason = choose(machine, FAKE_CUDA_INIT="999")
    assert backend == "local" and "cannot be used" in reason


def test_real_machine_with_gpus(machine):
    pytest.importorskip("dask_cuda", reason="runs in the second environment, which has dask-cuda")
    machine.write([gpu(1)])
    assert choose(machine) == ["cuda", "1 GPU can be used; it is idle."]


GIB = 2**30


def device(number: int, total: int | None = 16, used: int | None = 0, **fields: Any) -> DeviceModel:
    return DeviceModel(
        uuid=gpu_uuid(number), index=number, name="A16", memory_total_bytes=None if total is None else total * GIB,
        memory_used_bytes=None if used is None else used * GIB, **fields,
    )  # fmt: skip


def resolve(*devices: DeviceModel, first: int = 1, **options: Any) -> DeviceMemory:
    return resolve_memory(CudaSpec(**options), devices, first)


def refused(*devices: DeviceModel, **options: Any) -> str:
    with pytest.raises(PreflightFailed) as raised:
        resolve(*devices, **options)
    assert raised.value.fields, "a refusal names the field"
    return raised.value.message


def test_shares_refer_to_the_smallest_device():
    memory = resolve(device(0, 80), device(1, 40), rmm_pool_size="50%", device_memory_limit="auto")
    assert memory == DeviceMemory(40 * GIB * 8 // 10 // 256 * 256, 20 * GIB, None, None)


def test_sizes_are_kept_and_aligned():
    memory = resolve(device(0), rmm_pool_size=2 * GIB + 1, rmm_maximum_pool_size="3GiB", device_memory_limit=None)
    assert memory == DeviceMemory(None, 2 * GIB, 3 * GIB, None)


def test_asynchronous_allocator():
    memory = resolve(device(0), rmm_async=True, rmm_release_threshold="25%", rmm_maximum_pool_size="50%")
    assert (memory.rmm_release_threshold, memory.rmm_maximum_pool_size) == (4 * GIB, 8 * GIB)


def test_memory_of_a_slice_counts_not_that_of_its_gpu():
    piece = DeviceModel(uuid=slice_uuid(1), parent_uuid=gpu_uuid(1), memory_total_bytes=10 * GIB, memory_used_bytes=0)
    assert resolve(piece, rmm_pool_size="50%").rmm_pool_size == 5 * GIB
    assert "MIG slice MIG-00000001…" in refused(piece, rmm_pool_size="20 GiB")


@pytest.mark.parametrize("option", ["rmm_pool_size", "device_memory_limit"])
def test_size_above_the_smallest_device_is_refused(option):
    message = refused(device(0, 80), device(1, 16), **{option: "20 GiB"})
    assert message.startswith(f"{option} is 20 GiB, but GPU 1 (A16) has 16 GiB in total.")


def test_pool_larger_than_free_memory_names_the_processes():
    users = [DeviceProcess(pid=4711, user="anna", command="python", memory_used_bytes=9 * GIB), DeviceProcess(pid=5)]
    message = refused(device(0, used=10, processes=users), rmm_pool_size="80%")
    assert "rmm_pool_size is 12.8 GiB, but GPU 0 (A16) has 6 GiB free of 16 GiB" in message
    assert "it is used by python (process 4711, user anna, 9 GiB), a program (process 5)" in message
    assert "processes that are not visible" in refused(device(0, used=10), rmm_pool_size="80%")


def test_reserved_memory_is_not_free():
    kept = device(0).model_copy(update={"memory_reserved_bytes": GIB})
    assert resolve(kept, rmm_pool_size="15 GiB").rmm_pool_size == 15 * GIB
    assert "has 15 GiB free of 16 GiB" in refused(kept, rmm_pool_size="15.5 GiB")


def test_only_the_first_devices_must_have_free_memory():
    devices = device(0), device(1, used=15)
    assert resolve(*devices, first=1, rmm_pool_size="8 GiB").rmm_pool_size == 8 * GIB
    with pytest.raises(PreflightFailed, match="GPU 1"):
        resolve(*devices, first=2, rmm_pool_size="8 GiB")


def test_a_maximum_below_the_pool():
    assert "must be at least rmm_pool_size" in refused(device(0), rmm_pool_size="50%", rmm_maximum_pool_size="4 GiB")


def test_managed_memory_may_be_larger_than_the_gpu():
    assert resolve(device(0, 16), rmm_managed_memory=True, rmm_pool_size="40 GiB").rmm_pool_size == 40 * GIB


def test_a_system_on_a_chip():
    chip = device(0, None, None)
    assert resolve(chip, device_memory_limit="auto").device_memory_limit is None
    assert "no separate memory" in refused(chip, device_memory_limit="4 GiB")
    assert "set rmm_pool_size to a size" in refused(chip, rmm_pool_size="50%")
    assert "to spill from" in refused(chip, enable_cudf_spill=True)


POOL = "CUDARuntimeError: cudaErrorNotSupported: operation not supported"
ASYNC = (
    "RuntimeError: RMM failure at: cuda_async_memory_resource_impl.cpp:32: "
    "cudaMallocAsync not supported with this CUDA driver/runtime version"
)


@pytest.mark.parametrize(
    ("message", "options", "words"),
    [
        (POOL, {"rmm_pool_size": 2**30, "rmm_track_allocations": True}, "rmm_pool_size (1 GiB) could not be set up"),
        (ASYNC, {"rmm_async": True}, "use rmm_pool_size instead"),
        (POOL, {"rmm_track_allocations": True}, "turn it off"),
    ],
)
def test_the_option_is_named(message, options, words):
    explained = explain(message, options)
    assert explained.startswith(f"{message}. ") and words in explained and not explained.endswith(".")


def test_other_failures_are_unchanged():
    other = "RuntimeError: no licence"
    assert explain(other, {"rmm_pool_size": 2**30}) == other
    assert explain(POOL, {}) == POOL

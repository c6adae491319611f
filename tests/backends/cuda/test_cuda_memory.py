"""Sizes in bytes of the right device, and refusals with figures."""

from __future__ import annotations

from typing import Any

import pytest
from gpucluster.backends.cuda.memory import DeviceMemory, explain, resolve_memory
from gpucluster.backends.cuda.spec import CudaSpec
from gpucluster.protocol.errors import PreflightFailed
from gpucluster.protocol.models import DeviceModel, DeviceProcess
from nvml.machine import gpu_uuid, slice_uuid

GIB = 2**30


def device(number: int, total: int | None = 16, used: int | None = 0, **fields: Any) -> DeviceModel:
    return DeviceModel(
        uuid=gpu_uuid(number),
        index=number,
        name="A16",
        memory_total_bytes=None if total is None else total * GIB,
        memory_used_bytes=None if used is None else used * GIB,
        **fields,
    )


def resolve(*devices: DeviceModel, first: int = 1, **options: Any) -> DeviceMemory:
    return resolve_memory(CudaSpec(**options), devices, first)


def refused(*devices: DeviceModel, **options: Any) -> str:
    with pytest.raises(PreflightFailed) as raised:
        resolve(*devices, **options)
    assert raised.value.fields, "a refusal names the field"
    return raised.value.message


def test_shares_refer_to_the_smallest_device() -> None:
    memory = resolve(device(0, 80), device(1, 40), rmm_pool_size="50%", device_memory_limit="auto")
    assert memory == DeviceMemory(40 * GIB * 8 // 10 // 256 * 256, 20 * GIB, None, None)


def test_sizes_are_kept_and_aligned() -> None:
    memory = resolve(device(0), rmm_pool_size=2 * GIB + 1, rmm_maximum_pool_size="3GiB", device_memory_limit=None)
    assert memory == DeviceMemory(None, 2 * GIB, 3 * GIB, None)


def test_asynchronous_allocator() -> None:
    memory = resolve(device(0), rmm_async=True, rmm_release_threshold="25%", rmm_maximum_pool_size="50%")
    assert (memory.rmm_release_threshold, memory.rmm_maximum_pool_size) == (4 * GIB, 8 * GIB)


def test_memory_of_a_slice_counts_not_that_of_its_gpu() -> None:
    piece = DeviceModel(uuid=slice_uuid(1), parent_uuid=gpu_uuid(1), memory_total_bytes=10 * GIB, memory_used_bytes=0)
    assert resolve(piece, rmm_pool_size="50%").rmm_pool_size == 5 * GIB
    assert "MIG slice MIG-00000001…" in refused(piece, rmm_pool_size="20 GiB")


@pytest.mark.parametrize("option", ["rmm_pool_size", "device_memory_limit"])
def test_size_above_the_smallest_device_is_refused(option: str) -> None:
    message = refused(device(0, 80), device(1, 16), **{option: "20 GiB"})
    assert message.startswith(f"{option} is 20 GiB, but GPU 1 (A16) has 16 GiB in all.")


def test_pool_larger_than_free_memory_names_the_processes() -> None:
    users = [DeviceProcess(pid=4711, user="anna", command="python", memory_used_bytes=9 * GIB), DeviceProcess(pid=5)]
    message = refused(device(0, used=10, processes=users), rmm_pool_size="80%")
    assert "rmm_pool_size is 12.8 GiB, but GPU 0 (A16) has 6 GiB free of 16 GiB" in message
    assert "it is used by python (process 4711, user anna, 9 GiB), a program (process 5)" in message
    assert "processes that cannot be seen" in refused(device(0, used=10), rmm_pool_size="80%")


def test_reserved_memory_is_not_free() -> None:
    kept = device(0).model_copy(update={"memory_reserved_bytes": GIB})
    assert resolve(kept, rmm_pool_size="15 GiB").rmm_pool_size == 15 * GIB
    assert "has 15 GiB free of 16 GiB" in refused(kept, rmm_pool_size="15.5 GiB")


def test_only_the_first_devices_must_have_free_memory() -> None:
    devices = device(0), device(1, used=15)
    assert resolve(*devices, first=1, rmm_pool_size="8 GiB").rmm_pool_size == 8 * GIB
    with pytest.raises(PreflightFailed, match="GPU 1"):
        resolve(*devices, first=2, rmm_pool_size="8 GiB")


def test_a_maximum_below_the_pool() -> None:
    assert "must not be smaller" in refused(device(0), rmm_pool_size="50%", rmm_maximum_pool_size="4 GiB")


def test_managed_memory_may_be_larger_than_the_gpu() -> None:
    assert resolve(device(0, 16), rmm_managed_memory=True, rmm_pool_size="40 GiB").rmm_pool_size == 40 * GIB


def test_a_system_on_a_chip() -> None:
    chip = device(0, None, None)
    assert resolve(chip, device_memory_limit="auto").device_memory_limit is None
    assert "no separate memory" in refused(chip, device_memory_limit="4 GiB")
    assert "write rmm_pool_size as a size" in refused(chip, rmm_pool_size="50%")
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
def test_the_option_is_named(message: str, options: dict[str, Any], words: str) -> None:
    explained = explain(message, options)
    assert explained.startswith(f"{message}. ") and words in explained and not explained.endswith(".")


def test_other_failures_are_unchanged() -> None:
    other = "RuntimeError: no licence"
    assert explain(other, {"rmm_pool_size": 2**30}) == other
    assert explain(POOL, {}) == POOL

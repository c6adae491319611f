"""Which devices a cluster gets, and the errors when it cannot have them."""

from __future__ import annotations

import pytest
from gpucluster.devices import select_devices
from gpucluster.devices.host import idle
from gpucluster.protocol.errors import NoUsableDevice
from gpucluster.protocol.models import DeviceModel, DeviceProcess, HostDevices
from nvml.machine import gpu_uuid, slice_uuid

GIB = 2**30


def device(number: int, **fields: object) -> DeviceModel:
    values = {"uuid": gpu_uuid(number), "index": number, "name": "A16", "memory_total_bytes": 16 * GIB}
    return DeviceModel.model_validate(values | {"memory_used_bytes": 300 * 2**20} | fields)


def mig(number: int, parent: int) -> DeviceModel:
    return device(number, uuid=slice_uuid(number), index=None, parent_uuid=gpu_uuid(parent))


def host(*devices: DeviceModel) -> HostDevices:
    return HostDevices(available=True, code="ok", message="fine", devices=list(devices))


BUSY = {"memory_used_bytes": 9 * GIB, "processes": [DeviceProcess(pid=7, memory_used_bytes=9 * GIB)]}


def test_idle_ones_first_then_by_index() -> None:
    devices = host(device(0, **BUSY), device(1), device(2, memory_used_bytes=3 * GIB), device(3, utilization_percent=4))
    assert [chosen.index for chosen in select_devices(devices)] == [1, 3, 2, 0]


def test_claimed_devices_come_between_idle_and_busy_ones() -> None:
    devices = host(device(0), device(1, **BUSY), device(2), device(3))
    chosen = select_devices(devices, taken={gpu_uuid(0): 1, gpu_uuid(2): 1})
    assert [device.index for device in chosen] == [3, 0, 2, 1]
    assert [device.index for device in select_devices(devices, [2, 3], taken={gpu_uuid(2): 1})] == [2, 3]


def test_wanted_ones_in_the_order_given() -> None:
    devices = host(device(0), device(1), device(2))
    assert [chosen.index for chosen in select_devices(devices, [2, 0])] == [2, 0]
    assert [chosen.index for chosen in select_devices(devices, [gpu_uuid(1)])] == [1]


def test_unusable_ones_are_left_out() -> None:
    devices = host(device(0, error="Lost."), device(1, visible=False), device(2, mig_enabled=True), device(3))
    assert [chosen.index for chosen in select_devices(devices)] == [3]


def test_slices_only_where_there_is_no_whole_gpu() -> None:
    divided = device(0, mig_enabled=True)
    both = host(divided, mig(5, 0), mig(6, 0), device(1))
    slices = host(divided, mig(5, 0), mig(6, 0))
    assert [chosen.uuid for chosen in select_devices(both)] == [gpu_uuid(1)]
    assert [chosen.uuid for chosen in select_devices(slices)] == [slice_uuid(5), slice_uuid(6)]
    assert [chosen.uuid for chosen in select_devices(both, [slice_uuid(6)])] == [slice_uuid(6)]


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ([7], "There is no GPU 7 on this machine; it has 0, 1, 2, 3."),
        ([gpu_uuid(99)], "There is no GPU or MIG slice"),
        ([0], "cannot be used. It is lost."),
        ([1], "hidden by CUDA_VISIBLE_DEVICES"),
        ([2], slice_uuid(5)),
        ([3, gpu_uuid(3)], "named twice"),
    ],
)
def test_unavailable_device_raises_with_its_reason(wanted: list[int | str], words: str) -> None:
    devices = host(
        device(0, error="It is lost."), device(1, visible=False), device(2, mig_enabled=True), mig(5, 2), device(3)
    )
    with pytest.raises(NoUsableDevice) as raised:
        select_devices(devices, wanted)
    assert words in raised.value.message
    assert [error.field for error in raised.value.fields] == ["devices"]


def test_machine_without_gpus_gives_the_reason() -> None:
    nothing = HostDevices(available=False, code="no_library", message="No GPU here: clusters use CPU workers.")
    for wanted in (None, [0]):
        with pytest.raises(NoUsableDevice, match="No GPU here"):
            select_devices(nothing, wanted)


def test_idle_tolerates_the_memory_of_the_driver() -> None:
    assert idle(device(0))
    assert idle(device(0, memory_used_bytes=None))
    assert not idle(device(0, memory_used_bytes=3 * GIB))
    assert not idle(device(0, processes=[DeviceProcess(pid=1)]))

"""The GPUs of fake and real machines, and the choice among them."""

import json
import os
from collections.abc import Sequence
from typing import Any

import psutil
import pytest
from gpucluster.devices.host import idle
from gpucluster.devices.selection import select_devices
from gpucluster.protocol.errors import NoUsableDevice
from gpucluster.protocol.models import DeviceModel, DeviceProcess, HostDevices
from nvml.machine import FakeMachine, gpu, gpu_uuid, mig_slice, slice_uuid

READ = "from gpucluster.devices.host import host_devices; print(host_devices().model_dump_json())"
GIB = 2**30


def read(machine: FakeMachine, lines: Sequence[str], **environment: str) -> HostDevices:
    machine.write(lines)
    return HostDevices.model_validate_json(machine.run(READ, **environment))


def test_two_gpus_of_different_sizes(machine):
    large = gpu(1, total=81920, used=400, util=3, name="A100 80GB")
    host = read(machine, ["driver 580.1", large, gpu(2, total=16384, used=9000)])
    assert (host.available, host.code, host.driver_version) == (True, "ok", "580.1")
    assert host.message == "2 GPUs can be used, 1 of them idle."
    first, second = host.devices
    assert (first.uuid, first.index, first.name) == (gpu_uuid(1), 0, "A100 80GB")
    assert (first.memory_total_bytes, first.memory_used_bytes) == (80 * GIB, 400 * 2**20)
    assert first.utilization_percent == 3
    assert (second.index, second.memory_total_bytes) == (1, 16 * GIB)
    assert host.host_memory_total_bytes == psutil.virtual_memory().total
    assert host.cpu_count == len(os.sched_getaffinity(0))


def test_reserved_memory_is_not_used_memory(machine):
    lines = [gpu(1, total=81920, used=400, reserved=600)]
    [device] = read(machine, lines).devices
    assert (device.memory_used_bytes, device.memory_reserved_bytes) == (400 * 2**20, 600 * 2**20)
    [device] = read(machine, ["fail nvmlDeviceGetMemoryInfo_v2 13", *lines]).devices
    assert (device.memory_used_bytes, device.memory_reserved_bytes) == (1000 * 2**20, 0), "an old driver"


def test_driver_errors_and_lost_gpus_are_remembered(machine):
    program = (
        "import os, pathlib\n"
        "from gpucluster.devices.host import host_devices\n"
        "file = pathlib.Path(os.environ['FAKE_NVML'])\n"
        "def after(*lines):\n"
        "    file.with_suffix('.next').write_text('\\n'.join(lines) + '\\n')\n"
        "    file.with_suffix('.next').replace(file)\n"
        "    return host_devices().devices\n"
        "good, other = file.read_text().splitlines()\n"
        "assert [device.xids for device in after(good, other)] == [[], []]\n"
        "first, second = after(good, 'xid 31', 'xid 79', other)\n"
        "assert [xid.number for xid in first.xids] == [31, 79], first.xids\n"
        "assert first.xids[1].meaning == 'it has fallen off the bus'\n"
        "assert second.xids == []\n"
        "[first, lost] = after(good, 'xid 31', 'xid 79', 'fail * 15', other)[:1] * 2\n"
        "assert lost.error and lost.error_since\n"
        "[back, _] = after(good, 'xid 31', 'xid 79', other)\n"
        "assert back.error_since is None and len(back.xids) == 2\n"
        "print('fine')"
    )
    machine.write([gpu(1), gpu(2)])
    assert machine.run(program).strip() == "fine"


def test_mig_slices_have_their_own_memory(machine):
    lines = [gpu(1, total=81920), mig_slice(1), mig_slice(2, total=20480), gpu(2)]
    parent, small, large, other = read(machine, lines).devices
    assert parent.mig_enabled and parent.utilization_percent is None
    assert (small.uuid, small.parent_uuid, small.index) == (slice_uuid(1), gpu_uuid(1), None)
    assert (small.memory_total_bytes, large.memory_total_bytes) == (10 * GIB, 20 * GIB)
    assert small.utilization_percent is None
    assert (other.index, other.mig_enabled) == (1, False)


def test_processes_have_user_program_and_cluster(machine):
    mine = os.getpid()
    machine.write([gpu(1), f"process {mine} used=2048", "process 999999999 used=-1"])
    program = (
        "import os; from gpucluster.devices.host import host_devices\n"
        # The asking process is a child of ours: it stands for a worker below a supervisor.
        f"print(host_devices({{{mine}: 'alpha'}}).model_dump_json())"
    )
    [device] = HostDevices.model_validate_json(machine.run(program)).devices
    known, unknown = device.processes
    assert (known.pid, known.memory_used_bytes, known.cluster) == (mine, 2 * GIB, "alpha")
    assert known.user == psutil.Process().username()
    assert known.command == psutil.Process().name()
    assert (unknown.user, unknown.command, unknown.memory_used_bytes, unknown.cluster) == (None, None, None, None)


def test_a_process_belongs_to_the_cluster_of_its_ancestors(machine):
    program = (
        "import os, pathlib; from gpucluster.devices.host import host_devices\n"
        f"path = pathlib.Path({str(machine.file)!r})\n"
        "path.write_text(path.read_text() + f'process {os.getpid()} used=1\\n')\n"
        f"print(host_devices(lambda pid: 'beta' if pid == {os.getpid()} else None).model_dump_json())"
    )
    machine.write([gpu(1)])
    [device] = HostDevices.model_validate_json(machine.run(program)).devices
    assert [process.cluster for process in device.processes] == ["beta"]


@pytest.mark.parametrize(
    ("lines", "code", "words"),
    [
        (["fail nvmlInitWithFlags 9", gpu(1)], "no_driver", "not loaded"),
        (["fail nvmlInitWithFlags 18", gpu(1)], "version_mismatch", "was updated"),
        (["fail nvmlInitWithFlags 4", gpu(1)], "no_permission", "has no permission to use"),
        *((["fail nvmlInitWithFlags " + number, gpu(1)], "error", "cannot be read") for number in ("17", "999")),
        (["driver 1.0"], "no_devices", ""),
    ],
)
def test_machine_without_readable_gpus(machine, lines, code, words):
    host = read(machine, lines)
    assert (host.available, host.code, host.devices) == (False, code, [])
    assert words in host.message and "clusters use CPU workers" in host.message


@pytest.mark.skipif(os.path.exists("/dev/nvidiactl"), reason="this machine has a real NVIDIA driver")
def test_no_library(machine):
    host = read(machine, [], LD_LIBRARY_PATH="")
    assert (host.available, host.code) == (False, "no_library")
    assert host.message == "No GPU here: clusters use CPU workers."


def test_no_reader_installed(machine):
    machine.write([gpu(1)])
    host = HostDevices.model_validate_json(machine.run("import sys; sys.modules['pynvml'] = None\n" + READ))
    assert host.code == "no_library" and "nvidia-ml-py" in host.message


@pytest.mark.parametrize("setting", ["", "-1", "NoDevFiles", "7"])
def test_hidden_gpus(machine, setting):
    host = read(machine, [gpu(1), gpu(2)], CUDA_VISIBLE_DEVICES=setting)
    assert (host.available, host.code) == (False, "hidden")
    assert f"CUDA_VISIBLE_DEVICES={setting!r}" in host.message
    assert [device.visible for device in host.devices] == [False, False]


@pytest.mark.parametrize(
    ("setting", "visible"),
    [
        ("1", [1]), ("2, 0", [0, 2]), (gpu_uuid(2), [1]), (gpu_uuid(2)[:12], [1]),
        ("1,9,0", [1]), ("1,nonsense,0", [1]), ("GPU-0,1", []),
    ],
)  # fmt: skip
def test_visible_devices_as_cuda_reads_them(machine, setting, visible):
    host = read(machine, [gpu(1), gpu(2), gpu(3)], CUDA_VISIBLE_DEVICES=setting)
    assert [device.index for device in host.devices if device.visible] == visible


def test_visible_slices(machine):
    lines = [gpu(1), mig_slice(1), mig_slice(2), gpu(2)]
    by_parent = read(machine, lines, CUDA_VISIBLE_DEVICES="0")
    assert [device.visible for device in by_parent.devices] == [True, True, True, False]
    by_slice = read(machine, lines, CUDA_VISIBLE_DEVICES=slice_uuid(2))
    assert [device.visible for device in by_slice.devices] == [False, False, True, False]
    assert by_slice.message == "1 MIG slice can be used; it is idle."


def test_a_lost_gpu_hides_no_other(machine):
    host = read(machine, [gpu(1), "fail * 15", gpu(2)])
    lost, good = host.devices
    assert host.code == "ok" and host.message == "1 GPU can be used; it is idle."
    assert lost.index == 0 and lost.error is not None and "lost" in lost.error
    assert lost.memory_total_bytes is None
    assert (good.uuid, good.error) == (gpu_uuid(2), None)


def test_all_gpus_lost(machine):
    host = read(machine, [gpu(1), "fail nvmlDeviceGetMemoryInfo 15"])
    assert (host.available, host.code) == (False, "error")
    assert "lost" in host.message and host.devices[0].uuid == gpu_uuid(1)


@pytest.mark.parametrize(
    ("failure", "field", "value"),
    [
        ("nvmlDeviceGetUtilizationRates 3", "utilization_percent", None),
        ("nvmlDeviceGetName 3", "name", None),
        ("nvmlDeviceGetPowerUsage 3", "power_watts", None),
        ("nvmlDeviceGetEnforcedPowerLimit 3", "power_limit_watts", None),
        ("nvmlDeviceGetTemperature 3", "temperature_celsius", None),
        ("nvmlDeviceGetMemoryInfo 3", "memory_total_bytes", None),
        ("nvmlDeviceGetComputeRunningProcesses_v3 4", "processes", []),  # Not permitted.
        ("nvmlDeviceGetMigMode 13", "mig_enabled", False),  # A driver without this function.
    ],
)
def test_an_unsupported_figure_is_absent(machine, failure, field, value):
    host = read(machine, [f"fail {failure}", gpu(1), "process 1 used=5"])
    assert host.code == "ok" and getattr(host.devices[0], field) == value
    assert host.devices[0].error is None


def test_mig_mode_without_slices(machine):
    host = read(machine, [gpu(1, mig=1)])
    assert not host.available and "no slices" in host.message


def test_changes_of_figures_and_driver_are_noticed(machine):
    machine.write([gpu(1, used=100)])
    program = f"""
import pathlib
from gpucluster.devices.host import host_devices
path = pathlib.Path({str(machine.file)!r})
good = path.read_text()
def show(text):
    path.write_text(text)
    host = host_devices()
    print(host.code, *(device.memory_used_bytes // 2**20 for device in host.devices))
show(good)
show(good.replace("used=100", "used=2000"))
show("fail * 18\\n" + good)
show("fail nvmlDeviceGetCount_v2 9\\n" + good)
show("fail nvmlDeviceGetMemoryInfo 1\\n" + good)
show(good)
"""
    assert machine.run(program).split("\n")[:6] == [
        "ok 100", "ok 2000", "version_mismatch", "no_driver", "error", "ok 100",
    ]  # fmt: skip


def test_a_fork_initialises_nvml_for_itself(machine):
    machine.write([gpu(1)])
    program = (
        "import os; from gpucluster.devices.host import host_devices; host_devices()\n"
        "pid = os.fork()\n"
        "code = host_devices().code\n"
        "if pid == 0: os._exit(0 if code == 'ok' else 1)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), code)"
    )
    assert machine.run(program) == "0 ok\n"


def test_neither_dask_nor_cuda_is_imported(machine):
    machine.write([gpu(1)])
    program = READ + "\nimport sys; print(sorted({name.split('.')[0] for name in sys.modules}))"
    modules = machine.run(program).splitlines()[-1]
    assert "'pynvml'" in modules
    for heavy in ("dask", "distributed", "dask_cuda", "cuda", "numpy"):
        assert f"'{heavy}'" not in modules


PROBE = """
import dataclasses, json
from gpucluster.devices.selection import probe_gpu
probe = probe_gpu(timeout_seconds=60)
loaded = "libcuda" in open("/proc/self/maps").read()
print(json.dumps(dataclasses.asdict(probe) | {"loaded": loaded}))
"""


def probe(machine: FakeMachine, *faults: str, program: str = PROBE, **environment: str) -> dict[str, Any]:
    machine.write([*faults, gpu(1), gpu(2)])
    answer: dict[str, Any] = json.loads(machine.run(program, **environment))
    assert answer.pop("loaded") is False, "CUDA must never be loaded by the process that asks"
    return answer


def test_usable(machine):
    assert probe(machine, FAKE_CUDA_COUNT="2") == {
        "usable": True, "code": "ok", "device_count": 2, "reason": "2 GPUs can be used, 2 of them idle.",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("fault", "environment", "code", "words"),
    [
        (["fail nvmlInitWithFlags 9"], {}, "no_driver", ""),
        ([], {"CUDA_VISIBLE_DEVICES": "-1"}, "hidden", ""),
        ([], {"FAKE_CUDA_INIT": "100"}, "cuda_error", "finds no GPU"),
        ([], {"FAKE_CUDA_INIT": "803"}, "cuda_error", "different versions"),
        ([], {"FAKE_CUDA_INIT": "802"}, "cuda_error", "fabric manager"),
        ([], {"FAKE_CUDA_INIT": "12345"}, "cuda_error", "code 12345"),
        ([], {"FAKE_CUDA_COUNT": "0"}, "cuda_error", ""),
    ],
)
def test_a_gpu_that_cannot_be_used(machine, fault, environment, code, words):
    answer = probe(machine, *fault, **environment)
    assert (answer["usable"], answer["code"]) == (False, code)
    assert words in answer["reason"]
    assert code != "cuda_error" or answer["reason"].endswith("clusters use CPU workers.")


def test_cuda_hangs(machine):
    program = PROBE.replace("timeout_seconds=60", "timeout_seconds=1")
    answer = probe(machine, program=program, FAKE_CUDA_SLEEP="60")
    assert (answer["usable"], answer["code"]) == (False, "timeout")


def test_cuda_driver_is_not_installed(machine, tmp_path):
    only_nvml = tmp_path / "only-nvml"
    only_nvml.mkdir()
    (only_nvml / "libnvidia-ml.so.1").symlink_to(machine.libraries / "libnvidia-ml.so.1")
    answer = probe(machine, LD_LIBRARY_PATH=str(only_nvml))
    assert (answer["usable"], answer["code"]) == (False, "no_cuda")
    assert "libcuda.so.1" in answer["reason"]


def device(number: int, **fields: object) -> DeviceModel:
    values = {"uuid": gpu_uuid(number), "index": number, "name": "A16", "memory_total_bytes": 16 * GIB}
    return DeviceModel.model_validate(values | {"memory_used_bytes": 300 * 2**20} | fields)


def mig(number: int, parent: int) -> DeviceModel:
    return device(number, uuid=slice_uuid(number), index=None, parent_uuid=gpu_uuid(parent))


def host(*devices: DeviceModel) -> HostDevices:
    return HostDevices(available=True, code="ok", message="fine", devices=list(devices))


BUSY = {"memory_used_bytes": 9 * GIB, "processes": [DeviceProcess(pid=7, memory_used_bytes=9 * GIB)]}


def test_idle_ones_first_then_by_index():
    devices = host(device(0, **BUSY), device(1), device(2, memory_used_bytes=3 * GIB), device(3, utilization_percent=4))
    assert [chosen.index for chosen in select_devices(devices)] == [1, 3, 2, 0]


def test_claimed_devices_come_between_idle_and_busy_ones():
    devices = host(device(0), device(1, **BUSY), device(2), device(3))
    chosen = select_devices(devices, taken={gpu_uuid(0): 1, gpu_uuid(2): 1})
    assert [device.index for device in chosen] == [3, 0, 2, 1]
    assert [device.index for device in select_devices(devices, [2, 3], taken={gpu_uuid(2): 1})] == [2, 3]


def test_wanted_ones_in_the_order_given():
    devices = host(device(0), device(1), device(2))
    assert [chosen.index for chosen in select_devices(devices, [2, 0])] == [2, 0]
    assert [chosen.index for chosen in select_devices(devices, [gpu_uuid(1)])] == [1]


def test_unusable_ones_are_left_out():
    devices = host(device(0, error="Lost."), device(1, visible=False), device(2, mig_enabled=True), device(3))
    assert [chosen.index for chosen in select_devices(devices)] == [3]


def test_slices_only_where_there_is_no_whole_gpu():
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
def test_unavailable_device_raises_with_its_reason(wanted, words):
    devices = host(
        device(0, error="It is lost."), device(1, visible=False), device(2, mig_enabled=True), mig(5, 2), device(3)
    )
    with pytest.raises(NoUsableDevice) as raised:
        select_devices(devices, wanted)
    assert words in raised.value.message
    assert [error.field for error in raised.value.fields] == ["devices"]


def test_machine_without_gpus_gives_the_reason():
    nothing = HostDevices(available=False, code="no_library", message="No GPU here: clusters use CPU workers.")
    for wanted in (None, [0]):
        with pytest.raises(NoUsableDevice, match="No GPU here"):
            select_devices(nothing, wanted)


def test_idle_tolerates_the_memory_of_the_driver():
    assert idle(device(0))
    assert idle(device(0, memory_used_bytes=None))
    assert not idle(device(0, memory_used_bytes=3 * GIB))
    assert not idle(device(0, processes=[DeviceProcess(pid=1)]))

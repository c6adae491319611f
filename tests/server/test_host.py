"""The GPUs of the Jupyter server's machine: their users, and errors while the server runs."""

import gzip
import json
import os
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import psutil
import pytest
from gpucluster.protocol.models import DeviceModel, DeviceProcess, HostDevices
from gpucluster.server.devices import matters
from jupyter_client import BlockingKernelClient
from nvml.machine import gpu, gpu_uuid, mig_slice, slice_uuid
from tornado.httpclient import HTTPRequest
from tornado.websocket import websocket_connect

from .jupyterprocess import TOKEN, jupyter_process

CODES = {4: "no_permission", 9: "no_driver", 18: "version_mismatch", 999: "error"}
HEADERS = {"Authorization": f"token {TOKEN}"}


@pytest.fixture
def jupyter(machine, registry_directory, tmp_path, monkeypatch):
    """A server on a machine with two GPUs."""
    machine.write([gpu(1, total=81920, used=4096, util=50, power=300, limit=700, temperature=60), gpu(2)])
    for name in ("LD_LIBRARY_PATH", "FAKE_NVML"):
        monkeypatch.setenv(name, machine.environment()[name])
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    with jupyter_process(tmp_path / "jupyter", standby=False) as process:
        yield process


@asynccontextmanager
async def viewing(jupyter) -> AsyncIterator:
    """Open the event stream; yields a function that waits for a reading that meets a condition."""
    url = jupyter.url.replace("http", "ws", 1) + "gpucluster/api/events"
    socket = await websocket_connect(HTTPRequest(url, headers=HEADERS))

    async def reading(wanted) -> HostDevices:
        while True:
            message = await socket.read_message()
            assert message is not None, "closed"
            event = json.loads(gzip.decompress(message) if isinstance(message, bytes) else message)
            if event["kind"] == "host" and wanted(host := HostDevices.model_validate(event["host"])):
                return host

    try:
        yield reading
    finally:
        socket.close()


@pytest.mark.full
async def test_host_view_recovers_from_errors(jupyter, machine):
    good = machine.lines
    async with viewing(jupyter) as reading:
        host = await reading(lambda host: host.code == "ok")
        first = host.devices[0]
        assert (first.power_watts, first.temperature_celsius, first.utilization_percent) == (300, 60, 50)
        assert first.power_limit_watts == 700
        machine.write([gpu(1, total=81920, used=50000, util=100, power=600, temperature=80), gpu(2)])
        await reading(lambda host: host.devices[0].memory_used_bytes == 50000 * 2**20)
        for number, code in CODES.items():
            machine.write([f"fail nvmlInitWithFlags {number}", f"fail nvmlDeviceGetCount_v2 {number}", *good])
            host = await reading(lambda host, code=code: host.code == code)
            assert not host.available
            assert host.message.endswith(".")
            machine.write(good)
            assert (await reading(lambda host: host.code == "ok")).devices[0].power_watts == 300
        # One GPU falls off the bus: the other one, and everything else, goes on.
        machine.write([gpu(1), "fail * 15", gpu(2)])
        host = await reading(lambda host: any(device.error for device in host.devices))
        assert [bool(device.error) for device in host.devices] == [True, False]
        assert host.code == "ok"
        assert jupyter.call("GET", "clusters")["clusters"] is not None
        machine.write(good)
        await reading(lambda host: not any(device.error for device in host.devices))
        machine.write([gpu(1, total=81920), mig_slice(1), mig_slice(2), gpu(2)])
        host = await reading(lambda host: len(host.devices) == 4)
        assert [device.parent_uuid for device in host.devices] == [None, gpu_uuid(1), gpu_uuid(1), None]
        assert host.devices[1].uuid == slice_uuid(1)
        machine.write(["driver 1.0"])
        assert not (await reading(lambda host: host.code == "no_devices")).available
        machine.write(good)
        await reading(lambda host: host.available)


def kernel_code(jupyter, kernel_id: str, folder, code: str) -> str:
    """Run code in a kernel of the server and return what it prints."""
    client = BlockingKernelClient(connection_file=str(folder / "runtime" / f"kernel-{kernel_id}.json"))
    client.load_connection_file()
    client.hb_channel.time_to_dead = 60.0  # A busy machine is no reason to give up.
    client.start_channels()
    try:
        client.wait_for_ready(timeout=60)
        printed: list[str] = []

        def hook(message):
            if message["msg_type"] == "stream":
                printed.append(message["content"]["text"])

        client.execute_interactive(code, timeout=60, output_hook=hook)
        return "".join(printed)
    finally:
        client.stop_channels()


@pytest.mark.full
def test_process_names_its_notebook_cluster_and_user(jupyter, machine, tmp_path, running_cluster):
    requested = {"path": "lessons/k means.ipynb", "type": "notebook", "name": "", "kernel": {"name": "python3"}}
    answer = httpx.post(f"{jupyter.url}api/sessions", json=requested, headers=HEADERS, timeout=60, trust_env=False)
    kernel_id = answer.raise_for_status().json()["kernel"]["id"]
    code = (
        "import os, subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "print(os.getpid(), child.pid)"
    )
    kernel, child = map(int, kernel_code(jupyter, kernel_id, tmp_path / "jupyter", code).split())
    worker = running_cluster.workers[0].pid
    pids = [kernel, child, worker, os.getpid(), 999_999_999]
    machine.write([gpu(1), *(f"process {pid} used={number}" for number, pid in enumerate(pids, 1)), gpu(2)])
    processes = {one["pid"]: one for one in jupyter.call("GET", "devices")["devices"][0]["processes"]}
    found = {pid: (one["notebook"], one["cluster"], one["role"], one["parent_pid"]) for pid, one in processes.items()}
    ours = os.getpid()  # The server's parent, and that of the cluster's process.
    assert found == {
        kernel: ("lessons/k means.ipynb", None, "kernel", ours),
        child: ("lessons/k means.ipynb", None, "child", kernel),
        worker: (None, "shared", "worker", found[worker][3]),
        ours: (None, None, "other", found[ours][3]),
        999_999_999: (None, None, "outside", None),
    }
    mib = 2**20
    assert processes[kernel]["tree_memory_bytes"] == 3 * mib, "with its children"
    assert processes[worker]["worker"] == running_cluster.workers[0].name
    stoppable = {pid for pid, one in processes.items() if one["can_stop"]}
    assert stoppable == {kernel, child, worker}, "neither processes elsewhere nor the server's parents"

    def stop(pid: int, **body) -> tuple[int, Any]:
        return jupyter.answer("POST", f"devices/processes/{pid}/stop", body)

    birth = processes[child]["birth"]
    assert stop(child, birth="another")[0] == 409
    assert stop(child)[0] == 422
    assert stop(child, birth=birth, force=True)[0] == 422
    code, refused = stop(ours, birth=processes[ours]["birth"])
    assert (code, refused["message"]) == (409, f"Process {ours} runs this server.")
    unlisted = psutil.Process(running_cluster.pid)
    assert stop(unlisted.pid, birth=birth)[0] == 409, "it uses no GPU"
    assert psutil.pid_exists(child)
    assert stop(child, birth=birth) == (200, {"pid": child, "ended": True})
    assert psutil.Process(kernel).is_running()


def test_a_server_that_only_shows(machine, registry_directory, tmp_path, monkeypatch):
    for name in ("LD_LIBRARY_PATH", "FAKE_NVML"):
        monkeypatch.setenv(name, machine.environment()[name])
    with subprocess.Popen(["/bin/sh", "-c", "read nothing"], stdin=subprocess.PIPE) as mine:
        machine.write([gpu(1), f"process {mine.pid} used=1"])
        with jupyter_process(tmp_path / "jupyter", standby=False, stop_processes=False) as jupyter:
            [process] = jupyter.call("GET", "devices")["devices"][0]["processes"]
            assert (process["can_stop"], process["command"]) == (False, "sh")
            code, _ = jupyter.answer("POST", f"devices/processes/{mine.pid}/stop", {"birth": process["birth"]})
            assert (code, mine.poll()) == (403, None)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can change the user")
def test_other_users_processes_show_name_and_memory_only(jupyter, machine, tmp_path):
    with subprocess.Popen(["/bin/sh", "-c", "read secret"], stdin=subprocess.PIPE, user=65534, cwd="/") as other:
        machine.write([gpu(1), f"process {other.pid} used=2048", f"process {os.getpid()} used=1"])
        answer = jupyter.call("GET", "devices")
    told = {process["pid"]: process for process in answer["devices"][0]["processes"]}
    theirs, ours = told[other.pid], told[os.getpid()]
    assert (theirs["command"], theirs["memory_used_bytes"]) == (None, 2 * 2**30)
    assert (theirs["birth"], theirs["can_stop"]) == (None, False)
    assert theirs["user"] not in {None, ours["user"]}
    assert ours["command"]
    assert "secret" not in json.dumps(answer)


class TestWhatMatters:
    DEVICE = DeviceModel(
        uuid=gpu_uuid(1), index=0, memory_total_bytes=2**36, memory_used_bytes=2**34, utilization_percent=50,
        power_watts=300, temperature_celsius=60, processes=[DeviceProcess(pid=1, memory_used_bytes=2**30)],
    )  # fmt: skip
    HOST = HostDevices(
        available=True, message="1 GPU can be used; it is in use.", code="ok", devices=[DEVICE],
        host_memory_total_bytes=2**36, host_memory_available_bytes=2**35,
    )  # fmt: skip

    def changed(self, **changes) -> HostDevices:
        return self.HOST.model_copy(update={"devices": [self.DEVICE.model_copy(update=changes)]})

    @pytest.mark.parametrize(
        "changes",
        [
            {},
            {"memory_used_bytes": 2**34 + 2**20},
            {"power_watts": 301.5},
            {"utilization_percent": 50.4},
            {"processes": [DeviceProcess(pid=1, memory_used_bytes=2**30 + 1)]},
        ],
    )
    def test_small_changes_are_not_sent(self, changes):
        assert not matters(self.HOST, self.changed(**changes))

    @pytest.mark.parametrize(
        "changes",
        [
            {"memory_used_bytes": 2**34 + 2**25},
            {"memory_used_bytes": None},
            {"power_watts": 290},
            {"utilization_percent": 0},
            {"temperature_celsius": None},
            {"error": "This GPU is lost."},
            {"visible": False},
            {"processes": []},
            {"processes": [DeviceProcess(pid=2, memory_used_bytes=2**30)]},
            {"processes": [DeviceProcess(pid=1, memory_used_bytes=2**31)]},
            {"processes": [DeviceProcess(pid=1, memory_used_bytes=2**30, notebook="a.ipynb")]},
        ],
    )
    def test_other_changes_are(self, changes):
        assert matters(self.HOST, self.changed(**changes))

    def test_the_host_itself(self):
        assert not matters(self.HOST, self.HOST.model_copy(update={"host_memory_available_bytes": 2**35 + 2**20}))
        assert matters(self.HOST, self.HOST.model_copy(update={"host_memory_available_bytes": 2**34}))
        assert matters(self.HOST, self.HOST.model_copy(update={"code": "error"}))
        assert matters(self.HOST, self.HOST.model_copy(update={"devices": []}))

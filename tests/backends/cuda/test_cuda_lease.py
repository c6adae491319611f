"""Leases of a GPU between two users: the position in the queue is shown, and a killed lease frees the GPU."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from nvml.machine import gpu

from tests.otheruser import OtherUser

pytest.importorskip("dask_cuda", reason="runs in the second environment, which has dask-cuda")
pytestmark = [pytest.mark.processes, pytest.mark.timeout(300)]

HOLDS = """
import os, time, gpucluster
with gpucluster.lease(backend="cuda") as client:
    print(os.getpid(), client.submit(lambda: os.environ["CUDA_VISIBLE_DEVICES"]).result(), flush=True)
    time.sleep(600)
"""
WAITS = """
import sys, gpucluster
from gpucluster.client.lease import Lease
shown = []
lease = Lease({"backend": "cuda", "n_workers": 1})
def progress(model):
    if model.progress is not None and model.progress.step == "line" and not shown:
        shown.append(model.progress.message)
        print(shown[0], flush=True)
try:
    client = lease.begin(progress)
except KeyboardInterrupt:
    print("gave up", len(gpucluster.node().line), flush=True)
    sys.exit()
print(client.submit(sum, [1, 41]).result(), [slot.index for slot in lease.cluster.model.slots], flush=True)
lease.end()
print(sum(len(device.holders) for device in gpucluster.node().devices), flush=True)
"""


@pytest.fixture
def shared(fake_libraries, machine):
    """The environment of a machine with one GPU that all users see, assigned as a whole."""
    folder = Path(tempfile.mkdtemp(prefix="gpcnode", dir="/tmp"))
    folder.chmod(0o755)
    shutil.copytree(fake_libraries, folder / "libraries")
    (folder / "libraries").chmod(0o755)
    machine.libraries, machine.file = folder / "libraries", folder / "machine.txt"
    machine.write([gpu(1)])
    site = folder / "site.yaml"
    site.write_text("sharing:\n  slots_per_gpu: 1\n")
    yield machine.environment(GPUCLUSTER_SITE=str(site), GPUCLUSTER_DIR=str(folder / "clusters"))
    shutil.rmtree(folder)


@pytest.fixture
def waiting(shared):
    """Processes of this user that want the GPU."""
    started: list[subprocess.Popen[str]] = []
    yield started
    for process in started:
        process.kill()
        process.communicate()


def read(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


@pytest.mark.full
def test_killed_lease_frees_the_gpu_for_the_next_user(shared, waiting):
    user = OtherUser({name: shared[name] for name in ("LD_LIBRARY_PATH", "FAKE_NVML", "FAKE_CUDA_INIT",
                                                      "GPUCLUSTER_NODE", "GPUCLUSTER_SITE", "PATH")})  # fmt: skip
    holder = user.start("-c", HOLDS, stderr=None)
    try:
        pid, device = read(holder).split()
        assert device.startswith("GPU-")
        for _ in range(2):
            waiting.append(
                subprocess.Popen([sys.executable, "-c", WAITS], env=shared, stdout=subprocess.PIPE, text=True)
            )
            place = f"{len(waiting) - 1} before you" if len(waiting) > 1 else "you are next"
            assert read(waiting[-1]) == f"In queue: {place}"
        first, second = waiting
        second.send_signal(signal.SIGINT)
        assert read(second) == "gave up 1", "the first one is still in the queue"
        os.kill(int(pid), signal.SIGKILL)
        assert read(first) == "42 [0]"
        assert read(first) == "0", "and is free again"
    finally:
        holder.kill()
        holder.communicate()
        user.close()

"""What a live view of eight GPU workers costs: ``python -m benchmarks.viewers --cuda-python …``.

The cluster is a real one (dask-cuda in the environment of ``--cuda-python``) on a machine whose eight GPUs exist in
a text file only; their figures change each second. Viewers are WebSockets that read everything, in this process,
whose own time is not counted. Time comes from ``/proc/PID/stat`` of the Jupyter server and of the cluster's process.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import random
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx
from tornado.httpclient import HTTPRequest
from tornado.websocket import websocket_connect

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "fakes"))

from nvml.machine import FakeMachine, compile_libraries, gpu  # noqa: E402

from benchmarks.recording import record  # noqa: E402
from benchmarks.turns import cpu_seconds  # noqa: E402

GPUS = 8
SETTLE_SECONDS = 8.0


def write_machine(machine: FakeMachine, pids: list[int]) -> None:
    """Let the GPUs have new figures, and one process of the cluster each."""
    lines = []
    for number in range(GPUS):
        used = random.randrange(2000, 60000)
        lines.append(
            gpu(number, total=81920, used=used, util=random.randrange(100), power=random.randrange(80, 700),
                temperature=random.randrange(30, 90), name="NVIDIA H100 80GB")
        )  # fmt: skip
        if number < len(pids):
            lines.append(f"process {pids[number]} used={used - 500}")
    machine.write(lines)


@contextlib.contextmanager
def server(
    environment: Mapping[str, str],
    folder: Path,
    token: str,
    *,
    python: str = sys.executable,
    extension: str = "gpucluster",
) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """Run a Jupyter server with one extension alone."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    command = [python, "-m", "jupyter_server", "--ip=127.0.0.1", f"--port={port}", "--no-browser",
               "--allow-root", "--ServerApp.port_retries=0", f"--ServerApp.root_dir={folder}",
               f"--ServerApp.jpserver_extensions={{'{extension}': True}}",
               *(["--GPUClusterExtension.standby=False"] if extension == "gpucluster" else [])]  # fmt: skip
    settings = {
        **environment,
        "JUPYTER_TOKEN": token,
        "JUPYTER_NO_CONFIG": "1",
        **{f"JUPYTER_{kind}_DIR": str(folder / kind.lower()) for kind in ("CONFIG", "DATA", "RUNTIME")},
    }
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(command, env=settings, stdout=log, stderr=log)
    try:
        for _ in range(600):
            with contextlib.suppress(httpx.HTTPError):
                if httpx.get(f"http://127.0.0.1:{port}/api", trust_env=False).is_success:
                    break
            if process.poll() is not None:
                raise RuntimeError((folder / "server.log").read_text())
            time.sleep(0.1)
        yield process, port
    finally:
        process.terminate()
        process.wait(30)


BARE = f"""
import time
from dask_cuda import LocalCUDACluster
if __name__ == "__main__":
    cluster = LocalCUDACluster(n_workers={GPUS}, dashboard_address="127.0.0.1:0")
    print("ready", flush=True)
    time.sleep(3600)
"""


@contextlib.contextmanager
def bare_cluster(python: str, environment: Mapping[str, str], folder: Path) -> Iterator[int]:
    """Run dask-cuda's own cluster object without us; gives the id of its process."""
    script = folder / "bare.py"
    script.write_text(BARE)
    with (folder / "bare.log").open("wb") as log:
        process = subprocess.Popen(
            [python, str(script)], env=dict(environment), stdout=subprocess.PIPE, stderr=log, cwd=folder
        )
    assert process.stdout is not None
    try:
        if b"ready" not in process.stdout.readline():
            raise RuntimeError((folder / "bare.log").read_text())
        yield process.pid
    finally:
        process.terminate()
        process.wait(60)
        process.stdout.close()


async def shares_of_a_core(pids: Sequence[int], seconds: float) -> list[float]:
    """Return the CPU time that processes use within some seconds, in per cent of a core."""
    before, began = [cpu_seconds(pid) for pid in pids], time.monotonic()
    await asyncio.sleep(seconds)
    used = [cpu_seconds(pid) - already for pid, already in zip(pids, before, strict=True)]
    return [round(100 * each / (time.monotonic() - began), 3) for each in used]


@contextlib.asynccontextmanager
async def viewers(
    number: int, port: int, token: str, paths: Sequence[str] = ("gpucluster/api/events",)
) -> AsyncIterator[dict[str, int]]:
    """Open this number of WebSockets for each path, read them, and count the messages."""
    seen = {"messages": 0, "bytes": 0}

    async def read(connection: Any) -> None:
        while (message := await connection.read_message()) is not None:
            seen["messages"] += 1
            seen["bytes"] += len(message)

    headers = {"Authorization": f"token {token}"}
    connections = [
        await websocket_connect(HTTPRequest(f"ws://127.0.0.1:{port}/{path}", headers=headers))
        for path in paths
        for _ in range(number)
    ]
    readers = [asyncio.create_task(read(connection)) for connection in connections]
    try:
        yield seen
    finally:
        for connection in connections:
            connection.close()
        await asyncio.wait(readers, timeout=10) if readers else None


async def measure(numbers: list[int], seconds: float, python: str) -> list[dict[str, Any]]:
    """Return CPU time, in per cent of a core, of server and supervisor for each number of viewers."""
    from gpucluster.client.control import AsyncControl

    folder = Path(tempfile.mkdtemp(prefix="gpcview", dir="/tmp"))
    registry = folder / "clusters"
    registry.mkdir(mode=0o700)
    machine = FakeMachine(compile_libraries(folder), folder / "machine.txt")
    write_machine(machine, [])
    environment = machine.environment(GPUCLUSTER_DIR=str(registry))
    os.environ.update(environment)
    os.environ.pop("CUDA_VISIBLE_DEVICES", None)
    control = AsyncControl(registry)
    token = secrets.token_hex(16)
    rows: list[dict[str, Any]] = []
    changing: asyncio.Task[None] | None = None
    try:
        with server(environment, folder, token) as (process, port):
            [idle] = await shares_of_a_core([process.pid], seconds)
            rows.append({"viewers": 0, "cluster": False, "server": idle})
            print(rows[-1], flush=True)
            with bare_cluster(python, environment, folder) as pid:
                await asyncio.sleep(SETTLE_SECONDS)
                [idle] = await shares_of_a_core([pid], seconds)
                rows.append({"viewers": 0, "cluster": "LocalCUDACluster without gpucluster", "process": idle})
                print(rows[-1], flush=True)
            model = await control.create(
                {"backend": "cuda", "n_workers": GPUS, "idle_timeout_seconds": None}, python=python
            )
            model = await control.wait(model.id, timeout=300)
            pids = [worker.pid for worker in model.workers if worker.pid]

            async def change() -> None:
                while True:
                    write_machine(machine, pids)
                    await asyncio.sleep(1)

            changing = asyncio.create_task(change())
            assert model.pid is not None
            await asyncio.sleep(SETTLE_SECONDS)
            for number in numbers:
                async with viewers(number, port, token) as seen:
                    await asyncio.sleep(SETTLE_SECONDS)
                    already = dict(seen)
                    of_server, of_supervisor = await shares_of_a_core([process.pid, model.pid], seconds)
                    each = max(number, 1) * seconds
                    rows.append({
                        "viewers": number, "cluster": True, "seconds": seconds,
                        "server": of_server, "supervisor": of_supervisor, "total": round(of_server + of_supervisor, 3),
                        "messages_per_viewer_second": round((seen["messages"] - already["messages"]) / each, 2),
                        "bytes_per_viewer_second": round((seen["bytes"] - already["bytes"]) / each),
                    })  # fmt: skip
                    print(rows[-1], flush=True)
            await control.stop(model.id)
    finally:
        if changing is not None:
            changing.cancel()
        for left in await control.list():
            await control.stop(left.id)
        shutil.rmtree(folder, ignore_errors=True)
    return rows


CHARTS = tuple(f"nvdashboard/{chart}" for chart in ("gpu_utilization", "gpu_usage", "gpu_resource", "cpu_resource"))


async def measure_nvdashboard(numbers: list[int], seconds: float, python: str) -> list[dict[str, Any]]:
    """Return the same of jupyterlab-nvdashboard, which shows the same GPUs in four charts, once a second each."""
    folder = Path(tempfile.mkdtemp(prefix="gpcview", dir="/tmp"))
    machine = FakeMachine(compile_libraries(folder), folder / "machine.txt")
    write_machine(machine, [])
    token = secrets.token_hex(16)
    rows: list[dict[str, Any]] = []
    try:
        with server(machine.environment(), folder, token, python=python, extension="jupyterlab_nvdashboard") as (
            process,
            port,
        ):
            for number in numbers:
                async with viewers(number, port, token, CHARTS) as seen:
                    await asyncio.sleep(SETTLE_SECONDS)
                    already = seen["messages"]
                    [used] = await shares_of_a_core([process.pid], seconds)
                    each = (seen["messages"] - already) / max(number, 1) / seconds
                    rows.append({"viewers": number, "server": used, "messages_per_viewer_second": round(each, 2)})
                    print("nvdashboard", rows[-1], flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return rows


def main() -> None:
    """Measure, print and write down."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.viewers", description=__doc__)
    parser.add_argument("--cuda-python", required=True, help="Python with dask-cuda and gpucluster.")
    parser.add_argument("--nvdashboard-python", help="Python with jupyterlab-nvdashboard, to measure it too.")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--viewers", type=int, nargs="+", default=[0, 1, 10, 50])
    options = parser.parse_args()
    rows = asyncio.run(measure(options.viewers, options.seconds, options.cuda_python))
    peer = None
    if options.nvdashboard_python:
        peer = asyncio.run(measure_nvdashboard(options.viewers, options.seconds, options.nvdashboard_python))
    figures = {"gpus": GPUS, "percent_of_a_core": rows, "nvdashboard_percent_of_a_core": peer}
    record(figures, name="viewers", packages=["distributed", "jupyter-server", "tornado"])


if __name__ == "__main__":
    main()

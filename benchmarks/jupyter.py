"""A real JupyterLab server to measure, and the REST interfaces of both products on it."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

POLL_SECONDS = 0.005
PATIENCE_SECONDS = 120.0


@dataclass
class Server:
    """A running JupyterLab."""

    process: subprocess.Popen[bytes]
    client: httpx.Client
    folder: Path

    def get(self, path: str) -> Any:
        """Return the JSON at a path."""
        return self.client.get(path).raise_for_status().json()

    def terminate(self) -> float:
        """Send SIGTERM; returns the seconds until the server has ended."""
        started = time.perf_counter()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)
        return time.perf_counter() - started


def until(condition: Any) -> None:
    """Poll until the condition holds."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError("the measured operation did not end")
        time.sleep(POLL_SECONDS)


@contextlib.contextmanager
def jupyterlab(*options: str) -> Iterator[Server]:
    """Run JupyterLab with both extensions on loopback until the block ends."""
    folder = Path(tempfile.mkdtemp(prefix="gpcbench", dir="/tmp"))
    (folder / "clusters").mkdir(mode=0o700)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    token = secrets.token_hex(24)
    environment = {
        **os.environ,
        "GPUCLUSTER_DIR": str(folder / "clusters"),
        "JUPYTER_TOKEN": token,
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        "DASK_LABEXTENSION__FACTORY__KWARGS": "{'n_workers': 2, 'threads_per_worker': 1}",
        "DASK_LOGGING__DISTRIBUTED": "error",
    }
    command = [sys.executable, "-m", "jupyter", "lab", "--no-browser", "--ip=127.0.0.1", f"--port={port}",
               "--ServerApp.port_retries=0", "--allow-root", f"--ServerApp.root_dir={folder}", *options]  # fmt: skip
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)
    client = httpx.Client(
        base_url=f"http://127.0.0.1:{port}",
        headers={"Authorization": f"token {token}"},
        timeout=PATIENCE_SECONDS,
        trust_env=False,
    )
    server = Server(process, client, folder)

    def answers() -> bool:
        if process.poll() is not None:
            raise RuntimeError((folder / "log").read_text())
        with contextlib.suppress(httpx.HTTPError):
            return client.get("/api/status").is_success
        return False

    try:
        until(answers)
        yield server
    finally:
        client.close()
        if process.poll() is None:
            server.terminate()
        stop_clusters(folder / "clusters")
        shutil.rmtree(folder, ignore_errors=True)


def stop_clusters(directory: Path) -> None:
    """Stop what lives in a registry directory."""
    from gpucluster.client.control import Control

    control = Control(directory)
    for model in control.list():
        control.stop(model.id)
    control.close_standby()


class Ours:
    """gpucluster over REST."""

    name = "gpucluster"

    def __init__(self, server: Server) -> None:
        self.server = server
        self.id = ""

    def model(self) -> Any:
        return self.server.get(f"/gpucluster/api/clusters/{self.id}")

    def _settled(self, n_workers: int) -> bool:
        model = self.model()
        if model["state"] == "failed":
            raise RuntimeError(model["messages"])
        return bool(model["state"] == "running" and model["n_workers"] == n_workers)

    def create(self) -> None:
        body = {"backend": "local", "n_workers": 2}
        self.id = self.server.client.post("/gpucluster/api/clusters", json=body).raise_for_status().json()["id"]
        until(lambda: self._settled(2))

    def scale(self, n_workers: int) -> None:
        url = f"/gpucluster/api/clusters/{self.id}"
        self.server.client.patch(url, json={"n_workers": n_workers}).raise_for_status()
        until(lambda: self._settled(n_workers))

    def stop(self) -> None:
        self.server.client.delete(f"/gpucluster/api/clusters/{self.id}").raise_for_status()
        until(lambda: self.model()["state"] == "stopped")

    def connection(self) -> str:
        """Return Python code that makes ``client``."""
        directory = self.server.folder / "clusters"
        return (
            f"import os; os.environ['GPUCLUSTER_DIR'] = {str(directory)!r}; import gpucluster; "
            f"client = gpucluster.connect({self.id!r}).get_client()"
        )


class Peer:
    """dask-labextension over REST."""

    name = "dask-labextension"

    def __init__(self, server: Server) -> None:
        self.server = server
        self.id = ""

    def model(self) -> Any:
        return self.server.get(f"/dask/clusters/{self.id}")

    def create(self) -> None:
        self.id = self.server.client.put("/dask/clusters").raise_for_status().json()["id"]
        until(lambda: self.model()["workers"] == 2)

    def scale(self, n_workers: int) -> None:
        self.server.client.patch(f"/dask/clusters/{self.id}", json={"workers": n_workers}).raise_for_status()
        until(lambda: self.model()["workers"] == n_workers)

    def stop(self) -> None:
        self.server.client.delete(f"/dask/clusters/{self.id}").raise_for_status()

    def connection(self) -> str:
        """Return Python code that makes ``client``."""
        return f"from distributed import Client; client = Client({self.model()['scheduler_address']!r})"

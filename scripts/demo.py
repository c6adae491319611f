"""The main job without a person: JupyterLab, a cluster through the panel's REST, the k-means lesson, tear-down.

Exits 0 when the lesson's checks passed on the cluster and nothing is left behind.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

CLUSTER = "demo"
START_SECONDS = 120


def free_port() -> int:
    """Return a port that was free a moment ago."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@contextlib.contextmanager
def jupyterlab(folder: Path) -> Iterator[httpx.Client]:
    """Run JupyterLab on loopback and yield a client of its REST interface."""
    port, token = free_port(), secrets.token_hex(24)
    log = folder / "jupyter.log"
    environment = {
        **os.environ,
        "GPUCLUSTER_DIR": str(folder / "clusters"),
        # In the environment, not on the command line, where every user of the machine could read it.
        "JUPYTER_TOKEN": token,
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        "IPYTHONDIR": str(folder / "ipython"),
    }
    command = [sys.executable, "-m", "jupyter", "lab", "--no-browser", "--ip=127.0.0.1", f"--port={port}",
               "--ServerApp.port_retries=0", f"--ServerApp.root_dir={folder}"]  # fmt: skip
    if os.getuid() == 0:
        command.append("--allow-root")
    with log.open("wb") as output:
        server = subprocess.Popen(command, env=environment, stdout=output, stderr=output, start_new_session=True)
    try:
        with httpx.Client(
            base_url=f"http://127.0.0.1:{port}/gpucluster/api",
            headers={"Authorization": f"token {token}"},
            timeout=60,
            trust_env=False,
        ) as client:
            deadline = time.monotonic() + START_SECONDS
            while True:
                with contextlib.suppress(httpx.HTTPError):
                    if client.get("/clusters").is_success:
                        break
                if server.poll() is not None or time.monotonic() > deadline:
                    raise SystemExit(f"JupyterLab did not start:\n{log.read_text()[-3000:]}")
                time.sleep(0.1)
            yield client
    finally:
        server.terminate()
        server.wait(30)


def answer(response: httpx.Response) -> Any:
    """Return the JSON of a good answer, or end with its sentence."""
    if response.is_error:
        raise SystemExit(f"Refused: {response.json().get('message', response.text)}")
    return response.json()


def wait_until(client: httpx.Client, id: str, *states: str) -> dict[str, Any]:
    """Follow a cluster until it is in one of the states."""
    shown = None
    while True:
        model: dict[str, Any] = answer(client.get(f"/clusters/{id}"))
        message = (model["progress"] or {}).get("message", "")
        if (model["state"], message) != shown:
            shown = (model["state"], message)
            print(f"  {model['state']:9} {message}", flush=True)
        if model["state"] in states:
            return model
        if model["state"] == "failed":
            raise SystemExit(f"The cluster failed: {model['reason']}\n" + "\n".join(model["log_tail"]))
        time.sleep(0.05)


def main() -> int:
    """Run the demonstration."""
    folder = Path(tempfile.mkdtemp(prefix="gpucluster-demo-", dir="/tmp"))
    (folder / "clusters").mkdir(mode=0o700)
    try:
        print("Starting JupyterLab …", flush=True)
        with jupyterlab(folder) as client:
            print("Creating a cluster through the panel's REST interface …", flush=True)
            model = answer(client.post("/clusters", json={"name": CLUSTER, "backend": "auto", "n_workers": 2}))
            model = wait_until(client, model["id"], "running")
            print(f"  {model['n_workers']} workers ({model['backend']}) after {model['start_seconds']:.2f} s")
            try:
                print("Running the k-means lesson on it …", flush=True)
                lesson = subprocess.run(
                    [sys.executable, "-m", "gpucluster.lessons.run", "06", "--cluster", CLUSTER],
                    env={**os.environ, "GPUCLUSTER_DIR": str(folder / "clusters")},
                    check=False,
                )
            finally:
                print("Tearing down …", flush=True)
                answer(client.delete(f"/clusters/{model['id']}"))
                wait_until(client, model["id"], "stopped")
        print(json.dumps({"lesson": "passed" if lesson.returncode == 0 else "failed"}))
        return lesson.returncode
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())

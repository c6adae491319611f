"""The main job without a person: JupyterLab, a cluster through the panel's REST, the k-means lesson, tear-down.

Tells it as a short story; every detail goes into ``.build/demo.log``, the executed notebook into ``.build/demo.ipynb``.
Exits 0 when the lesson's checks passed on the cluster and nothing is left behind.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
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
import psutil

CLUSTER = "demo"
ROOT = Path(__file__).parents[1]
LOG = ROOT / ".build" / "demo.log"
NOTEBOOK = LOG.with_suffix(".ipynb")
KINDS = {"local": "CPU", "cuda": "GPU"}
START_SECONDS = 120
GONE_SECONDS = 60


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
        note("\nLog of JupyterLab:\n" + log.read_text(errors="replace"))


def answer(response: httpx.Response) -> Any:
    """Return the JSON of a good answer, or end with its sentence."""
    if response.is_error:
        raise SystemExit(f"Refused: {response.json().get('message', response.text)}")
    return response.json()


def wait_until(client: httpx.Client, id: str, *states: str) -> dict[str, Any]:
    """Follow a cluster until it is in one of the states; each step goes into the log."""
    noted = None
    while True:
        model: dict[str, Any] = answer(client.get(f"/clusters/{id}"))
        message = (model["progress"] or {}).get("message", "")
        if (model["state"], message) != noted:
            noted = (model["state"], message)
            note(f"{CLUSTER}: {model['state']:9} {message}")
        if model["state"] in states:
            return model
        if model["state"] == "failed":
            raise SystemExit(f"The cluster failed: {model['reason']}\n" + "\n".join(model["log_tail"]))
        time.sleep(0.05)


def note(text: str) -> None:
    """Write a detail into the log."""
    with LOG.open("a") as log:
        log.write(text.rstrip("\n") + "\n")


def tell(text: str) -> None:
    """Go on with the story, on the screen and in the log."""
    print(text, flush=True)
    note(text)


def processes_left(folder: Path) -> list[str]:
    """Return what still runs of this demonstration some time after its folder was deleted."""
    deadline = time.monotonic() + GONE_SECONDS
    while True:
        lines = (" ".join(process.info["cmdline"] or ()) for process in psutil.process_iter(["cmdline"]))
        left = [line for line in lines if str(folder) in line]
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(0.2)


def run_lesson(folder: Path) -> int:
    """Run the k-means lesson on the cluster and tell what came of it; returns its exit code."""
    lesson = subprocess.run(
        [sys.executable, "-m", "gpucluster.lessons.run", "06", "--cluster", CLUSTER, "--output", str(NOTEBOOK)],
        env={**os.environ, "GPUCLUSTER_DIR": str(folder / "clusters")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    note(lesson.stdout)
    checks = re.findall(r"^check (\S+): (.+)$", lesson.stdout, re.MULTILINE)
    figures = dict(re.findall(r"^(\w+): ([\d.]+)$", lesson.stdout, re.MULTILINE))
    failed = [f"{name} {state}" for name, state in checks if state != "passed"]
    if {"points", "k", "iterations", "seconds"} <= figures.keys():
        tell(
            f"   k-means put {int(figures['points']):,} points into {figures['k']} groups: "
            f"{figures['iterations']} iterations in {float(figures['seconds']):.1f} s"
        )
    tell(f"   {len(checks) - len(failed)} of {len(checks)} checks passed")
    if NOTEBOOK.exists():
        tell(f"   the notebook with all that it printed and drew: {NOTEBOOK}")
    for line in [*failed, *([] if checks else lesson.stdout.splitlines()[-10:])]:
        tell(f"   {line}")
    return lesson.returncode


def main() -> int:
    """Run the demonstration."""
    LOG.parent.mkdir(exist_ok=True)
    LOG.write_text("")
    NOTEBOOK.unlink(missing_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="gpucluster-demo-", dir="/tmp"))
    (folder / "clusters").mkdir(mode=0o700)
    try:
        tell(f"The main job, without a person. Details: {LOG}")
        tell("1. JupyterLab starts …")
        with jupyterlab(folder) as client:
            tell("2. A cluster is created, as the panel does it …")
            model = answer(client.post("/clusters", json={"name": CLUSTER, "backend": "auto", "n_workers": 2}))
            model = wait_until(client, model["id"], "running")
            kind = KINDS.get(model["backend"], model["backend"])
            tell(f"   {model['n_workers']} {kind} workers after {model['start_seconds']:.1f} s")
            try:
                tell("3. The k-means lesson runs on it, with the solutions filled in; that takes a minute or two …")
                status = run_lesson(folder)
                state = answer(client.get(f"/clusters/{model['id']}"))["state"]
                note(f"{CLUSTER}: {state:9} after the lesson")
                if state != "running":
                    raise SystemExit("The lesson has ended a cluster that is not its own.")
            finally:
                tell("4. Everything is torn down …")
                answer(client.delete(f"/clusters/{model['id']}"))
                wait_until(client, model["id"], "stopped")
        shutil.rmtree(folder)
        if left := processes_left(folder):
            note("\n".join(left))
            tell(f"   {len(left)} processes are left; the log names them")
            return 1
        tell("   cluster and JupyterLab have stopped; no process is left")
        tell(json.dumps({"lesson": "passed" if status == 0 else "failed"}))
        return status
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())

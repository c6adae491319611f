"""The Binder image without Docker: the same packages in a fresh environment, below the path of a hub."""

import asyncio
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import nbformat
import pytest
from tornado.httpclient import HTTPRequest
from tornado.websocket import websocket_connect

ROOT = Path(__file__).parents[2]
BINDER = ROOT / "binder"
PREFIX = "/user/ada/"
LARGEST = 1_500_000_000
LESSONS = ("00-check-in", "06-kmeans")

Run = Callable[..., str]


def test_the_python_is_named_and_the_programs_can_be_run() -> None:
    assert (BINDER / "runtime.txt").read_text(encoding="utf-8").strip() == "python-3.11"
    for name in ("postBuild", "start"):
        assert os.access(BINDER / name, os.X_OK)
        subprocess.run(["bash", "-n", str(BINDER / name)], check=True)


def test_the_workspace_has_the_lesson_left_and_the_dashboard_right() -> None:
    data = json.loads((BINDER / "workspace.json").read_text(encoding="utf-8"))["data"]
    layout = data["layout-restorer:data"]
    left, right = (area["widgets"] for area in layout["main"]["dock"]["children"])
    assert left == ["notebook:gpucluster-lessons/00-check-in/00-check-in.ipynb"]
    assert (ROOT / "notebooks" / "00-check-in" / "00-check-in.ipynb").is_file()
    assert data[right[0]]["data"]["name"] == "lesson-00"  # the cluster that the lesson makes
    assert layout["right"]["current"] == "gpucluster-panel"  # with the gauges
    sides = json.loads((BINDER / "overrides.json").read_text(encoding="utf-8"))
    assert sides["@jupyterlab/application-extension:sidebar"] == {"overrides": {"gpucluster-panel": "right"}}


def start(home: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the start script of the image with the packages of this environment."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("JUPYTER")}
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return subprocess.run(
        [BINDER / "start", "echo", "reached"], env={**kept, "PATH": path, "HOME": str(home), **variables},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


@pytest.mark.full
def test_the_layout_is_set_up_once_where_jupyter_looks_for_it(tmp_path: Path) -> None:
    folders = {
        "JUPYTER_CONFIG_DIR": tmp_path / "config" / "lab" / "workspaces",
        "JUPYTERLAB_WORKSPACES_DIR": tmp_path / "config",
    }
    for variable, folder in folders.items():
        for _ in range(2):
            done = start(tmp_path, **{variable: str(tmp_path / "config")})
            assert (done.returncode, done.stdout, done.stderr) == (0, "reached\n", "")
            [layout] = folder.glob("default-*.jupyterlab-workspace")
            layout.write_text("my own", encoding="utf-8")
        assert layout.read_text(encoding="utf-8") == "my own"
    assert not (tmp_path / ".jupyter").exists()


def test_jupyterlab_starts_where_no_layout_can_be_kept(tmp_path: Path) -> None:
    done = start(tmp_path, JUPYTER_CONFIG_DIR="/proc/nowhere")
    assert (done.returncode, done.stdout) == (0, "reached\n")
    assert done.stderr == "The layout of the lessons could not be set up; JupyterLab opens without it.\n"
    done = start(tmp_path, PATH="/usr/bin:/bin")  # without JupyterLab, and perhaps without Python
    assert (done.returncode, done.stdout) == (0, "reached\n")


@pytest.fixture(scope="module")
def image(wheel: Path, run: Run) -> Iterator[tuple[Path, dict[str, str]]]:
    """An environment and a home folder with the lessons, as in Binder."""
    home = Path(tempfile.mkdtemp(prefix="gb", dir="/tmp"))
    venv = home / "env"
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "PYTHON", "GPUCLUSTER"))
    }
    environment = {
        **kept,
        "PATH": f"{venv}/bin:{os.environ['PATH']}",
        "HOME": str(home),
        "PIP_COMPILE": "0",  # ten thousand files, of which two lessons import a part
        "GPUCLUSTER_DIR": str(home / "registry"),
        "GPUCLUSTER_WHEELS": str(wheel.parent),
        "GPUCLUSTER_BINDER_FOLDER": str(home / "gpucluster-lessons"),
        "JUPYTERHUB_SERVICE_PREFIX": PREFIX,
    }
    run(sys.executable, "-m", "venv", venv, cwd=home, environment=environment)
    run(BINDER / "postBuild", cwd=home, environment=environment)
    yield home, environment
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(scope="module")
def server(image: tuple[Path, dict[str, str]]) -> Iterator[httpx.Client]:
    """JupyterLab as Binder starts it."""
    home, environment = image
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    token = secrets.token_hex(16)
    command = [BINDER / "start", "jupyter", "lab", "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}",
               f"--ServerApp.base_url={PREFIX}", f"--IdentityProvider.token={token}"]  # fmt: skip
    log = home / "log"
    with log.open("wb") as file:
        process = subprocess.Popen(command, cwd=home, env=environment, stdout=file, stderr=subprocess.STDOUT)
    try:
        headers = {"Authorization": f"token {token}"}
        with httpx.Client(base_url=f"http://127.0.0.1:{port}{PREFIX}", headers=headers, trust_env=False) as client:
            for _ in range(600):
                assert process.poll() is None, log.read_text()[-3000:]
                try:
                    if client.get("api/status").status_code == 200:
                        break
                except httpx.TransportError:
                    time.sleep(0.2)
            yield client
    finally:
        process.terminate()
        process.wait(30)
        subprocess.run(
            ["gpucluster", "stop", "--all", "--yes"], env=environment, cwd=home, capture_output=True, timeout=60
        )


@pytest.mark.full
@pytest.mark.timeout(600)
def test_the_environment_is_small(image: tuple[Path, dict[str, str]]) -> None:
    home, _ = image
    # The image contains compiled files, which are at most 1.5 times as large as their sources.
    files = [path for path in (home / "env").rglob("*") if path.suffix != ".pyc"]
    size = sum(path.lstat().st_size * (2.5 if path.suffix == ".py" else 1) for path in files)
    print(f"The environment takes {size / 1e6:,.0f} MB.")
    assert size < LARGEST
    copied = {path.name for path in (home / "gpucluster-lessons").iterdir()}
    assert set(LESSONS) <= copied
    for lesson in LESSONS:
        assert (home / "gpucluster-lessons" / lesson / f"{lesson}-recall.ipynb").is_file()


@pytest.mark.full
@pytest.mark.timeout(600)
def test_layout_waits_for_the_browser(server: httpx.Client, image: tuple[Path, dict[str, str]]) -> None:
    workspace = server.get("lab/api/workspaces/default").json()
    assert workspace["data"] == json.loads((BINDER / "workspace.json").read_text(encoding="utf-8"))["data"]
    assert server.get("gpucluster/api/clusters").status_code == 200


@pytest.mark.full
@pytest.mark.timeout(600)
@pytest.mark.parametrize("lesson", LESSONS)
def test_lessons_run_below_the_path_of_a_hub(lesson: str, server: httpx.Client) -> None:
    path = f"gpucluster-lessons/{lesson}/{lesson}.ipynb"
    book = nbformat.from_dict(server.get(f"api/contents/{path}").json()["content"])
    session = {"path": path, "type": "notebook", "name": "", "kernel": {"name": "python3"}}
    kernel = server.post("api/sessions", json=session).json()["kernel"]["id"]
    address = str(server.base_url).replace("http:", "ws:") + f"api/kernels/{kernel}/channels"
    cells = [cell.source for cell in book.cells if cell.cell_type == "code"]
    try:
        text = "\n".join(asyncio.run(run_cells(address, dict(server.headers), cells)))
    finally:
        server.delete(f"api/kernels/{kernel}")
    assert f"Dashboard  {PREFIX}gpucluster/dashboard/" in text
    assert f"Stopped lesson-{lesson[:2]}." in text
    assert "not yet" in text


async def run_cells(address: str, headers: dict[str, str], cells: list[str]) -> list[str]:
    connection = await websocket_connect(HTTPRequest(address, headers=headers))
    found = []
    try:
        for cell in cells:
            found += await run_cell(connection, cell)
    finally:
        connection.close()
    return found


async def run_cell(connection: Any, code: str) -> list[str]:
    request = secrets.token_hex(8)
    header = {"msg_id": request, "msg_type": "execute_request", "session": "s", "username": "ada", "version": "5.3"}
    content = {"code": code, "silent": False, "store_history": True, "allow_stdin": False, "stop_on_error": True}
    message = {"header": header, "parent_header": {}, "metadata": {}, "content": content, "channel": "shell"}
    await connection.write_message(json.dumps(message))
    found = []
    while True:
        answer = await connection.read_message()
        assert answer is not None, "the kernel's connection has ended"
        if isinstance(answer, bytes):
            continue
        data = json.loads(answer)
        if data["parent_header"].get("msg_id") != request:
            continue
        shown = data["content"]
        assert data["msg_type"] != "error", shown
        found += [shown["text"]] if "text" in shown else []
        found += [shown["data"].get("text/plain", "")] if "data" in shown else []
        if data["msg_type"] == "status" and shown["execution_state"] == "idle":
            return found

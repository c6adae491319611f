"""``gpucluster lab``: a real JupyterLab that opens on the lessons."""

import subprocess
from pathlib import Path

import httpx
import pytest
from gpucluster.lessons.catalogue import lessons
from gpucluster.lessons.commands.lab import FOLDER, lab_command, workspace_path
from gpucluster.protocol.errors import GPUClusterError

from tests.ports import free_ports

FIRST = lessons()[0]
LESSON = f"{FOLDER}/{FIRST.slug}/{FIRST.slug}.ipynb"


@pytest.fixture(autouse=True)
def workspaces(tmp_path_factory, monkeypatch) -> Path:
    folder = tmp_path_factory.mktemp("lab") / "workspaces"
    monkeypatch.setenv("JUPYTERLAB_WORKSPACES_DIR", str(folder))
    return folder


def test_the_layout_is_written_once(workspaces):
    assert workspace_path() == "/lab/workspaces/gpucluster"
    [layout] = workspaces.iterdir()
    changed = layout.read_text().replace("false", "true")
    layout.write_text(changed)
    assert workspace_path() == "/lab/workspaces/gpucluster"
    assert layout.read_text() == changed


@pytest.mark.parametrize("damage", ["not JSON", "unwritable"])
def test_lab_opens_default_page_without_saved_layout(workspaces, damage):
    if damage == "unwritable":
        workspaces.touch()
    else:
        workspace_path()
        next(workspaces.iterdir()).write_text(damage)
    assert workspace_path() == "/lab"


def test_lessons_are_copied_once(tmp_path):
    command = lab_command(tmp_path, ["--no-browser"])
    copied = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.ipynb"))
    assert LESSON in copied
    assert len(copied) == len(lessons())
    assert f"--FileContentsManager.preferred_dir={tmp_path / FOLDER}" in command
    assert command[-1] == "--no-browser"
    (tmp_path / LESSON).write_text("my own work")
    lab_command(tmp_path, [])
    assert (tmp_path / LESSON).read_text() == "my own work"


def test_impossible_folder_is_refused(tmp_path):
    (tmp_path / FOLDER).write_text("a file of that name")
    with pytest.raises(GPUClusterError, match="The lessons cannot be copied to"):
        lab_command(tmp_path, [])


def test_lab_serves_the_lessons(tmp_path, command, wait_until):
    [port] = free_ports(1)
    options = ["--no-browser", f"--port={port}", "--IdentityProvider.token=t0ken", "--allow-root"]
    log = (tmp_path / "log").open("w")
    server = subprocess.Popen([*command, "lab", *options], cwd=tmp_path, stdout=log, stderr=log)
    try:
        base, headers = f"http://127.0.0.1:{port}", {"Authorization": "token t0ken"}
        with httpx.Client(base_url=base, headers=headers, trust_env=False) as client:

            def ready() -> bool:
                assert server.poll() is None, (tmp_path / "log").read_text()
                try:
                    return client.get("/api/status").status_code == 200
                except httpx.TransportError:
                    return False

            wait_until(ready)
            assert client.get(f"/api/contents/{LESSON}").json()["type"] == "notebook"
            opened = client.get("/", follow_redirects=True)
            assert opened.url.path == f"/lab/workspaces/gpucluster/tree/{LESSON}"
    finally:
        server.terminate()
        server.wait(timeout=60)
        log.close()

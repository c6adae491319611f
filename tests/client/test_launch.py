"""Failed starts of a supervisor's process."""

import json
import os
import re
from types import SimpleNamespace

import psutil
import pytest
from gpucluster.client.starting import launch as launching
from gpucluster.client.starting.launch import launch
from gpucluster.protocol.errors import GPUClusterError, RegistryUnwritable, StartFailed
from gpucluster.registry.record import Folder


@pytest.mark.processes
@pytest.mark.parametrize(
    ("python", "has_log", "error"),
    [("/no/python", True, StartFailed), ("/no/python", False, RegistryUnwritable)],
    ids=["no Python", "no room for a log"],
)
def test_it_leaves_no_file_open(tmp_path, python: str, has_log: bool, error: type[GPUClusterError]) -> None:
    folder = Folder(tmp_path)
    if not has_log:
        folder.log.mkdir()
    before = psutil.Process().num_fds()
    held = os.open(tmp_path / "lock", os.O_CREAT | os.O_RDWR)
    with pytest.raises(error):
        launch(folder, held, python=python, cwd=str(tmp_path), environment=dict(os.environ))
    assert psutil.Process().num_fds() == before


@pytest.mark.processes
@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        ("kill -9 $$", "exited during startup without a message: it was killed, or the machine"),
        ("echo disk on fire >&2", "exited during startup. Its last output: disk on fire."),
    ],
    ids=["killed", "with a word"],
)
def test_process_that_exits_at_start_is_reported(tmp_path, script: str, sentence: str) -> None:
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\n{script}\n")
    python.chmod(0o700)
    held = os.open(tmp_path / "lock", os.O_CREAT | os.O_RDWR)
    with pytest.raises(StartFailed, match=re.escape(sentence)):
        launch(Folder(tmp_path), held, python=str(python), cwd=str(tmp_path), environment=dict(os.environ))


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (None, "gpucluster"),
        ("git+https://host/gpucluster.git@0a1b", "git+https://host/gpucluster.git@0a1b"),
        ("file:///gone/gpucluster-1.0-py3-none-any.whl", "gpucluster-1.0-py3-none-any.whl"),
        ("file://{here}/my%20wheel.whl", "'{here}/my wheel.whl'"),
        ("https://host/gpucluster.whl", "https://host/gpucluster.whl"),
    ],
)
def test_missing_package_names_the_pip_extra(tmp_path, monkeypatch, url: str | None, expected: str) -> None:
    (tmp_path / "my wheel.whl").touch()
    found = {"url": url.format(here=tmp_path)} if url is not None else None
    if found is not None and found["url"].startswith("git+"):
        url, _, commit = found["url"].removeprefix("git+").partition("@")
        found = {"url": url, "vcs_info": {"vcs": "git", "commit_id": commit}}
    told = None if found is None else json.dumps(found)
    monkeypatch.setattr(launching, "distribution", lambda name: SimpleNamespace(read_text=lambda file: told))
    assert launching._origin() == expected.format(here=tmp_path)

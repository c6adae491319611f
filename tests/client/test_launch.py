"""The start of a supervisor's process, where it comes to nothing."""

from __future__ import annotations

import os

import psutil
import pytest
from gpucluster.client.launch import launch
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

"""The folder of the sockets: its permissions, its secret, and what is left in it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from gpucluster.comm import folder as folders
from gpucluster.operating_system.files import short_address


def test_folder_and_secret_are_for_this_user_only(folder: Path) -> None:
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / "secret").stat().st_mode & 0o777 == 0o600
    assert len(folders.secret_of(str(folder))) == folders.SECRET_BYTES
    with pytest.raises(FileExistsError):
        folders.make_comm_folder(folder)


def test_secret_that_is_a_link_or_malformed_is_refused(folder: Path) -> None:
    (folder / "secret").rename(folder / "other")
    (folder / "secret").symlink_to(folder / "other")
    with pytest.raises(OSError, match="symbolic links|secret"):
        folders.secret_of(str(folder))
    for make in (os.mkfifo, lambda path: path.write_text("short")):
        (folder / "secret").unlink()
        make(folder / "secret")
        with pytest.raises(OSError, match="not a secret"):
            folders.secret_of(str(folder))


@pytest.mark.processes
def test_sweep_removes_only_sockets_of_killed_processes(folder: Path) -> None:
    code = "import sys, os; from gpucluster.comm.folder import bind; bind(sys.argv[1], backlog=4); os._exit(9)"
    subprocess.run([sys.executable, "-c", code, str(folder)], check=False, timeout=60)
    [left] = [path for path in folder.iterdir() if path.is_socket()]
    listening, path = folders.bind(str(folder), backlog=4)
    # As of a process in another container: it runs, but its process id does not exist here.
    elsewhere, there = folders.bind(str(folder), backlog=4)
    strange = folder / f"{2**22 + 1}-abc"
    os.rename(there, strange)
    folders.sweep(str(folder))
    assert not left.exists()
    assert {entry.name for entry in folder.iterdir()} == {"secret", Path(path).name, strange.name}
    with listening, elsewhere:
        pass


def test_socket_with_a_long_path_is_reachable(folder: Path) -> None:
    deep = folder / ("x" * 90) / ("y" * 90)
    deep.mkdir(parents=True)
    listening, path = folders.bind(str(deep), backlog=4)
    assert len(path) > 180
    with listening, socket.socket(socket.AF_UNIX) as connection, short_address(path) as address:
        connection.connect(address)
    with pytest.raises(OSError, match="too long"), socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)

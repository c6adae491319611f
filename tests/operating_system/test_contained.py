"""A program of which nothing is left, whatever it does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from gpucluster.operating_system.contained import contained

pytestmark = [pytest.mark.processes, pytest.mark.linux("adopts orphans")]
ESCAPE = "env -i setsid sh -c 'echo $$ > {0}.new; mv {0}.new {0}; exec sleep 4245' & "


def is_gone(pid: int) -> bool:
    return not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def test_it_is_as_if_the_command_had_been_run() -> None:
    done = subprocess.run(contained("sh", "-c", "cat; echo said >&2; exit 3"), input=b"told ", capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (3, b"told ", b"said\n")
    assert subprocess.run(contained("sh", "-c", "kill -9 $$")).returncode == -signal.SIGKILL
    done = subprocess.run(contained("/no/such/program"), capture_output=True)
    assert (done.returncode, done.stderr) == (127, b"No such file or directory\n")


def test_what_it_leaves_ends_with_it(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    script = ESCAPE.format(file) + f"until [ -e {file} ]; do sleep 0.01; done; exit 5"
    # What keeps the pipe open would keep whoever reads it, too.
    done = subprocess.run(contained("sh", "-c", script), capture_output=True, timeout=60)
    assert done.returncode == 5, done.stderr
    assert is_gone(int(file.read_text()))


@pytest.mark.parametrize("trap", ["", "trap '' TERM; "], ids=["polite", "deaf"])
def test_who_ends_it_ends_all_of_it(tmp_path: Path, wait_until, trap: str) -> None:
    file = tmp_path / "pid"
    command = contained("sh", "-c", f"{trap}{ESCAPE.format(file)} wait; sleep 4246", seconds=0.2)
    with subprocess.Popen(command) as running:
        wait_until(file.exists)
        running.terminate()
        running.wait(60)
    assert is_gone(int(file.read_text()))


def test_it_ends_with_whoever_started_it(tmp_path: Path, wait_until) -> None:
    file = tmp_path / "pid"
    command = contained("sh", "-c", f"{ESCAPE.format(file)} wait")
    starter = f"import subprocess, time; subprocess.Popen({command!r}, start_new_session=True); time.sleep(600)"
    with subprocess.Popen([sys.executable, "-c", starter]) as starting:
        wait_until(file.exists)
        os.kill(starting.pid, signal.SIGKILL)
    wait_until(lambda: is_gone(int(file.read_text())))

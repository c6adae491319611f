"""What a sandboxed process can write to outside of its folder, and what its environment holds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from gpucluster.lessons.grading.sandbox.folder import Sandbox
from gpucluster.operating_system import landlock

PROGRAM = """
import os, pathlib, subprocess, sys
from gpucluster.lessons.grading.sandbox.protection import confine

root, pid, slave = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
assert confine(root)

def may(path):
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_NOCTTY))
    except OSError as error:
        return error.errno == 6  # opened, but there is no such terminal
    return True

names = (slave, "/dev/tty", "/dev/ptmx", f"/proc/{pid}/oom_score_adj", "/proc/self/oom_score_adj")
assert [name for name in names if may(name)] == []
assert may("/dev/null")
(root / "own").write_text("x")
(pathlib.Path("/dev/shm") / root.name).write_text("x")  # locks need it
(pathlib.Path("/dev/shm") / root.name).unlink()
child = subprocess.Popen(["sleep", "60"])
child.kill()
child.wait()
try:
    os.kill(int(pid), 0)
except OSError:
    print("others cannot be signalled")
"""


@pytest.mark.skipif(landlock.version() < 6, reason="this kernel has no Landlock, or an old one")
def test_terminals_and_other_processes_are_out_of_reach(tmp_path: Path) -> None:
    master, slave = os.openpty()
    try:
        command = [sys.executable, "-c", PROGRAM, str(tmp_path), str(os.getpid()), os.ttyname(slave)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    finally:
        os.close(master)
        os.close(slave)
    assert (done.stdout.strip(), done.returncode) == ("others cannot be signalled", 0), done.stderr


def test_many_folders_to_close_are_no_part_of_the_environment(tmp_path: Path) -> None:
    many = tuple(tmp_path.parent / ("x" * 200 + str(number)) for number in range(1_000))
    sandbox = Sandbox(tmp_path, "token", many)
    assert sum(len(name) + len(value) for name, value in sandbox.environment({}).items()) < 10_000
    assert set(many) <= set(sandbox.unreadable())
    assert tmp_path.parent not in Sandbox(tmp_path, "token", (tmp_path.parent,)).unreadable()

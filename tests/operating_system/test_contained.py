"""Contained programs leave no process behind; ``end_descendants`` ends everything below a process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from gpucluster.operating_system.contained import contained

ESCAPE = "env -i setsid sh -c 'echo $$ > {0}.new; mv {0}.new {0}; exec sleep 4245' & "


def is_gone(pid: int) -> bool:
    return not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


@pytest.mark.processes
@pytest.mark.linux("adopts orphans")
def test_contained_program_behaves_like_command() -> None:
    done = subprocess.run(contained("sh", "-c", "cat; echo said >&2; exit 3"), input=b"told ", capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (3, b"told ", b"said\n")
    assert subprocess.run(contained("sh", "-c", "kill -9 $$")).returncode == -signal.SIGKILL
    done = subprocess.run(contained("/no/such/program"), capture_output=True)
    assert (done.returncode, done.stderr) == (127, b"No such file or directory\n")


@pytest.mark.processes
@pytest.mark.linux("adopts orphans")
def test_what_it_leaves_ends_with_it(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    script = ESCAPE.format(file) + f"until [ -e {file} ]; do sleep 0.01; done; exit 5"
    # A process that keeps the pipe open would keep its reader waiting.
    done = subprocess.run(contained("sh", "-c", script), capture_output=True, timeout=60)
    assert done.returncode == 5, done.stderr
    assert is_gone(int(file.read_text()))


@pytest.mark.processes
@pytest.mark.linux("adopts orphans")
@pytest.mark.parametrize("trap", ["", "trap '' TERM; "], ids=["polite", "deaf"])
def test_ending_contained_program_ends_all(tmp_path: Path, wait_until, trap: str) -> None:
    file = tmp_path / "pid"
    command = contained("sh", "-c", f"{trap}{ESCAPE.format(file)} wait; sleep 4246", seconds=0.2)
    with subprocess.Popen(command) as running:
        wait_until(file.exists)
        running.terminate()
        running.wait(60)
    assert is_gone(int(file.read_text()))


@pytest.mark.processes
@pytest.mark.linux("adopts orphans")
def test_contained_program_ends_with_its_parent(tmp_path: Path, wait_until) -> None:
    file = tmp_path / "pid"
    command = contained("sh", "-c", f"{ESCAPE.format(file)} wait")
    starter = f"import subprocess, time; subprocess.Popen({command!r}, start_new_session=True); time.sleep(600)"
    with subprocess.Popen([sys.executable, "-c", starter]) as starting:
        wait_until(file.exists)
        os.kill(starting.pid, signal.SIGKILL)
    wait_until(lambda: is_gone(int(file.read_text())))


PARENT = """
import os, subprocess, sys
from gpucluster.operating_system import end_descendants

os.setsid()
end_descendants.start()
stubborn = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(600)"
child = subprocess.Popen([sys.executable, "-c", stubborn], stdout=subprocess.PIPE)
child.stdout.readline()
orphans = []
for session, environment in ((False, {}), (True, dict(os.environ))):
    # Its own parent ends at once, so we never see it below us.
    code = (
        "import subprocess, sys\\n"
        f"p = subprocess.Popen(['sleep', '600'], start_new_session={session}, stdout=-3, stderr=-3)\\n"
        "p.returncode = 0; print(p.pid, flush=True)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    orphans.append(int(done.stdout))
print(end_descendants.started(), child.pid, *orphans, flush=True)
sys.stdin.readline()
os._exit(0)
"""


@pytest.mark.parametrize("killed", [True, False], ids=["killed", "ended"])
def test_nothing_is_left(killed: bool, wait_until) -> None:
    """Neither a child that ignores signals, nor an orphan in our session, nor one in its own session."""
    stranger = subprocess.Popen(["sleep", "600"])
    with subprocess.Popen([sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdin is not None and parent.stdout is not None
        below = [psutil.Process(int(word)) for word in parent.stdout.readline().split()]
        assert len(below) == 4 and all(process.is_running() for process in below)
        if killed:
            parent.send_signal(signal.SIGKILL)
        else:
            parent.stdin.write(b"\n")
    wait_until(lambda: not [p for p in below if p.is_running() and p.status() != psutil.STATUS_ZOMBIE], what=below)
    assert stranger.poll() is None
    stranger.kill()
    stranger.wait()

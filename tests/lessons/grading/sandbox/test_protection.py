"""What is said of a machine that holds notebooks back in part only, and what a runner refuses to do."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from gpucluster.lessons.grading.grades import Protection
from gpucluster.lessons.grading.sandbox.folder import Sandbox
from gpucluster.lessons.grading.sandbox.protection import Unprotected, refuse_too_little
from gpucluster.operating_system import landlock

READ, EMPTY, END, CONNECT, MODES, OTHERS = (
    "It could read",
    "It could empty",
    "It could end",
    "It could connect",
    "It could change",
    "It could read other files of this account, and use the network",
)


@pytest.mark.parametrize(
    ("landlock", "system_calls", "gaps"),
    [
        (0, False, [READ, MODES]), (0, True, [READ]),
        (2, False, [EMPTY, END, CONNECT, MODES]), (2, True, [END, CONNECT]),
        (3, False, [END, CONNECT, MODES]), (6, False, [CONNECT, MODES]), (8, True, [CONNECT]), (9, True, []),
    ],
)  # fmt: skip
def test_each_gap_is_named(landlock: int, system_calls: bool, gaps: list[str]) -> None:
    said = Protection(landlock=landlock, system_calls=system_calls, no_rights=True).gaps
    assert said.pop().startswith(OTHERS)
    assert len(said) == len(gaps)
    assert all(one.startswith(gap) for one, gap in zip(said, gaps, strict=True)), said


def test_a_sandbox_of_its_own_is_enough_and_one_with_its_runner_is_not() -> None:
    fenced = {"kind": "bubblewrap", "namespaces": ["user", "mnt", "pid", "net", "ipc"]}
    apart, together = Protection(apart=True, **fenced), Protection(**fenced)
    refuse_too_little(apart)
    assert apart.gaps == []
    with pytest.raises(Unprotected, match="bubblewrap replaces both"):
        refuse_too_little(together)
    assert together.gaps == ["It could read the solutions, and reach the process that grades it."]
    with pytest.raises(Unprotected):
        refuse_too_little(Protection(kind="bubblewrap", namespaces=["user", "mnt", "pid", "ipc"], apart=True))


def test_what_is_missing_is_said_with_how_to_get_it() -> None:
    refuse_too_little(Protection(landlock=1, system_calls=True))
    with pytest.raises(Unprotected, match="libseccomp2") as caught:
        refuse_too_little(Protection(landlock=1, system_calls=False))
    assert "Landlock" not in str(caught.value)
    with pytest.raises(Unprotected, match="Landlock, which Linux has since 5.13"):
        refuse_too_little(Protection(landlock=0, system_calls=True))


THREADS = """
import threading
from pathlib import Path
from gpucluster.lessons.grading.sandbox.protection import protect
threading.Thread(target=threading.Event().wait, daemon=True).start()
try:
    protect(Path("/nowhere"))
except RuntimeError as error:
    print(error)
Path("/proc/self/comm").write_text("free")  # nothing of it has taken effect
"""


def test_a_runner_that_has_threads_already_is_not_half_restricted() -> None:
    done = subprocess.run([sys.executable, "-c", THREADS], capture_output=True, text=True, timeout=60)
    said = "threads that exist already would not be restricted"
    assert (done.stdout.strip(), done.returncode) == (said, 0), done.stderr


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

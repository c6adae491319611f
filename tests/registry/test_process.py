"""A process is identified by pid and birth: a process with a recycled pid is never signalled."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from gpucluster.operating_system import processes
from gpucluster.registry.record import ProcessIdentity, identify, is_alive, send_signal

SLEEP = [sys.executable, "-c", "import time; print(flush=True); time.sleep(600)"]


@pytest.fixture
def sleeper():
    with subprocess.Popen(SLEEP, stdout=subprocess.PIPE) as child:
        child.stdout.readline()
        yield child
        child.kill()


def test_a_process_is_itself(sleeper):
    me = identify(sleeper.pid)
    assert me == identify(sleeper.pid)
    assert is_alive(me)
    assert me != identify(os.getpid())
    assert ProcessIdentity.model_validate_json(me.model_dump_json()) == me


def test_signal_reaches_its_process(sleeper):
    assert send_signal(identify(sleeper.pid), signal.SIGTERM)
    assert sleeper.wait(30) == -signal.SIGTERM


def test_wrong_birth_is_never_signalled(sleeper):
    stranger = ProcessIdentity(pid=sleeper.pid, birth=identify(sleeper.pid).birth + "0")
    assert not is_alive(stranger)
    assert not send_signal(stranger, signal.SIGKILL)
    assert sleeper.poll() is None


@pytest.mark.linux("an id of each boot")
def test_process_of_previous_boot_is_another(sleeper):
    ticks = identify(sleeper.pid).birth.rpartition("-")[2]
    before = ProcessIdentity(pid=sleeper.pid, birth=f"00000000-0000-0000-0000-000000000000-{ticks}")
    assert not send_signal(before, signal.SIGKILL)
    assert sleeper.poll() is None


def test_dead_and_zombie_processes_are_gone(sleeper):
    me = identify(sleeper.pid)
    os.kill(sleeper.pid, signal.SIGKILL)
    os.waitid(os.P_PID, sleeper.pid, os.WEXITED | os.WNOWAIT)  # dead, not reaped: a zombie
    assert psutil.Process(sleeper.pid).status() == psutil.STATUS_ZOMBIE
    assert identify(sleeper.pid) is None
    assert not is_alive(me)
    assert not send_signal(me, signal.SIGTERM)
    sleeper.wait()
    assert not send_signal(me, signal.SIGTERM)


@pytest.mark.linux("/proc")
def test_process_name_with_parentheses_is_parsed():
    code = (
        "import ctypes, time\n"
        "ctypes.CDLL(None).prctl(15, b'a) S 1 (b ) 7')\n"  # PR_SET_NAME
        "print(flush=True)\n"
        "time.sleep(600)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as child:
        child.stdout.readline()
        assert "a) S 1 (b ) 7" in Path(f"/proc/{child.pid}/stat").read_text()
        me = identify(child.pid)
        assert me.birth.rpartition("-")[2].isdigit()
        assert send_signal(me, signal.SIGKILL)


@pytest.mark.parametrize("linux", [pytest.param(True, marks=pytest.mark.linux("ticks since boot")), False])
def test_clock_change_keeps_process_identity(sleeper, monkeypatch, linux):
    monkeypatch.setattr(processes, "LINUX", linux)
    me = identify(sleeper.pid)
    real = time.time
    for shift in (-86400 * 365, -3600, 3600, 86400 * 365):
        monkeypatch.setattr(time, "time", lambda shift=shift: real() + shift)
        # What psutil calls the creation time is computed from the boot time, which moves with the clock.
        monkeypatch.setattr(psutil._psplatform, "boot_time", lambda shift=shift: real() + shift - 1000)
        assert identify(sleeper.pid) == me
        assert is_alive(me)


RECYCLE = """
import os, signal, subprocess, sys, time
from pathlib import Path
from gpucluster.registry.record import identify, is_alive, send_signal

first = subprocess.Popen(["sleep", "600"])
who = identify(first.pid)
first.kill()
first.wait()
# Wait more than one tick of the clock that measures births: no real pid is recycled that fast.
time.sleep(3 / os.sysconf("SC_CLK_TCK"))
for attempt in range(200):
    Path("/proc/sys/kernel/ns_last_pid").write_text(str(first.pid - 1))
    second = subprocess.Popen(["sleep", "600"])
    if second.pid == first.pid:
        break
    second.kill()
    second.wait()
else:
    sys.exit("could not make a recycled pid")
assert identify(second.pid) is not None
assert not is_alive(who), "taken for the dead one"
assert not send_signal(who, signal.SIGKILL), "signalled"
assert second.poll() is None
second.kill()
print("recycled", second.pid)
"""


def test_a_really_recycled_pid_is_never_signalled():
    unshare = ["unshare", "--pid", "--fork", "--mount-proc"]
    if os.getuid() != 0 or subprocess.run([*unshare, "true"], capture_output=True).returncode:
        pytest.skip("needs to make a pid namespace: run as root")
    done = subprocess.run([*unshare, sys.executable, "-c", RECYCLE], capture_output=True, text=True, timeout=120)
    if "ns_last_pid" in done.stderr:
        pytest.skip("the kernel does not let us choose the next pid")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("recycled ")


def test_without_linux_the_birth_is_still_compared(sleeper, monkeypatch):
    monkeypatch.setattr(processes, "LINUX", False)
    assert identify(os.getpid()) != identify(sleeper.pid)
    right = identify(sleeper.pid)
    assert not send_signal(right.model_copy(update={"birth": "other"}), signal.SIGKILL)
    assert sleeper.poll() is None
    assert send_signal(right, signal.SIGTERM)
    assert sleeper.wait(30) == -signal.SIGTERM

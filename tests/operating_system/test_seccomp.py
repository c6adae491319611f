"""The system calls that remain to a filtered process."""

import subprocess
import sys

import pytest
from gpucluster.operating_system import seccomp

pytestmark = pytest.mark.skipif(not seccomp.can_filter(), reason="there is no libseccomp here")

SIGNALS = """
import ctypes, fcntl, os, signal, socket, subprocess, sys, time
from gpucluster.operating_system import seccomp
from gpucluster.lessons.grading.sandbox.protection import other_processes
sleeper = int(sys.argv[1])
libc = ctypes.CDLL(None, use_errno=True)

def refused(step):
    try:
        step()
    except PermissionError:
        return True
    return False

def raw(pid, number):
    if libc.syscall(ctypes.c_long(62), ctypes.c_long(pid), ctypes.c_long(number)) < 0:
        raise OSError(ctypes.get_errno(), "refused")

numbers, groups = other_processes()
assert {sleeper, os.getppid(), *map(int, os.listdir(f"/proc/{os.getppid()}/task"))} <= set(numbers)
assert seccomp.restrict_signals(numbers, groups)
for pid in (sleeper, os.getppid(), -os.getpgid(sleeper), -1):
    assert refused(lambda: os.kill(pid, 0)), pid
if os.uname().machine == "x86_64":
    # Also with bits in the upper half of a register, which the kernel ignores.
    for pid in (sleeper | 1 << 32, sleeper | 1 << 63, -os.getpgid(sleeper) & 0xFFFFFFFF):
        assert refused(lambda: raw(pid, 0)), pid
assert refused(lambda: signal.pidfd_send_signal(os.pidfd_open(sleeper), 0))
one, other = socket.socketpair()
assert refused(lambda: fcntl.fcntl(one, fcntl.F_SETOWN, sleeper))
assert refused(lambda: fcntl.fcntl(one, fcntl.F_SETSIG, signal.SIGKILL))
child = subprocess.Popen(["sleep", "60"], start_new_session=True)
os.kill(child.pid, 0)
os.killpg(child.pid, signal.SIGKILL)
print(child.wait())
signal.raise_signal(signal.SIGTERM)
"""


def test_signals_are_refused_without_landlock():
    sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True)
    try:
        command = [sys.executable, "-c", SIGNALS, str(sleeper.pid)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, start_new_session=True)
        assert (done.stdout.strip(), done.returncode) == ("-9", -15), done.stderr
        assert sleeper.poll() is None
    finally:
        sleeper.kill()
        sleeper.wait()


HONEST = """
import asyncio, multiprocessing, os, pathlib, resource, shutil, sqlite3, subprocess, sys, tarfile, tempfile, threading
from gpucluster.operating_system import seccomp
os.chdir(sys.argv[1])
assert seccomp.restrict(truncation=False)
os.umask(0o077)
pathlib.Path("a").write_text("x")
shutil.copy("a", "b")
shutil.move(shutil.copy2("b", "c"), "d")
assert pathlib.Path("d").read_text() == "x"
os.makedirs("inner")
shutil.copy2("a", "inner/a")
shutil.copytree("inner", tempfile.mkdtemp(dir=".") + "/tree")
with tarfile.open("t.tar", "w") as archive:
    archive.add("a")
with tarfile.open("t.tar") as archive:
    archive.extractall("out", filter="data")
shutil.make_archive("z", "zip", "out")
sqlite3.connect("base").execute("create table t (x)").close()
with open("a", "r+") as file:
    file.truncate(0)
for name in ("a", "new"):
    pathlib.Path(name).touch()
    subprocess.run(["touch", name, name + "er"], check=True)
assert sorted(pathlib.Path().glob("new*")) == [pathlib.Path("new"), pathlib.Path("newer")]
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
os.nice(1)
os.sched_setaffinity(0, os.sched_getaffinity(0))
assert resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE)
threading.Thread(target=print, args=["thread"]).start()
import numpy, pandas, zmq, psutil
zmq.Context.instance().socket(zmq.PUB).bind("tcp://127.0.0.1:*")
pandas.DataFrame({"x": [1]}).to_csv("x.csv")
psutil.net_if_addrs()
async def main():
    process = await asyncio.create_subprocess_exec("true")
    return await process.wait()
assert asyncio.run(main()) == 0
with multiprocessing.get_context("spawn").Pool(1) as pool:
    assert pool.map(abs, [-1]) == [1]
"""


def test_what_is_honest_goes_on(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(f"if __name__ == '__main__':\n    exec({HONEST!r})\n", encoding="utf-8")
    work = tmp_path / "work"
    work.mkdir()
    command = [sys.executable, str(program), str(work)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert (done.stdout.strip(), done.returncode) == ("thread", 0), done.stderr


REFUSED = """
import ctypes, errno, os, socket
from gpucluster.operating_system import seccomp
assert seccomp.restrict()
libc = ctypes.CDLL(None, use_errno=True)

def code(name, *arguments):
    return ctypes.get_errno() if getattr(libc, name)(*arguments) < 0 else 0

assert code("memfd_create", b"x", 0) == errno.ENOSYS
assert code("inotify_init1", 0) == errno.ENOSYS
assert code("prctl", 4, 0, 0, 0, 0) == errno.EPERM
socket.socket(socket.AF_NETLINK, socket.SOCK_RAW).close()
for protocol in (4, 9, 15, 16):
    try:
        socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, protocol)
        raise AssertionError(protocol)
    except OSError as error:
        assert error.errno == errno.EPROTONOSUPPORT, error
if os.uname().machine == "x86_64":
    assert code("syscall", 447, 0) == errno.ENOSYS  # memfd_secret
    assert code("syscall", 0x40000000 + 39) == errno.ENOSYS  # getpid of another architecture, x32
print("all")
"""


def test_what_does_not_exist_for_a_submission():
    done = subprocess.run([sys.executable, "-c", REFUSED], capture_output=True, text=True, timeout=60)
    assert (done.stdout.strip(), done.returncode) == ("all", 0), done.stderr

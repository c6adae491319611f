"""What the monitor sees of its descendants, and which of them it ends; each test in a separate program."""

import subprocess
import sys

import pytest

TOOLS = """
import ctypes, os, subprocess, sys, threading, time
from pathlib import Path
import psutil
from gpucluster.lessons.grading.job import Limits
from gpucluster.lessons.grading.sandbox.folder import Sandbox
from gpucluster.lessons.grading.sandbox.keeper import Keeper
from gpucluster.lessons.grading.sandbox.monitor import ResourceMonitor
from gpucluster.operating_system.processes import adopt_orphans
from gpucluster.lessons.grading.sandbox.processes import end_all

def keeper():
    return Keeper(Sandbox(Path("/nowhere"), ""))

def until(holds):
    while not holds():
        time.sleep(0.01)

def start(code):
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    child.said = child.stdout.readline().split()
    assert child.said[0] == "ready"
    return child

def watched(code, **limits):
    monitor = ResourceMonitor(Limits(**limits), keeper())
    monitor.start()
    child = start(code)
    child.wait()
    monitor.stop()
    return monitor.exceeded

HEADLESS = '''
import ctypes, os, threading, time
threading.Thread(target=time.sleep, args=[600]).start()
print("ready", flush=True)
ctypes.CDLL(None).syscall({"x86_64": 60}.get(os.uname().machine, 93), 0)  # ends this thread only
'''
"""
REMOVED = """
file = open(f"/dev/shm/gpucluster-test-{os.getpid()}", "wb")
os.remove(file.name)
print("ready", flush=True)
for _ in range(20):
    file.write(bytes(16 * 2**20))
time.sleep(600)
"""
HIDDEN = "ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # its memory can no longer be read"
THREADS = """
threading.stack_size(2**16)
print("ready", flush=True)
for _ in range(150):
    threading.Thread(target=time.sleep, args=[600]).start()
"""
LOCKS = """
import multiprocessing
context = multiprocessing.get_context("spawn")
locks = [context.Lock() for _ in range(3)]
print("ready", *(lock._semlock.name for lock in locks), flush=True)
time.sleep(600)
"""
IMPORTS = "import ctypes, os, threading, time\n"
USES = f"""
removed, hidden, threads = {IMPORTS + REMOVED!r}, {IMPORTS + HIDDEN + REMOVED!r}, {IMPORTS + THREADS!r}
limits = {{"memory_bytes": 200 * 2**20}}
print(watched(removed, **limits), watched(hidden, **limits), watched(threads, threads=100))
"""
ENDS = """
headless = start(HEADLESS)
until(lambda: psutil.Process(headless.pid).status() == "zombie")
monitor = ResourceMonitor(Limits(), keeper())
monitor.start()
headless.wait()  # the system reports no memory for it; its parent may have waited for it first
print(psutil.pid_exists(headless.pid))
monitor.stop()
headless = start(HEADLESS)
until(lambda: psutil.Process(headless.pid).status() == "zombie")
assert end_all(at_once=True)
print(psutil.pid_exists(headless.pid))
"""
TRACKERS = f"""
adopt_orphans()
holder = start({IMPORTS + LOCKS!r})
paths = [f"/dev/shm/sem.{{name.strip('/')}}" for name in holder.said[1:]]
assert len(paths) == 3 and all(map(os.path.exists, paths)), paths
assert end_all()
print(any(map(os.path.exists, paths)), psutil.Process().children())
"""
BLIND = """
from gpucluster.lessons.grading.sandbox import keeper as module
def blind():
    raise OSError("there is no /proc")
module.descendants = blind
monitor = ResourceMonitor(Limits(), keeper())
child = start("import time; print('ready', flush=True); time.sleep(600)")
monitor.start()
child.wait()
print(psutil.pid_exists(child.pid), monitor.exceeded, monitor.failure)
"""


def said(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", TOOLS + program], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.full
def test_removed_files_in_shared_memory_and_threads_count() -> None:
    assert said(USES) == "memory memory threads"


@pytest.mark.full
def test_a_process_whose_main_thread_has_ended_does_not_get_away() -> None:
    assert said(ENDS) == "False\nFalse"


def test_what_cannot_be_looked_at_any_more_is_ended() -> None:
    assert said(BLIND) == "False stopped OSError: there is no /proc"


def test_python_removes_the_locks_of_what_is_ended() -> None:
    assert said(TRACKERS) == "False []"

"""The forkserver: a copy that starts nothing again, used by many threads at once."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from gpucluster.supervisor.process import preloading
from gpucluster.supervisor.process.preloading import LATER, PRELOAD_LATER, later_wanted

pytestmark = pytest.mark.full

SCRIPT = """
import multiprocessing, os, sys
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import util

from gpucluster.supervisor.process import warmup

warmup.start_forkserver()
before = util.get_temp_dir()
sys.setswitchinterval(1e-6)
context = multiprocessing.get_context("forkserver")

def start(_):
    for _ in range(10):
        multiprocessing.forkserver.ensure_running()
    # Not the exit code: where several threads look for it, Python reads it for one of them only.
    answer, sender = context.Pipe(duplex=False)
    process = context.Process(target=sender.send, args=(0,))
    process.start()
    assert answer.poll(60)
    process.join()
    return answer.recv()

with ThreadPoolExecutor(8) as threads:
    list(threads.map(start, range(24)))
assert util.get_temp_dir() == before, util.get_temp_dir()
"""


@pytest.mark.linux("workers that are forked from one process")
@pytest.mark.processes
def test_simultaneous_starts_keep_the_folder() -> None:
    """Each is started from a separate thread; if the folder is lost, no worker can start."""
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]


COPIES = """
import multiprocessing, os, sys, time

def look(answers):
    import numpy
    from gpucluster.supervisor.process.preloading import FIRST
    links = [f"/proc/self/fd/{number}" for number in range(256)]
    opened = __file__ in [os.readlink(link) for link in links if os.path.exists(link)]
    answers.put((set(FIRST) <= set(sys.modules), "sklearn.decomposition" in sys.modules, numpy.random.random(), opened))

def nested(answers):
    child = multiprocessing.get_context("forkserver").Process(target=os.getpid)
    child.start()
    child.join()
    answers.put(child.exitcode)

def main():
    from gpucluster.supervisor.process import preloading, warmup

    preloading.QUIET_SECONDS = 1.0  # copied into the process that workers are forked from
    kept = os.open(__file__, os.O_RDONLY)  # as the lock of a cluster's folder
    warmup.start_forkserver()
    context = multiprocessing.get_context("forkserver")

    def ask(target):
        answers = context.Queue()
        process = context.Process(target=target, args=(answers,))
        process.start()
        answer = answers.get(timeout=60)
        process.join()
        return answer

    first, second = ask(look), ask(look)
    assert first[:2] == second[:2] == (True, False), "a worker inherits more than it needs"
    assert first[2] != second[2], "NumPy's global generator is the same in two workers"
    assert not first[3], "a lock of the server or a worker was inherited"
    assert ask(nested) == 0, "a worker's own multiprocessing does not start again"
    deadline = time.monotonic() + 90
    while not ask(look)[1]:
        assert time.monotonic() < deadline, "what most computations need never came"
        time.sleep(2)
    print("fine")

if __name__ == "__main__":
    main()
"""


@pytest.mark.processes
@pytest.mark.linux("workers that are forked from one process")
def test_later_workers_have_more_imports(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(COPIES)
    environment = {name: value for name, value in os.environ.items() if name != PRELOAD_LATER}
    done = subprocess.run([sys.executable, str(program)], env=environment, capture_output=True, text=True, timeout=150)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout == "fine\n"


def test_site_may_skip_later_imports(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PRELOAD_LATER, "0")
    assert later_wanted() == ()
    monkeypatch.delenv(PRELOAD_LATER)
    assert later_wanted() == LATER


ASKED = """
import multiprocessing, os, signal, sys

def look(answers):
    found = [name in sys.modules for name in ("calendar_of_gpus", "broken_library")]
    answers.put((found, os.environ.get("RAPIDS_NO_INITIALIZE"), signal.getsignal(signal.SIGUSR1) is signal.SIG_DFL))

def main():
    from gpucluster.supervisor.process import preloading, warmup

    preloading.RAPIDS = ("broken_library", "calendar_of_gpus")  # copied into the process that workers are forked from
    context = multiprocessing.get_context("forkserver")

    def ask():
        answers = context.Queue()
        process = context.Process(target=look, args=(answers,))
        process.start()
        answer = answers.get(timeout=60)
        process.join()
        return answer

    warmup.start_forkserver()
    warmup.ask_for_rapids()  # at once: the server may not have begun to listen
    assert ask() == ([True, False], "True", True), "before it forks, whatever cannot be imported"
    warmup.ask_for_rapids()
    assert ask() == ([True, False], "True", True), "once more does no harm"
    assert "calendar_of_gpus" not in sys.modules, "not here, where Dask's scheduler runs"
    print("fine")

if __name__ == "__main__":
    main()
"""


@pytest.mark.processes
@pytest.mark.linux("workers that are forked from one process")
def test_forkserver_preloads_rapids(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(ASKED)
    (tmp_path / "calendar_of_gpus.py").touch()
    (tmp_path / "broken_library.py").write_text("raise ImportError('no driver')")
    environment = {name: value for name, value in os.environ.items() if name != preloading.PRELOAD_RAPIDS}
    program = [sys.executable, str(tmp_path / "program.py")]
    done = subprocess.run(program, env=environment, capture_output=True, text=True, timeout=150)
    assert (done.returncode, done.stdout) == (0, "fine\n"), done.stderr[-2000:]
    assert "Not preloaded: broken_library: ImportError: no driver" in done.stderr


def test_rapids_preload_conditions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(preloading.PRELOAD_RAPIDS, raising=False)
    monkeypatch.setattr(preloading, "RAPIDS", ("json", "no_such_library"))
    assert not preloading.rapids_wanted()
    monkeypatch.setattr(preloading, "RAPIDS", ("json",))
    assert preloading.rapids_wanted()
    assert not preloading.rapids_at_once()
    monkeypatch.setenv(preloading.PRELOAD_RAPIDS, "0")
    assert not preloading.rapids_wanted()
    monkeypatch.setenv(preloading.PRELOAD_RAPIDS, "1")
    assert preloading.rapids_at_once()


KEPT = """
import dask
from dask.utils import parse_timedelta
from gpucluster.supervisor.process.warmup import configure_dask

configure_dask()
print(parse_timedelta(dask.config.get("distributed.scheduler.events-cleanup-delay")))
"""


@pytest.mark.processes
@pytest.mark.parametrize(("chosen", "seconds"), [(None, 600.0), ("2h", 7200.0)])
def test_events_of_gone_workers_are_kept_for_minutes(chosen: str | None, seconds: float) -> None:
    environment = dict(os.environ) | ({"DASK_DISTRIBUTED__SCHEDULER__EVENTS_CLEANUP_DELAY": chosen} if chosen else {})
    command = [sys.executable, "-c", KEPT]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=True)
    assert float(done.stdout) == seconds

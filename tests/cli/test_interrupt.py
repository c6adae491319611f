"""An interrupted start leaves no process and no cluster."""

import ast
import re
import signal
import subprocess
import sys
from typing import Any

import gpucluster.cli
import psutil
import pytest
from gpucluster.cli.interrupt import interrupts_held


@pytest.fixture
def slow_start(tmp_path, monkeypatch) -> None:
    """Make every cluster's workers wait half a minute before they start."""
    (tmp_path / "slow.py").write_text("import time\ntime.sleep(30)\n")
    monkeypatch.setenv("DASK_DISTRIBUTED__WORKER__PRELOAD", str([str(tmp_path / "slow.py")]))


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_sigterm_during_create_stops_the_cluster(site, slow_start, command, wait_until, ending):
    words = [*command, "create", "--name", "half", "--backend", "local", "--n-workers", "1"]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    creating = subprocess.Popen(words, **pipes, text=True, start_new_session=True)
    wait_until(lambda: [model for model in site.control.list() if model.pid is not None])
    creating.send_signal(ending)
    out, err = creating.communicate(timeout=90)
    assert (creating.returncode, out) == (130, "")
    assert err == "Cancelled; the cluster 'half' was stopped.\n"
    assert site.get("half").state.value == "stopped"
    wait_until(lambda: not site.processes())


def test_ctrl_c_before_the_request(site, monkeypatch, capsys):
    def interrupted(words: list[str]) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(gpucluster.cli, "_run", interrupted)
    assert gpucluster.cli.main(["create"]) == 130
    assert capsys.readouterr() == ("", "Interrupted. List clusters: gpucluster list\n")


def test_a_start_that_takes_too_long_is_stopped(site, slow_start, gpucluster):
    done = gpucluster("create", "--name", "slow", "--backend", "local", "--n-workers", "1", "--timeout", "1")
    assert (done.returncode, done.stdout) == (5, "")
    assert re.match(r"The cluster 'slow' did not start within 1 seconds and was stopped\.", done.stderr)
    assert done.stderr.count("\n") == 1
    assert site.get("slow").state.ended


@pytest.mark.full
def test_early_process_becomes_the_cluster_or_ends(site, gpucluster, wait_until):
    assert gpucluster("create", "--nonsense").returncode == 2
    wait_until(lambda: not site.processes())
    assert gpucluster("create", "--backend", "local", "--n-workers", "1", "--name", "early").returncode == 0
    assert "--link-fd" in psutil.Process(site.get("early").pid).cmdline()
    pid = site.standby()
    assert gpucluster("create", "--backend", "local", "--n-workers", "1", "--name", "late").returncode == 0
    assert site.get("late").pid == pid, "a standby starts faster"
    commands = [process.cmdline() for process in site.processes()]
    assert len({tuple(command) for command in commands if "--link-fd" in command}) == 1


_INTERRUPTED = """
import atexit, signal, sys
from gpucluster.cli import main

moment, number = sys.argv.pop(1), int(sys.argv.pop(1))


class InGarbage:
    def __del__(self):
        signal.raise_signal(number)


class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == moment:
            signal.raise_signal(number)
        elif moment == f"garbage in {name}":
            InGarbage()


sys.meta_path.insert(0, Finder())
if moment == "exit":
    atexit.register(signal.raise_signal, number)
sys.exit(main())
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    "moment",
    ["gpucluster.protocol.errors", "garbage in gpucluster.protocol.errors", "gpucluster.gauges.text",
     "garbage in gpucluster.gauges.text", "exit"],
)  # fmt: skip
def test_interrupt_ends_without_traceback(site, moment, number):
    program = [sys.executable, "-c", _INTERRUPTED, moment, str(int(number)), "gauges"]
    done = subprocess.run(program, capture_output=True, text=True, timeout=90)
    said = "No cluster is running. Start one with 'create'.\n" if moment == "exit" else ""
    assert (done.returncode, done.stdout, done.stderr) == (130, "", said)


def test_interrupts_are_handled_before_most_imports():
    code = "import re, sys; before = {*sys.modules}; from gpucluster.cli import main; print({*sys.modules} - before)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=90)
    assert ast.literal_eval(done.stdout) <= {"__future__", "errno", "signal", "gpucluster", "gpucluster.cli"}


def test_interrupt_is_held_until_delivered():
    steps = []
    with interrupts_held() as held:
        signal.raise_signal(signal.SIGINT)
        steps.append("went on")
    assert steps == ["went on"]
    with pytest.raises(KeyboardInterrupt):
        held.deliver()
    held.deliver()  # once is enough


def test_ignored_signal_stays_ignored_while_interrupts_are_held():
    """As under nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with interrupts_held() as held:
            signal.raise_signal(signal.SIGHUP)
        held.deliver()
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)

"""The warm process that waits for the next cluster: used when it fits, never in the way."""

from __future__ import annotations

import os
import signal
import threading

import psutil
import pytest
from gpucluster.protocol.models import ClusterState


def test_a_standby_becomes_the_next_cluster(site, wait_until):
    pid = site.standby()
    assert not site.control.ensure_standby(), "one is enough"
    assert site.control.list() == [], "a standby is no cluster"
    model = site.running(name="warm")
    assert model.pid == pid
    assert site.standby_pids() == []
    workers = {worker.pid for worker in model.workers}
    assert workers <= {process.pid for process in psutil.Process(pid).children(recursive=True)}
    site.control.stop("warm")
    wait_until(lambda: not site.processes())


def test_a_standby_of_another_environment_is_left_alone(site, monkeypatch):
    """What libraries read while they are loaded cannot be changed any more."""
    pid = site.standby()
    with monkeypatch.context() as changed:
        changed.setenv("OMP_NUM_THREADS", "7")
        model = site.running(name="other")
    assert model.pid != pid
    assert site.standby_pids() == [pid]
    import gpucluster

    with gpucluster.connect("other").get_client() as client:
        assert set(client.run(os.getenv, "OMP_NUM_THREADS").values()) == {"7"}
    assert site.control.close_standby()
    assert not site.control.close_standby()


def test_a_standby_takes_over_the_other_variables_and_the_directory(site, monkeypatch, tmp_path):
    pid = site.standby()
    monkeypatch.setenv("MY_DATA", "here")
    (tmp_path / "module_of_mine.py").write_text("answer = 42\n")
    model = site.control.create({"backend": "local", "n_workers": 1, "name": "mine"}, cwd=str(tmp_path))
    site.control.wait(model.id)
    assert site.get("mine").pid == pid
    import gpucluster

    with gpucluster.connect("mine").get_client() as client:
        assert set(client.run(os.getenv, "MY_DATA").values()) == {"here"}
        assert client.submit(lambda: __import__("module_of_mine").answer).result(60) == 42


def test_a_standby_that_was_killed_does_not_matter(site, wait_until):
    pid = site.standby()
    family = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
    os.kill(pid, signal.SIGKILL)
    model = site.running(name="cold")
    assert model.pid != pid
    wait_until(lambda: not any(process.is_running() for process in family))
    assert [folder.id for folder in site.registry.folders()] == [model.id], "its folder is gone"


def test_a_standby_killed_while_it_is_asked_does_not_matter(site, monkeypatch):
    """It hangs when the request comes and dies before it answers."""
    pid = site.standby()
    psutil.Process(pid).suspend()
    killer = threading.Timer(1.0, os.kill, (pid, signal.SIGKILL))
    killer.start()
    model = site.running(name="unlucky")
    killer.join()
    assert model.pid != pid
    assert [found.name for found in site.control.list()] == ["unlucky"]


def test_a_standby_that_hangs_does_not_matter(site, monkeypatch, wait_until):
    from gpucluster.client import transport

    monkeypatch.setattr(transport, "_ANSWER_SECONDS", 1.0)
    pid = site.standby()
    psutil.Process(pid).suspend()
    model = site.create(name="unlucky")
    monkeypatch.undo()
    site.control.wait(model.id)
    assert site.get("unlucky").pid != pid
    wait_until(lambda: not psutil.pid_exists(pid), what="the one that hangs is killed, not left behind")


def test_a_standby_ends_on_sigterm(site, wait_until):
    pid = site.standby()
    os.kill(pid, signal.SIGTERM)
    wait_until(lambda: not site.processes())
    assert site.registry.folders() == []


@pytest.mark.parametrize("how", [{"name": "one"}, {}], ids=["one name", "no name"])
def test_creations_at_one_moment(site, wait_until, how):
    """Threads and processes that ask for one name: one gets it. Without a name: each gets its own."""
    script = (
        "import sys; from gpucluster.client.control import Control\n"
        "from gpucluster.protocol.errors import GPUClusterError\n"
        "control = Control(); print('ready', flush=True); sys.stdin.readline()\n"
        f"try: print(control.create({{'backend': 'local', 'n_workers': 1, **{how!r}}}).name)\n"
        "except GPUClusterError as error: print(error.code)\n"
    )
    import subprocess

    others = [site.python(script, stdin=subprocess.PIPE) for _ in range(2)]
    for other in others:
        assert other.stdout.readline() == "ready\n"
    answers = []

    def ask():
        from gpucluster.protocol.errors import GPUClusterError

        try:
            answers.append(site.create(**how).name)
        except GPUClusterError as error:
            answers.append(error.code)

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for other in others:
        other.stdin.write("go\n")
        other.stdin.flush()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for other in others:
        out, err = other.communicate(timeout=90)
        assert other.returncode == 0, err
        answers.append(out.strip())
    if how:
        assert sorted(answers) == ["name_taken", "name_taken", "name_taken", "one"]
    else:
        assert sorted(answers) == ["cluster-1", "cluster-2", "cluster-3", "cluster-4"]
    assert sorted(model.name for model in site.control.list()) == sorted({*answers} - {"name_taken"})
    for model in site.control.list():
        assert site.control.stop(model.id).state is ClusterState.STOPPED

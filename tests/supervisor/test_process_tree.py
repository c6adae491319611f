"""Programs that tasks start end with the cluster, however that happens."""

from pathlib import Path

import gpucluster
import psutil
import pytest
from gpucluster.operating_system import LINUX


def start_child(path: str) -> None:
    """Start a program that ignores everything but SIGKILL."""
    import pathlib
    import subprocess

    child = subprocess.Popen(["sh", "-c", "trap '' TERM HUP INT; while true; do sleep 1; done"])
    pathlib.Path(path).write_text(str(child.pid))


def start_daemon(path: str) -> None:
    """Start a program in a separate session whose parent has ended."""
    import subprocess

    subprocess.run(["sh", "-c", f"setsid sleep 600 & echo $! > {path}.new && mv {path}.new {path}"], check=True)


def start_fork(path: str) -> None:
    """Fork without a new program, as libraries do."""
    import os
    import pathlib
    import time

    pid = os.fork()
    if not pid:
        time.sleep(600)
        os._exit(0)
    pathlib.Path(path).write_text(str(pid))


def started(site, path: Path, task, wait_until) -> tuple[psutil.Process, object]:
    client = gpucluster.connect("parent").get_client()
    client.submit(task, str(path)).result()
    wait_until(path.exists)
    return psutil.Process(int(path.read_text())), client


def is_gone(process: psutil.Process) -> bool:
    return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE


def start_two_daemons(path: str) -> None:
    """Start two programs in separate sessions, one of which ends soon."""
    import subprocess

    subprocess.run(
        ["sh", "-c", f"setsid sleep 600 & echo $! > {path}.new; setsid sleep 4 & mv {path}.new {path}"], check=True
    )


@pytest.mark.skipif(not LINUX, reason="elsewhere workers are not forked from a process that could be killed")
@pytest.mark.full
def test_task_programs_end_with_cluster_after_forkserver_kill(site, wait_until, tmp_path):
    model = site.running(name="parent", n_workers=1)
    program, client = started(site, tmp_path / "pid", start_two_daemons, wait_until)
    [server] = [each for each in psutil.Process(model.pid).children() if "forkserver" in " ".join(each.cmdline())]
    server.kill()
    wait_until(lambda: program.ppid() == model.pid)
    client.close(timeout=1)
    with gpucluster.connect("parent").get_client() as again:
        assert again.submit(pow, 2, 3).result(60) == 8
    # Ended programs are reaped.
    wait_until(lambda: not any(is_gone(each) for each in psutil.Process(model.pid).children()))
    assert not is_gone(program)
    site.control.stop(model.id)
    wait_until(lambda: is_gone(program))


@pytest.mark.parametrize("task", [start_child, start_daemon, start_fork])
def test_programs_of_tasks_end_with_a_killed_supervisor(site, wait_until, tmp_path, task):
    model = site.running(name="parent", n_workers=1)
    program, client = started(site, tmp_path / "pid", task, wait_until)
    assert not is_gone(program)
    psutil.Process(model.pid).kill()
    wait_until(lambda: is_gone(program), timeout=10)
    client.close(timeout=1)


def test_task_program_outlives_worker_but_not_cluster(site, wait_until, tmp_path):
    """Restarting workers does not end the cluster, nor what tasks started on purpose."""
    model = site.running(name="parent", n_workers=1)
    program, client = started(site, tmp_path / "pid", start_daemon, wait_until)
    before = model.workers[0].pid
    n_entries = len(gpucluster.connect("parent").activity())
    client.restart()
    wait_until(lambda: site.get("parent").workers and site.get("parent").workers[0].pid != before)
    assert not is_gone(program)
    site.control.patch("parent", {"idle_timeout_seconds": 0})  # Pending entries are written before it.
    new = [entry.message for entry in gpucluster.connect("parent").activity()[n_entries:]]
    assert new == ["Restart all workers, requested by a Dask client", "Never stop automatically"], "no crash"
    assert (model.pid in [parent.pid for parent in program.parents()]) is LINUX, "adopted inside the cluster"
    client.close()
    site.control.stop("parent")
    wait_until(lambda: is_gone(program), timeout=10)


def test_workers_can_be_terminated_as_usual(site, wait_until):
    """Workers do not inherit the handler of the forkserver."""
    model = site.running(name="parent", n_workers=1)
    with gpucluster.connect("parent").get_client() as client:
        handler = client.submit(lambda: str(__import__("signal").getsignal(15)), pure=False).result()
        assert "tie_to_parent" not in handler
        psutil.Process(model.workers[0].pid).terminate()
        wait_until(lambda: site.get("parent").workers and site.get("parent").workers[0].pid != model.workers[0].pid)
        assert client.submit(sum, [1, 2]).result() == 3

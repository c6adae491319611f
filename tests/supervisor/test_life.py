"""The life of a cluster, with real processes and workers."""

import json
import os
import signal
import stat
import time
from contextlib import ExitStack

import gpucluster
import psutil
import pytest
from gpucluster.protocol import errors
from gpucluster.protocol.models import ClusterState


def pids(model):
    return {worker.pid for worker in model.workers}


def settled(n_workers):
    return lambda model: model.state is ClusterState.RUNNING and model.n_workers == n_workers


@pytest.fixture
def two(shared_site, shared_cluster):
    """Name of the shared cluster, running with two workers."""
    shared_site.control.patch("shared", {"n_workers": 2})
    shared_site.wait_for("shared", settled(2))
    return "shared"


def test_running_cluster_model_is_complete(shared_site, shared_cluster):
    model = shared_site.get("shared")
    assert (model.state, model.backend, model.n_workers, model.network) == ("running", "local", 2, "unix")
    assert model.scheduler_address.startswith("gpucluster+unix://127.0.0.1/")
    assert model.dashboard_path == f"gpucluster/dashboard/{model.id}/status"
    assert model.created_at <= model.running_at
    assert model.start_seconds > 0
    assert model.versions.distributed
    supervisor, *family = shared_site.family(model)
    assert supervisor.pid == model.pid
    assert pids(model) <= {process.pid for process in family}
    assert os.getsid(model.pid) != os.getsid(0), "it has our session"
    assert model.spec.memory_limit == 512 * 2**20
    assert {worker.memory_limit_bytes for worker in model.workers} == {512 * 2**20}
    folder = shared_site.registry.folder(model.id)
    for path in [folder.path, *folder.path.rglob("*")]:
        assert stat.S_IMODE(path.lstat().st_mode) & 0o077 == 0 or folder.scratch in path.parents, path


def test_scale_up_down_and_to_nothing(shared_site, two):
    first = shared_site.get(two)
    shared_site.control.patch(two, {"n_workers": 3})
    more = shared_site.wait_for(two, settled(3))
    assert pids(first) < pids(more), "those there were stay"
    shared_site.control.patch(two, {"n_workers": 0})
    none = shared_site.wait_for(two, settled(0))
    assert none.workers == []
    shared_site.control.patch(two, {"n_workers": 1})
    shared_site.wait_for(two, settled(1))


def test_the_last_request_wins(shared_site, two):
    shared_site.control.patch(two, {"n_workers": 3})
    shared_site.control.patch(two, {"n_workers": 2})
    model = shared_site.wait_for(two, settled(2))
    assert model.wanted.n_workers == 2
    with gpucluster.connect(two).get_client() as client:
        # The scheduler itself agrees, and no change is under way.
        assert len(client.scheduler_info(n_workers=-1)["workers"]) == 2
        assert client.submit(lambda: 1).result(60) == 1
    assert settled(2)(shared_site.get(two))


def test_adapt_and_back(shared_site, two):
    shared_site.control.patch(two, {"adapt": {"minimum": 1, "maximum": 3}})
    model = shared_site.get(two)
    assert (model.wanted.adapt.minimum, model.wanted.adapt.maximum, model.wanted.n_workers) == (1, 3, None)
    shared_site.wait_for(two, lambda model: model.n_workers == 1)
    shared_site.control.patch(two, {"n_workers": 2})
    model = shared_site.wait_for(two, settled(2))
    assert model.wanted.adapt is None


@pytest.mark.full
def test_adaptive_from_nothing_computes(shared_site, two):
    shared_site.control.patch(two, {"adapt": {"minimum": 0, "maximum": 2}})
    shared_site.wait_for(two, lambda model: model.n_workers == 0)
    with gpucluster.connect(two).get_client() as client:
        assert client.submit(sum, [1, 2, 3]).result(90) == 6


def test_restart_replaces_every_worker_and_clears_all_tasks(shared_site, two):
    handle = gpucluster.connect(two)
    before = pids(handle.model)
    handle.restart()
    model = handle.model
    assert (model.n_workers, model.state, model.notice) == (2, ClusterState.RUNNING, None)
    assert not before & pids(model)
    assert shared_site.control.restart(model.id, wait=False).state is ClusterState.SCALING
    assert not pids(model) & pids(shared_site.control.wait(model.id)), "waiting later waits for the restart"


def test_killed_worker_is_replaced(shared_site, two, tmp_path):
    started, goal = tmp_path / "started", tmp_path / "go"

    def work(number, started, goal):
        import pathlib
        import time

        pathlib.Path(f"{started}-{number}").touch()
        while not pathlib.Path(goal).exists():
            time.sleep(0.01)
        return number * 10

    with gpucluster.connect(two).get_client() as client, ExitStack() as at_end:
        at_end.callback(goal.touch)
        futures = client.map(work, range(4), started=str(started), goal=str(goal), pure=False)
        shared_site.wait_for(two, lambda model: len(list(tmp_path.glob("started-*"))) >= 2)
        victim = shared_site.get(two).workers[0].pid
        psutil.Process(victim).kill()
        shared_site.wait_for(two, lambda model: settled(2)(model) and victim not in pids(model))
        goal.touch()
        assert client.gather(futures) == [0, 10, 20, 30]


def test_bad_requests_change_nothing(shared_site, two):
    before = shared_site.get(two)
    for patch in ({}, {"n_workers": -1}, {"n_workers": "abc"}, {"adapt": {"minimum": 5, "maximum": 1}}, {"x": 1}):
        with pytest.raises(errors.InvalidRequest):
            shared_site.control.patch(two, patch)
    after = shared_site.get(two)
    assert (after.wanted, after.state, pids(after)) == (before.wanted, before.state, pids(before))
    with pytest.raises(errors.InvalidState, match="is running; stop it before you remove it"):
        shared_site.control.remove(two)
    for verb in (shared_site.control.get, shared_site.control.stop, shared_site.control.restart,
                 shared_site.control.remove, shared_site.control.logs, shared_site.control.dashboard):  # fmt: skip
        with pytest.raises(errors.ClusterNotFound, match="Cluster 'unknown' not found. Running clusters: .*shared"):
            verb("unknown")
    with pytest.raises(errors.ClusterNotFound):
        shared_site.control.patch("unknown", {"n_workers": 1})


def test_idle_timeout_can_be_changed(shared_site, two):
    shared_site.control.patch(two, {"idle_timeout_seconds": 1234})
    model = shared_site.wait_for(two, lambda model: model.idle.stops_at is not None)
    assert model.idle.timeout_seconds == 1234
    assert model.idle.idle_since < model.idle.stops_at
    shared_site.control.patch(two, {"idle_timeout_seconds": 0})
    model = shared_site.wait_for(two, lambda model: model.idle.timeout_seconds is None and model.idle.idle_since)
    assert model.idle.stops_at is None


def test_wait_timeout_leaves_cluster_running(shared_site, two):
    shared_site.control.patch(two, {"n_workers": 3})
    with pytest.raises(errors.OperationTimedOut, match="It continues; see its log, or stop it"):
        shared_site.control.wait(two, timeout=0)
    seen = []
    model = shared_site.control.wait(two, timeout=90, progress=seen.append)
    assert model.n_workers == 3
    assert seen[-1].state is ClusterState.RUNNING


def test_paused_process_is_listed_with_resume_command(shared_site, two):
    before = shared_site.get(two)  # With warnings about some versions of Dask.
    os.kill(before.pid, signal.SIGSTOP)
    try:
        # The kernel stops one thread after the other.
        warnings = shared_site.wait_for(two, lambda model: model.warnings != before.warnings).warnings
        assert f"'kill -CONT {before.pid}' resumes it" in warnings[-1]
    finally:
        os.kill(before.pid, signal.SIGCONT)
    assert shared_site.get(two).warnings == before.warnings


def test_the_log_can_be_read(shared_site, two):
    assert any("Scheduler at" in line for line in shared_site.control.logs(two, lines=5000).lines)
    assert len(shared_site.control.logs(two, lines=3).lines) == 3


def test_secrets_are_not_shown(shared_site, two):
    model = shared_site.get(two)
    folder = shared_site.registry.folder(model.id)
    prefix = shared_site.control.dashboard(two).prefix
    secrets = [prefix, (folder.comm / "secret").read_text(), folder.secret.read_text()]
    assert len(prefix) >= 32
    shown = [folder.log.read_text(), folder.state.read_text(), json.dumps(model.model_dump(mode="json"))]
    for process in shared_site.family(model):
        shown.append(" ".join(process.cmdline()))
        shown.append(str(process.environ()))
    # Also as the worker itself sees it, with all that was set since the process started.
    with gpucluster.connect(two).get_client() as client:
        shown += client.run(lambda: str(dict(__import__("os").environ))).values()
        shown += client.run(lambda: str(__import__("dask").config.config)).values()
    assert not [secret for secret in secrets if any(secret in text for text in shown)]


def test_name_of_running_cluster_is_taken(shared_site, two):
    with pytest.raises(errors.NameTaken, match="A cluster named 'shared' already exists. Connect to it"):
        shared_site.create(name="shared")


def test_end_leaves_only_record_and_log(site, wait_until, tmp_path):
    model = site.running(name="short", local_directory=str(tmp_path), idle_timeout_seconds=None)
    scratch = tmp_path / f"gpucluster-{model.id}"
    assert stat.S_IMODE(scratch.stat().st_mode) == 0o700
    client = gpucluster.connect("short").get_client()
    client.submit(lambda: __import__("subprocess").Popen(["sleep", "600"]).pid).result(60)
    family = site.family(model)
    assert any("sleep" in process.name() for process in family)
    client.close()
    stopped = site.control.stop("short")
    assert (stopped.state, stopped.reason, stopped.n_workers) == (ClusterState.STOPPED, None, 0)
    wait_until(lambda: not any(process.is_running() for process in family))
    wait_until(lambda: not site.processes())
    left = sorted(path.name for path in site.registry.folder(model.id).path.iterdir())
    assert left == ["activity", "cells", "lock", "log", "state.json"]
    assert not scratch.exists()
    assert tmp_path.exists()
    assert site.control.stop("short") == stopped, "stopping twice changes nothing"
    for change in ({"n_workers": 1}, None):
        with pytest.raises(errors.InvalidState, match="The cluster 'short' has stopped; create a new one"):
            site.control.patch("short", change) if change else site.control.restart("short", wait=False)
    with pytest.raises(errors.ClusterEnded, match="The cluster 'short' was stopped"):
        site.control.wait("short")
    site.control.remove("short")
    assert site.control.list() == []


def _one():
    return 1


def _of_a_task():
    from distributed import get_client

    return get_client().id


@pytest.mark.full
def test_idle_cluster_stops_unless_connected(site):
    """Short connections count; the client that a worker makes for its tasks does not, and stays."""
    model = site.running(name="idle", idle_timeout_seconds=2)
    began, times = time.monotonic(), 0
    while time.monotonic() - began < 5:
        with gpucluster.connect("idle").get_client() as short:
            times += short.submit(_one, pure=False).result()
        time.sleep(1)
    assert times >= 2
    site.wait_for("idle", lambda model: model.idle.quiet_since is not None)
    client = gpucluster.connect("idle").get_client()
    site.wait_for("idle", lambda model: model.n_clients == 1 and model.idle.idle_since is None)
    # Three turns of the timer, measured in the cluster itself.
    ticks = {client.run_on_scheduler(lambda: __import__("time").monotonic())}
    while max(ticks) - min(ticks) < 4:
        ticks.add(client.run_on_scheduler(lambda: __import__("time").monotonic()))
    assert site.get("idle").state is ClusterState.RUNNING
    _of_a_task.__module__ = "__main__"  # So that it is pickled by value.
    of_a_task = client.submit(_of_a_task).result()
    clients = client.run_on_scheduler(lambda dask_scheduler: set(dask_scheduler.clients))
    assert {of_a_task, client.id} <= clients
    assert of_a_task != client.id
    client.close()
    model = site.wait_for("idle", lambda model: model.state.ended)
    assert model.state is ClusterState.STOPPED
    assert model.reason == "Idle for 2 seconds: no connection and no computation."


def test_stop_during_start(site, wait_until):
    model = site.create(name="hasty")
    assert model.state is ClusterState.STARTING
    with pytest.raises(errors.InvalidState):
        site.control.restart("hasty", wait=False)
    assert site.control.stop("hasty", wait=False).wanted.stopped
    assert site.control.stop("hasty").state is ClusterState.STOPPED
    wait_until(lambda: not site.processes())


def test_a_change_during_the_start_is_kept(site):
    model = site.create(name="early", n_workers=1)
    site.control.patch(model.id, {"n_workers": 2})
    model = site.control.wait(model.id)
    assert (model.n_workers, model.wanted.n_workers) == (2, 2)


def test_replaceable_scratch_directory_is_refused(site, tmp_path):
    """Spilled data is unpickled when it is read back."""
    tmp_path.chmod(0o777)
    model = site.create(local_directory=str(tmp_path))
    with pytest.raises(errors.StartFailed, match="local_directory: other users can write to"):
        site.control.wait(model.id)
    assert list(tmp_path.iterdir()) == []

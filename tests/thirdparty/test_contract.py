"""The contract of backends, with a kind of another package: its scheduler and workers are jobs of a queue.

The package is ``gpucluster_subprocess``. Its queue starts no worker while the gate is closed, and its jobs do not
end with the supervisor.
"""

import asyncio
import os
import signal
import stat
import sys

import gpucluster
import psutil
import pytest
from distributed import Client
from gpucluster.backends.scheduler.remote import RemoteScheduler
from gpucluster.protocol.errors import InvalidState, StartFailed
from gpucluster.protocol.kinds import kind_title, look_again
from gpucluster.protocol.models import ClusterState
from gpucluster.registry.started_elsewhere import read_remembered


@pytest.fixture(scope="module", autouse=True)
def package(subprocess_kind):
    """Install the package for this process and its child processes."""
    path = subprocess_kind["PYTHONPATH"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", path)
        patch.syspath_prepend(path.split(os.pathsep)[0])
        look_again()
        yield
    sys.modules.pop("gpucluster_subprocess", None)
    look_again()


@pytest.fixture(scope="module")
def gate(tmp_path_factory):
    """A file; while it exists, the queue starts no worker."""
    return tmp_path_factory.mktemp("queue") / "closed"


@pytest.fixture(scope="module")
def fault(gate):
    """A file; while it exists, workers that the queue starts fail."""
    return gate.with_name("fault")


@pytest.fixture(scope="module")
def queued(shared_site, package, gate, fault):
    """Create a cluster while the gate is closed, and return its model."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GPUCLUSTER_SUBPROCESS_GATE", str(gate))
        patch.setenv("GPUCLUSTER_SUBPROCESS_FAULT", str(fault))
        gate.touch()
        return shared_site.running(backend="subprocess", name="queued", n_workers=2)


@pytest.fixture
def two(shared_site, queued, gate):
    """A handle on that cluster, with two workers and an open gate."""
    gate.unlink(missing_ok=True)
    shared_site.control.patch("queued", {"n_workers": 2})
    shared_site.wait_for("queued", lambda model: (model.n_workers, model.n_pending) == (2, 0))
    return gpucluster.connect("queued")


def names(model):
    return {worker.name for worker in model.workers}


@pytest.mark.full
def test_the_cluster_runs_while_all_workers_wait(shared_site, queued, gate):
    assert (queued.state, queued.backend, queued.backend_title) == ("running", "subprocess", kind_title("subprocess"))
    assert (queued.n_workers, queued.n_pending, queued.wanted.n_workers) == (0, 2, 2)
    assert queued.pending_reason == "waits in the queue 'short'"
    assert (queued.can, queued.has_gpus, queued.dashboard_path) == (("scale", "retire"), False, None)
    assert shared_site.get("queued").idle.idle_since is None, "a cluster with queued workers is not idle"
    folder = shared_site.registry.folder(queued.id)
    assert read_remembered(folder).state["jobs"] == ["scheduler", "worker-0", "worker-1"]
    assert stat.S_IMODE(folder.remembered.stat().st_mode) == 0o600
    gate.unlink(missing_ok=True)
    model = shared_site.wait_for("queued", lambda model: model.n_workers == 2)
    assert (model.n_pending, model.pending_reason, names(model)) == (0, None, {"worker-0", "worker-1"})


@pytest.mark.full
def test_computed_tasks_are_shown(shared_site, two, wait_until):
    with two.get_client() as client:
        futures = client.map(lambda number: number**2, range(20))
        assert client.gather(futures) == [number**2 for number in range(20)]
        shared_site.wait_for("queued", lambda model: model.n_clients == 1)
        # One of the two may have computed them all.
        wait_until(lambda: sum(number or 0 for number in two.telemetry().column("in_memory")) == 20)
        sample = two.telemetry()
    assert sample.workers == ["worker-0", "worker-1"]
    assert [(one.prefix, one.in_memory) for one in sample.progress] == [("lambda", 20)]
    shared_site.wait_for("queued", lambda model: model.n_clients == 0)


def test_scaling_returns_when_the_queue_has_the_job(shared_site, two, gate):
    before = names(two.model)
    gate.touch()
    two.scale(3)
    model = two.model
    assert (model.state, model.n_workers, model.n_pending, model.notice) == (ClusterState.RUNNING, 2, 1, None)
    two.scale(2)
    model = shared_site.wait_for("queued", lambda model: not model.n_pending)
    assert names(model) == before, "queued workers leave first"


def test_results_move_to_the_remaining_workers(shared_site, two):
    leaves, stays = two.model.workers
    with two.get_client() as client:
        futures = client.scatter(list(range(20)), workers=[leaves.address])
        two.retire(leaves.name)
        assert names(two.model) == {stays.name}
        assert two.model.wanted.n_workers == 1
        two.scale(2)
        shared_site.wait_for("queued", lambda model: model.n_workers == 2)
        futures += client.scatter(list(range(20)), workers=[names(two.model).difference({stays.name}).pop()])
        two.scale(1)
        assert names(two.model) == {stays.name}
        assert sum(client.gather(futures)) == 2 * sum(range(20))


def test_unsupported_requests_are_refused(two):
    before = two.model
    with pytest.raises(InvalidState, match="'queued' does not support adaptive scaling; set a number of workers"):
        two.adapt(minimum=1, maximum=2)
    with pytest.raises(InvalidState, match="'queued' cannot restart its workers"):
        two.restart()
    assert two.model.wanted == before.wanted


async def test_a_view_survives_errors_of_its_listener(two):
    view = await RemoteScheduler.connect(two.scheduler_address, two.security, timeout=30)
    counts = asyncio.Queue()

    def fail():
        counts.put_nowait(view.members().n_clients)
        raise RuntimeError("a bug of ours")

    view.watch(fail)
    before = view.members().n_clients
    async with Client(two.scheduler_address, security=two.security, asynchronous=True):
        assert await asyncio.wait_for(counts.get(), 30) == before + 1
    assert await asyncio.wait_for(counts.get(), 30) == before
    await view.close()


def test_lost_workers_are_replaced(shared_site, two, gate, wait_until):
    lost, stays = two.model.workers
    gate.touch()
    os.kill(lost.pid, signal.SIGKILL)
    model = shared_site.wait_for("queued", lambda model: (model.n_workers, model.n_pending) == (1, 1))
    assert (names(model), model.wanted.n_workers) == ({stays.name}, 2)
    gate.unlink()
    model = shared_site.wait_for("queued", lambda model: model.n_workers == 2)
    assert lost.name not in names(model)
    message = f"Worker {lost.name} left unexpectedly; see the log."
    # The activity is written once a second.
    wait_until(lambda: [entry for entry in two.activity() if (entry.kind, entry.message) == ("worker_died", message)])


@pytest.mark.full
def test_workers_that_cannot_start_are_reported_and_replaced(shared_site, two, fault):
    fault.touch()
    two.scale(3, wait=False)
    model = shared_site.wait_for("queued", lambda model: model.notice)
    assert model.notice == "1 of 3 workers could not start: the node has no licence."
    assert (model.state, model.n_workers, model.wanted.n_workers) == (ClusterState.RUNNING, 2, 3)
    fault.unlink()
    shared_site.wait_for("queued", lambda model: model.n_workers == 3 and model.notice is None)


def test_stop_ends_all_jobs(shared_site, two, wait_until):
    folder = shared_site.registry.folder(two.id)
    shared_site.control.stop("queued")
    wait_until(lambda: not shared_site.processes())
    assert {"remembered.json", "reaping"}.isdisjoint(path.name for path in folder.path.iterdir())


@pytest.mark.full
def test_workers_with_nannies_are_restarted(site):
    before = site.running(backend="subprocess", n_workers=2, nannies=True)
    before = site.wait_for(before.id, lambda model: model.n_workers == 2)
    assert {"scale", "retire", "restart"} <= set(before.can)
    assert "adapt" not in before.can
    cluster = gpucluster.connect(before.id)
    with cluster.get_client() as client:
        scheduler = client.scheduler_info()["id"]
        kept = client.submit(os.getpid, pure=False)
        kept.result()
        cluster.restart()
        after = cluster.model
        assert (names(after), after.n_workers, after.notice) == (names(before), 2, None)
        assert {worker.pid for worker in after.workers}.isdisjoint(worker.pid for worker in before.workers)
        assert client.scheduler_info()["id"] == scheduler
        assert kept.status == "cancelled", "results are lost"
        assert client.submit(sum, [1, 2]).result() == 3
    assert [entry for entry in cluster.activity() if entry.kind in {"worker_left", "worker_died"}] == []


@pytest.mark.full
def test_a_scheduler_that_cannot_start(site, monkeypatch, wait_until):
    monkeypatch.setenv("DASK_DISTRIBUTED__COMM__TLS__CIPHERS", "NONSENSE")
    model = site.create(backend="subprocess")
    with pytest.raises(StartFailed, match="The scheduler could not start: .*SSLError"):
        site.control.wait(model.id)
    wait_until(lambda: not site.processes())
    assert read_remembered(site.registry.folder(model.id)) is None


@pytest.mark.parametrize("step", ["remembered", "submitted", "running"])
@pytest.mark.full
def test_jobs_of_a_dead_supervisor_are_ended(site, monkeypatch, wait_until, step):
    monkeypatch.setenv("GPUCLUSTER_SUBPROCESS_DIES", step)
    model = site.create(backend="subprocess")
    folder = site.registry.folder(model.id)
    if step == "running":
        pid = site.wait_for(model.id, lambda model: model.n_workers == 1).pid
        family = {process.pid for process in site.family(site.get(model.id))}
        others = {process.pid for process in site.processes()} - family
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not psutil.pid_exists(pid))
        assert others <= {process.pid for process in site.processes()}, "jobs survive the supervisor"
    model = site.wait_for(model.id, lambda model: model.state.ended)
    assert model.state is ClusterState.FAILED
    wait_until(lambda: site.control.list() and not folder.remembered.exists(), what=folder.log.read_text)
    wait_until(lambda: not site.processes())
    messages = [entry.message for entry in site.control.activity(model.id).entries]
    assert any("from a process that died were stopped: scheduler" in message for message in messages) is (
        step != "remembered"
    ), messages
    site.control.remove(model.id)
    assert site.control.list() == []


@pytest.mark.full
def test_ending_jobs_is_retried_after_a_failure(site, wait_until):
    model = site.running(backend="subprocess")
    folder = site.registry.folder(model.id)
    kept = folder.remembered.read_text()
    folder.remembered.write_text(kept.replace('"subprocess"', '"nowhere"'))
    os.kill(model.pid, signal.SIGKILL)
    site.wait_for(model.id, lambda model: model.state.ended)
    wait_until(lambda: "may still be running" in site.control.activity(model.id).entries[-1].message)
    with pytest.raises(InvalidState, match="its remote processes may still be running"):
        site.control.remove(model.id)
    assert site.processes(), "the jobs still run"
    folder.remembered.write_text(kept)
    folder.reaping.write_text("")  # as after a minute
    wait_until(lambda: site.control.list() and not folder.remembered.exists(), what=folder.log.read_text)
    wait_until(lambda: not site.processes())


@pytest.mark.full
def test_a_lost_scheduler_ends_the_cluster(site, monkeypatch, wait_until):
    monkeypatch.setenv("DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT", "2s")
    model = site.running(backend="subprocess")
    for process in site.processes():
        command = process.cmdline()
        if "distributed.cli.dask_scheduler" in command and "gpucluster_subprocess.job" not in command:
            process.kill()
    model = site.wait_for(model.id, lambda model: model.state.ended)
    assert (model.state, model.reason) == (ClusterState.FAILED, "The scheduler no longer responds.")
    wait_until(lambda: not site.processes())

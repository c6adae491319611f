"""A kind of cluster of another package, whose scheduler and workers are jobs of a queue: the contract of backends.

The package is ``gpucluster_subprocess``; its queue serves nobody while the gate is closed, and what it
starts does not end with the supervisor.
"""

from __future__ import annotations

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
    """The package is installed, for this process and those that it starts."""
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
    """While this file is there, the queue serves no worker."""
    return tmp_path_factory.mktemp("queue") / "closed"


@pytest.fixture(scope="module")
def fault(gate):
    """While this file is there, workers that the queue serves cannot start."""
    return gate.with_name("fault")


@pytest.fixture(scope="module")
def queued(shared_site, package, gate, fault):
    """A cluster that was made while the gate was closed; gives the model that it had then."""
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
def test_it_runs_while_all_workers_wait(shared_site, queued, gate):
    assert (queued.state, queued.backend, queued.backend_title) == ("running", "subprocess", kind_title("subprocess"))
    assert (queued.n_workers, queued.n_pending, queued.wanted.n_workers) == (0, 2, 2)
    assert queued.pending_reason == "waits in the queue 'short'"
    assert (queued.can, queued.has_gpus, queued.dashboard_path) == (("scale", "retire"), False, None)
    assert shared_site.get("queued").idle.idle_since is None, "who waits in a queue is not idle"
    folder = shared_site.registry.folder(queued.id)
    assert read_remembered(folder).state["jobs"] == ["scheduler", "worker-0", "worker-1"]
    assert stat.S_IMODE(folder.remembered.stat().st_mode) == 0o600
    gate.unlink(missing_ok=True)
    model = shared_site.wait_for("queued", lambda model: model.n_workers == 2)
    assert (model.n_pending, model.pending_reason, names(model)) == (0, None, {"worker-0", "worker-1"})


@pytest.mark.full
def test_what_is_computed_shows(shared_site, two, wait_until):
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


def test_a_request_is_done_when_the_queue_has_it(shared_site, two, gate):
    before = names(two.model)
    gate.touch()
    two.scale(3)
    model = two.model
    assert (model.state, model.n_workers, model.n_pending, model.notice) == (ClusterState.RUNNING, 2, 1, None)
    two.scale(2)
    model = shared_site.wait_for("queued", lambda model: not model.n_pending)
    assert names(model) == before, "who waits leaves first"


def test_results_go_to_the_others(shared_site, two):
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


def test_what_it_cannot_do_is_refused(two):
    before = two.model
    with pytest.raises(InvalidState, match="'queued' cannot follow the load; ask for a number of workers"):
        two.adapt(minimum=1, maximum=2)
    with pytest.raises(InvalidState, match="'queued' cannot restart its workers"):
        two.restart()
    assert two.model.wanted == before.wanted


async def test_a_view_goes_on_when_nobody_can_be_told_of_a_change(two):
    view = await RemoteScheduler.connect(two.scheduler_address, two.security, timeout=30)
    told = asyncio.Queue()

    def fail():
        told.put_nowait(view.members().n_clients)
        raise RuntimeError("a bug of ours")

    view.watch(fail)
    before = view.members().n_clients
    async with Client(two.scheduler_address, security=two.security, asynchronous=True):
        assert await asyncio.wait_for(told.get(), 30) == before + 1
    assert await asyncio.wait_for(told.get(), 30) == before
    await view.close()


def test_who_is_lost_is_asked_for_again(shared_site, two, gate, wait_until):
    lost, stays = two.model.workers
    gate.touch()
    os.kill(lost.pid, signal.SIGKILL)
    model = shared_site.wait_for("queued", lambda model: (model.n_workers, model.n_pending) == (1, 1))
    assert (names(model), model.wanted.n_workers) == ({stays.name}, 2)
    gate.unlink()
    model = shared_site.wait_for("queued", lambda model: model.n_workers == 2)
    assert lost.name not in names(model)
    told = f"Worker {lost.name} left unexpectedly; see the log."
    # Within a second: the activity is written down once a second.
    wait_until(lambda: [entry for entry in two.activity() if (entry.kind, entry.message) == ("worker_died", told)])


@pytest.mark.full
def test_who_cannot_start_is_told_and_asked_for_again(shared_site, two, fault):
    fault.touch()
    two.scale(3, wait=False)
    model = shared_site.wait_for("queued", lambda model: model.notice)
    assert model.notice == "1 of 3 workers could not start: the node has no licence."
    assert (model.state, model.n_workers, model.wanted.n_workers) == (ClusterState.RUNNING, 2, 3)
    fault.unlink()
    shared_site.wait_for("queued", lambda model: model.n_workers == 3 and model.notice is None)


def test_the_end_takes_all_along(shared_site, two, wait_until):
    folder = shared_site.registry.folder(two.id)
    shared_site.control.stop("queued")
    wait_until(lambda: not shared_site.processes())
    assert {"remembered.json", "reaping"}.isdisjoint(path.name for path in folder.path.iterdir())


@pytest.mark.full
def test_workers_that_can_be_are_restarted_through_the_view(site):
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
def test_whoever_looks_next_ends_what_a_dead_supervisor_has_left(site, monkeypatch, wait_until, step):
    monkeypatch.setenv("GPUCLUSTER_SUBPROCESS_DIES", step)
    model = site.create(backend="subprocess")
    folder = site.registry.folder(model.id)
    if step == "running":
        pid = site.wait_for(model.id, lambda model: model.n_workers == 1).pid
        others = {process.pid for process in site.processes()} - {
            process.pid for process in site.family(site.get(model.id))
        }
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not psutil.pid_exists(pid))
        assert others <= {process.pid for process in site.processes()}, "they do not end with it"
    model = site.wait_for(model.id, lambda model: model.state.ended)
    assert model.state is ClusterState.FAILED
    wait_until(lambda: site.control.list() and not folder.remembered.exists(), what=folder.log.read_text)
    wait_until(lambda: not site.processes())
    told = [entry.message for entry in site.control.activity(model.id).entries]
    assert any("left were ended: scheduler" in message for message in told) is (step != "remembered"), told
    site.control.remove(model.id)
    assert site.control.list() == []


@pytest.mark.full
def test_what_cannot_be_ended_is_tried_again_and_not_forgotten(site, wait_until):
    model = site.running(backend="subprocess")
    folder = site.registry.folder(model.id)
    kept = folder.remembered.read_text()
    folder.remembered.write_text(kept.replace('"subprocess"', '"nowhere"'))
    os.kill(model.pid, signal.SIGKILL)
    site.wait_for(model.id, lambda model: model.state.ended)
    wait_until(lambda: "may still run" in site.control.activity(model.id).entries[-1].message)
    with pytest.raises(InvalidState, match="its processes elsewhere may still be running"):
        site.control.remove(model.id)
    assert site.processes(), "they do not end by themselves"
    folder.remembered.write_text(kept)
    folder.reaping.write_text("")  # A minute later.
    wait_until(lambda: site.control.list() and not folder.remembered.exists(), what=folder.log.read_text)
    wait_until(lambda: not site.processes())


@pytest.mark.full
def test_a_scheduler_that_is_gone_ends_the_cluster(site, monkeypatch, wait_until):
    monkeypatch.setenv("DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT", "2s")
    model = site.running(backend="subprocess")
    for process in site.processes():
        if (
            "distributed.cli.dask_scheduler" in process.cmdline()
            and "gpucluster_subprocess.job" not in process.cmdline()
        ):
            process.kill()
    model = site.wait_for(model.id, lambda model: model.state.ended)
    assert (model.state, model.reason) == (ClusterState.FAILED, "The scheduler does not answer any more.")
    wait_until(lambda: not site.processes())

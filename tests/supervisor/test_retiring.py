"""Retiring a worker moves its data, frees its name and changes nothing else."""

import asyncio
import os
import re
import signal
from contextlib import suppress

import gpucluster
import httpx
import pytest
from gpucluster.backends.scheduler.view import Member, Members, Retired
from gpucluster.protocol.errors import ClusterNotFound, InvalidState, WorkerNotFound
from gpucluster.protocol.models import ClusterState
from gpucluster.supervisor import retiring
from gpucluster.supervisor.activity_log import WorkerTitles


class Scheduler:
    """One worker that holds results, and one that has just connected and takes some after a number of looks."""

    def __init__(self, looks: float) -> None:
        self._looks = looks
        self.handed = None

    async def refresh(self):
        self._looks -= 1

    def members(self):
        if self.handed:
            return Members(workers=(Member("new", "new", None, 1, None, True, True, False),))
        ready = self._looks < 0
        new = Member("new", "new", None, 1, None, ready, False, False)
        return Members(workers=(Member("old", "old", None, 1, None, True, True, False), new))

    async def retire(self, names):
        self.handed = self._looks < 0
        return Retired(gone=frozenset(names)) if self.handed else Retired(kept=tuple(names))


class Deployment:
    """The parts of a deployment that retiring uses."""

    def __init__(self, looks: float) -> None:
        self.scheduler = Scheduler(looks)
        self.released = set()

    def slots(self):
        return []

    async def release(self, names):
        self.released |= names


@pytest.mark.parametrize("scales", [False, True])
def test_results_wait_for_new_worker(scales, monkeypatch):
    monkeypatch.setattr(retiring, "LOOK_SECONDS", 0.001)
    deployment, titles = Deployment(looks=20), WorkerTitles()
    if scales:
        why = asyncio.run(retiring.move_results(deployment, {"old"}, titles, lambda: True))
    else:
        why = asyncio.run(retiring.retire_worker(deployment, "old", titles, last=lambda: False))
    assert (why, deployment.scheduler.handed) == (None, True)
    assert deployment.released == (set() if scales else {"old"})


def test_results_wait_with_timeout(monkeypatch):
    monkeypatch.setattr(retiring, "LOOK_SECONDS", 0.001)
    monkeypatch.setattr(retiring, "READY_SECONDS", 0.05)
    deployment, titles = Deployment(looks=float("inf")), WorkerTitles()
    why = asyncio.run(retiring.retire_worker(deployment, "old", titles, last=lambda: False))
    assert "there is no other worker to take its results" in why
    assert deployment.scheduler.handed is None
    # An opposite request meanwhile ends the wait.
    monkeypatch.setattr(retiring, "READY_SECONDS", 600)
    assert asyncio.run(retiring.move_results(deployment, {"old"}, titles, lambda: False)) is None
    # So does a request for no workers.
    wanted = iter([True, True, True])
    assert asyncio.run(retiring.retire_worker(deployment, "old", titles, last=lambda: not next(wanted, False))) is None
    assert deployment.released == {"old"}


@pytest.fixture
def three(shared_site, shared_cluster):
    shared_site.control.patch("shared", {"n_workers": 3})
    shared_site.wait_for("shared", lambda model: model.state is ClusterState.RUNNING and model.n_workers == 3)
    return gpucluster.connect("shared")


def names(cluster):
    return [worker.name for worker in cluster.model.workers]


def test_retiring_moves_results(shared_site, three):
    leaving, *staying = names(three)
    before = {worker.name: worker.pid for worker in three.model.workers}
    with three.get_client() as client:
        # Scattered data cannot be computed again: it is moved or lost.
        addresses = {worker.name: worker.address for worker in three.model.workers}
        futures = client.scatter(list(range(50)), workers=[addresses[leaving]])
        assert set(map(len, client.who_has(futures).values())) == {1}
        three.retire(leaving)
        assert names(three) == staying
        assert sum(client.gather(futures)) == sum(range(50))
    assert {worker.name: worker.pid for worker in three.model.workers} == {name: before[name] for name in staying}
    model = shared_site.wait_for("shared", lambda model: model.state is ClusterState.RUNNING)
    assert (model.n_workers, model.wanted.n_workers) == (2, 2)


def test_scaling_down_moves_results(shared_site, three):
    with three.get_client() as client:
        last = three.model.workers[-1].address
        futures = client.scatter(list(range(50)), workers=[last])
        assert set(map(len, client.who_has(futures).values())) == {1}
        three.scale(1)
        assert sum(client.gather(futures)) == sum(range(50))


def test_retire_several_and_the_last(shared_site, three):
    for name in names(three):
        three.retire(name, wait=False)
        with suppress(WorkerNotFound):  # Asking again changes nothing, unless it is gone already.
            three.retire(name, wait=False)
    model = shared_site.wait_for("shared", lambda model: model.state is ClusterState.RUNNING and not model.workers)
    assert (model.wanted.n_workers, model.notice) == (0, None)
    three.scale(1)
    with three.get_client() as client:
        assert client.submit(sum, [1, 2]).result(60) == 3


@pytest.mark.full
def test_later_scale_counts(shared_site, three):
    leaving = names(three)[0]
    pid = three.model.workers[0].pid
    three.retire(leaving, wait=False)
    shared_site.control.patch("shared", {"n_workers": 3})
    settled = lambda model: model.state is ClusterState.RUNNING and model.n_workers == 3  # noqa: E731
    model = shared_site.wait_for(
        "shared", lambda model: settled(model) and pid not in {worker.pid for worker in model.workers}
    )
    assert model.wanted.n_workers == 3


@pytest.mark.full
def test_retiring_last_worker_waits_for_others(shared_site, three):
    three.scale(2)
    first, second = three.model.workers
    with three.get_client() as client:
        futures = client.scatter(list(range(50)), workers=[second.address])
        three.retire(first.name, wait=False)
        shared_site.control.patch("shared", {"n_workers": 3})
        three.retire(second.name, wait=False)
        settled = lambda model: model.state is ClusterState.RUNNING and model.n_workers == 2  # noqa: E731
        left = {first.pid, second.pid}
        model = shared_site.wait_for(
            "shared", lambda model: settled(model) and left.isdisjoint(worker.pid for worker in model.workers)
        )
        assert (model.wanted.n_workers, model.notice) == (2, None)
        assert sum(client.gather(futures)) == sum(range(50))


@pytest.mark.full
def test_a_request_that_changes_cancels_retiring(shared_site, three):
    # The worker that leaves first is the newest one, whatever its name.
    three.scale(1)
    (stays,) = three.model.workers
    three.scale(2)
    (hung,) = [worker for worker in three.model.workers if worker.pid != stays.pid]
    with three.get_client() as client:
        futures = client.scatter(list(range(50)), workers=[hung.address])
        os.kill(hung.pid, signal.SIGSTOP)
        try:
            shared_site.control.patch("shared", {"n_workers": 1})
            shared_site.wait_for("shared", lambda model: model.state is ClusterState.SCALING)
            shared_site.control.patch("shared", {"n_workers": 2})
            model = shared_site.wait_for("shared", lambda model: model.state is ClusterState.RUNNING)
        finally:
            os.kill(hung.pid, signal.SIGCONT)
        assert {worker.pid for worker in model.workers} == {stays.pid, hung.pid}
        assert sum(client.gather(futures)) == sum(range(50))
        # It takes tasks again.
        assert client.submit(os.getpid, workers=[hung.address], pure=False).result(60) == hung.pid


class Counter:
    """An actor."""

    def value(self):
        return 42


def test_worker_with_immovable_data_stays(shared_site, three):
    leaving = three.model.workers[0]
    with three.get_client() as client:
        counter = client.submit(Counter, actor=True, workers=[leaving.address]).result(60)
        with pytest.raises(InvalidState, match=rf"Worker {leaving.name} was not retired: it holds actors"):
            three.retire(leaving.name)
        model = shared_site.wait_for("shared", lambda model: model.state is ClusterState.RUNNING)
        assert (model.n_workers, model.wanted.n_workers) == (3, 3)
        assert counter.value().result() == 42
    failures = [entry.message for entry in three.activity() if entry.kind == "failure"]
    assert failures[-1] == model.notice


def test_scaling_down_reports_losses(shared_site, three):
    three.scale(1)
    (stays,) = three.model.workers
    three.scale(2)
    (leaves,) = [worker for worker in three.model.workers if worker.pid != stays.pid]
    with three.get_client() as client:
        counter = client.submit(Counter, actor=True, workers=[leaves.address]).result(60)
        assert counter.value().result() == 42
        three.scale(1)
        model = shared_site.wait_for("shared", lambda model: model.state is ClusterState.RUNNING)
    lost = f"Worker {leaves.name} held actors, or results that no other had room for; they are lost."
    assert (model.n_workers, model.notice) == (1, lost)
    assert [entry.message for entry in three.activity() if entry.kind == "failure"][-1] == lost


@pytest.mark.full
def test_retire_with_adaptive_scaling(shared_site, three):
    shared_site.control.patch("shared", {"adapt": {"minimum": 2, "maximum": 3}})
    pids = {worker.pid for worker in three.model.workers}
    leaving = three.model.workers[0]
    three.retire(leaving.name)
    assert leaving.address not in {worker.address for worker in three.model.workers}
    model = shared_site.wait_for("shared", lambda model: model.n_workers >= 2)
    assert model.wanted.adapt is not None
    assert leaving.pid in pids - {worker.pid for worker in model.workers}
    three.scale(2)


@pytest.mark.parametrize(
    "name",
    ["", " ", ".", "..", "77", "0/1", "0/../../stop", "%00", "ü", "x" * 5000, "0\n", "\x00", "\ud800"],
    ids=ascii,
)
def test_retire_unknown_worker(shared_site, three, name):
    before = shared_site.get("shared")
    with pytest.raises(WorkerNotFound, match="The cluster 'shared' has no worker") as refused:
        three.retire(name)
    assert re.search("Its workers are: |Did you mean ", refused.value.message)
    assert len(refused.value.message) < 300
    assert not name or "''" not in refused.value.message
    assert shared_site.get("shared").wanted == before.wanted


@pytest.mark.parametrize(
    ("method", "path", "status", "words"),
    [
        ("POST", "/workers/%ff/retire", 400, "cannot be read"),
        ("DELETE", "/model", 405, "does not support the method DELETE"),
    ],
)
def test_malformed_request(shared_site, three, method, path, status, words):
    socket = shared_site.registry.folder(three.id).socket
    with httpx.Client(transport=httpx.HTTPTransport(uds=str(socket))) as client:
        answer = client.request(method, f"http://gpucluster{path}", headers=shared_site.headers(three.id))
    assert (answer.status_code, answer.json()["code"]) == (status, "invalid_request")
    assert words in answer.json()["message"]


def test_retire_needs_running_cluster(site):
    with pytest.raises(ClusterNotFound):
        site.control.retire("nowhere", "0", wait=False)
    site.create(name="young")
    with pytest.raises(InvalidState, match="still starting"):
        site.control.retire("young", "0", wait=False)
    site.control.stop("young")
    with pytest.raises(InvalidState, match="has stopped"):
        site.control.retire("young", "0", wait=False)

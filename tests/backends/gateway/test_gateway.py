"""Clusters of a real Dask Gateway server, as people make them; and what a server does to clusters."""

import asyncio
import os
import signal
import time
import urllib.request
from collections.abc import Callable, Coroutine
from dataclasses import asdict
from typing import Any

import gpucluster
import psutil
import pytest
from gpucluster.backends.backend import ReapContext
from gpucluster.backends.gateway.backend import GatewayBackend
from gpucluster.backends.gateway.server import GatewayServer, Login, Report
from gpucluster.protocol.errors import GPUClusterError, StartFailed
from gpucluster.protocol.models import ClusterModel, ClusterState, Network
from gpucluster.protocol.verbs import Verb
from gpucluster.registry import logs
from gpucluster.registry.started_elsewhere import read_remembered

from tests.backends.gateway.realgateway import PASSWORD, VARIABLE, RealGateway
from tests.backends.seen import messages, refusal, same_centres, stopped

THEIRS = {"n_workers": None, "memory_limit": "auto"}
NAME = "of-the-gateway"


def login(gateway: RealGateway) -> Login:
    return Login(gateway.address, str(gateway.proxy), None, "alice", VARIABLE)


def ask(gateway: RealGateway, question: Callable[[GatewayServer], Coroutine[Any, Any, Any]]) -> Any:
    """Send the server a request from another session of the same user."""

    async def run() -> Any:
        async with GatewayServer(login(gateway)) as server:
            return await question(server)

    return asyncio.run(run())


def living(gateway: RealGateway) -> set[str]:
    reports: list[Report] = ask(gateway, lambda server: server.clusters())
    return {report.name for report in reports}


def name_of(model: ClusterModel) -> str:
    return str(model.scheduler_address).rpartition("/")[2]


@pytest.fixture(scope="module")
def made(gateway, shared_site):
    """A cluster of one worker, its model just after it was made. Its process retries a connection for 3 seconds."""
    options = {**gateway.options, **THEIRS, "gateway_options": "worker_cores=2", "n_workers": 1}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT", "3s")
        return shared_site.running(name=NAME, **options)


@pytest.fixture
def one(made, shared_site):
    """That cluster with one worker."""
    shared_site.control.patch(NAME, {"n_workers": 1})
    shared_site.wait_for(NAME, lambda model: (model.n_workers, model.n_pending, model.notes) == (1, 0, []))
    return gpucluster.connect(NAME)


def test_cluster_runs_and_records_no_secret(gateway, shared_site, made):
    assert (made.state, made.backend_title, made.network) == (ClusterState.RUNNING, "Gateway", Network.TLS)
    assert set(made.can) == set(Verb)
    folder = shared_site.registry.folder(made.id)
    remembered = read_remembered(folder)
    assert remembered.state["name"] == name_of(made)
    assert {path.stat().st_mode & 0o777 for path in folder.tls.iterdir()} == {0o600}
    assert not [path for path in folder.path.rglob("*") if path.is_file() and PASSWORD in path.read_text()]
    model = shared_site.wait_for(NAME, lambda model: model.n_workers == 1)
    assert model.workers[0].n_threads == 2, "as the option of the site says"
    with urllib.request.urlopen(shared_site.registry.dashboard(made.id).url, timeout=20) as page:
        assert b"Dask" in page.read()


@pytest.mark.full
def test_kmeans_finds_what_scikit_learn_finds(shared_site, one, wait_until):
    same_centres(one)
    name = shared_site.get(NAME).workers[0].name
    wait_until(lambda: shared_site.control.telemetry(NAME).workers == [name])


@pytest.mark.full
def test_scaling_keeps_to_the_site_limit_and_moves_results(shared_site, one):
    shared_site.control.patch(NAME, {"n_workers": 9})
    model = shared_site.wait_for(NAME, lambda model: model.n_workers == 3)
    assert any("exceed resource limit of 3 workers" in note for note in model.notes), model.notes
    model = shared_site.wait_for(NAME, lambda model: model.wanted.n_workers == 3)
    assert model.state is ClusterState.RUNNING, "it does not wait for workers that are not granted"
    last = model.workers[-1]
    shared_site.control.patch(NAME, {"n_workers": 3})
    with one.get_client() as client:
        futures = client.scatter(list(range(10)), workers=[last.address])
        one.retire(last.name)
        shared_site.wait_for(NAME, lambda model: (model.n_workers, model.n_pending, model.notes) == (2, 0, []))
        shared_site.control.patch(NAME, {"n_workers": 1})
        shared_site.wait_for(NAME, lambda model: model.n_workers == 1)
        assert sum(client.gather(futures)) == sum(range(10))
    assert "died" not in messages(one)


@pytest.mark.full
def test_adaptive_scaling_follows_the_load(shared_site, one):
    shared_site.control.patch(NAME, {"adapt": {"minimum": 1, "maximum": 2, "wait_count": 5}})
    with one.get_client() as client:
        # More than one worker can finish before the other has come.
        futures = client.map(lambda i: time.sleep(0.5), range(2000))
        shared_site.wait_for(NAME, lambda model: model.n_workers == 2)
        assert any("has its own wait_count" in note for note in shared_site.get(NAME).notes)
        client.cancel(futures)
    shared_site.wait_for(NAME, lambda model: model.n_workers == 1)
    shared_site.control.patch(NAME, {"n_workers": 2})
    shared_site.wait_for(NAME, lambda model: (model.n_workers, model.notes) == (2, []))


@pytest.mark.full
def test_restarted_server_keeps_the_cluster(gateway, shared_site, one, wait_until):
    gateway.stop()
    model = shared_site.wait_for(NAME, lambda model: any("No server responds at" in note for note in model.notes))
    assert (model.state, model.n_workers) == (ClusterState.RUNNING, 1)
    # Dask itself gives up; the view does not.
    wait_until(lambda: "Failed to reconnect to scheduler" in "\n".join(one.logs(lines=200)))
    gateway.start()
    shared_site.wait_for(NAME, lambda model: not model.notes)
    with one.get_client() as client:
        assert client.submit(sum, [1, 2, 3]).result() == 6
        shared_site.wait_for(NAME, lambda model: model.n_clients == 1)
    shared_site.control.patch(NAME, {"n_workers": 0})
    shared_site.wait_for(NAME, lambda model: (model.n_workers, model.n_pending) == (0, 0))


@pytest.mark.full
def test_cluster_is_shut_down_after_a_killed_supervisor(gateway, shared_site, made, wait_until):
    os.kill(shared_site.get(NAME).pid, signal.SIGKILL)
    wait_until(lambda: not psutil.pid_exists(made.pid))
    assert name_of(made) in living(gateway)
    folder = shared_site.registry.folder(made.id)
    # A process without the password looks first, which delays others only briefly.
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(VARIABLE)
        shared_site.control.list()
    wait_until(
        lambda: "may still be running" in logs.read_activity(folder.activity)[-1].message, what=folder.log.read_text
    )
    message = logs.read_activity(folder.activity)[-1].message
    assert f"the environment variable {VARIABLE} is not set" in message
    assert f"Gateway('{gateway.address}').stop_cluster('{name_of(made)}')" in message
    assert name_of(made) in living(gateway)
    wait_until(lambda: shared_site.control.list() and not folder.remembered.exists(), what=folder.log.read_text)
    assert name_of(made) not in living(gateway)
    wait_until(lambda: not gateway.cluster_processes(), what=gateway.cluster_processes)
    reported = [entry.message for entry in shared_site.control.activity(made.id).entries]
    assert (
        f"The cluster {name_of(made)}, left over from a process that died, was shut down on the Dask Gateway"
        in reported
    )


@pytest.mark.full
def test_existing_cluster_is_left_alone(gateway, shared_site):
    before = living(gateway)
    name = ask(gateway, lambda server: server.submit({}))
    request = {**gateway.options, **THEIRS, "cluster_name": name}
    model, other = (shared_site.create(**request, shutdown_on_stop=ends) for ends in (None, True))
    model, other = (shared_site.control.wait(one.id, timeout=60) for one in (model, other))
    assert (model.wanted.n_workers, model.n_workers, model.n_pending) == (None, 0, 0)
    assert model.notes == [f"This cluster, {name}, already existed: Stop only disconnects."]
    assert stopped(shared_site, model.id).state is ClusterState.STOPPED
    assert living(gateway) - before == {name}
    # When it is shut down there, the reason is shown here.
    ask(gateway, lambda server: server.stop(name))
    ended = shared_site.wait_for(other.id, lambda model: model.state.ended)
    assert ended.state is ClusterState.STOPPED
    assert ended.reason.startswith("Dask Gateway has shut the cluster down:")
    with pytest.raises(StartFailed, match=f"cluster_name: the cluster {name} is stopp"):
        shared_site.running(**request)


@pytest.mark.full
def test_cluster_without_a_known_name_is_found_by_its_properties(gateway):
    reported: list[str] = []

    async def killed_while_asking() -> None:
        async with GatewayServer(login(gateway)) as server:
            options = {row["field"]: row["default"] for row in await server.options()}
            before = [report.name for report in await server.clusters()]
            state = {"cluster_id": "x", "login": asdict(server.login), "name": None, "before": before}
            state |= {"options": options, "asked": await server.clock(), "noted": time.time()}
            lost, other = [await server.submit(chosen) for chosen in (options, {**options, "profile": "big"})]
            with pytest.raises(ValueError, match="belongs to another cluster"):
                await GatewayBackend().reap(state, ReapContext("y", reported.append))
            await GatewayBackend().reap({**state, "before": [lost]}, ReapContext("x", reported.append))
            assert not (await server.report(lost)).ended
            for _ in range(2):  # The second time there is nothing to do.
                await GatewayBackend().reap(state, ReapContext("x", reported.append))
            assert (await server.report(lost)).ended
            assert not (await server.report(other)).ended
            await server.stop(other)

    asyncio.run(killed_while_asking())
    assert len(reported) == 1


def test_a_scheduler_that_does_not_start_leaves_nothing(gateway, shared_site):
    before = living(gateway)
    with pytest.raises(StartFailed, match=r"could not start the scheduler of the cluster .* \(failed\)"):
        shared_site.running(**gateway.options, **THEIRS, gateway_options={"image": "broken"})
    assert living(gateway) == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"gateway_options": {"worker_cores": 9}}, "gateway_options.worker_cores: must be a whole number from 1 to 4"),
        ({"gateway_options": {"profile": "bigg"}}, "must be one of 'small', 'big', not 'bigg'. Did you mean 'big'?"),
        ({"gateway_options": {"profil": "big"}}, "offers no such option; available: worker_cores, "),
        ({"cluster_name": "nope"}, "Cluster nope not found"),
        ({"username": "alice", "password_from": "PATH"}, "rejected your login (basic). Are the user name and password"),
        ({"password_from": "NOT_THERE"}, "the environment variable NOT_THERE is not set"),
        ({"password_from": "/etc/passwd"}, "other users can read /etc/passwd. Run: chmod 600"),
        ({"auth": "jupyterhub", "username": None, "password_from": None}, "No JupyterHub token"),
        ({"address": "http://127.0.0.1:9"}, "No server responds at http://127.0.0.1:9. Is that the address"),
        ({"address": "http://nowhere.invalid"}, "Host 'nowhere.invalid' not found"),
    ],
)
async def test_impossible_options_are_refused_before_the_start(gateway, tmp_path, options, message):
    assert message in await refusal(tmp_path, **{**gateway.options, **options})


async def test_address_of_another_server_is_refused(gateway, tmp_path):
    for address, message in (
        (f"{gateway.address}/elsewhere", "is not a Dask Gateway. Is it the right address"),
        (gateway.address.replace("http:", "https:"), "does not use TLS"),
    ):
        assert message in await refusal(tmp_path, **{**gateway.options, "address": address})


@pytest.mark.full
def test_preview_shows_the_options_of_the_server(gateway, shared_site):
    before = living(gateway)
    found = shared_site.control.preview({**gateway.options, "gateway_options": "worker_cores=2,fast=yes"})
    assert '"worker_cores": 2' in found.text
    assert '"fast": true' in found.text
    assert "It offers worker_cores (Cores): a whole number from 1 to 4; 1 by default." in found.notes
    profile = {"title": "profile", "type": "string", "default": "small", "enum": ["small", "big"]}
    assert found.offered["profile"] == profile
    with pytest.raises(GPUClusterError, match="worker_cores: must be a whole number from 1 to 4, not 'x'"):
        shared_site.control.preview({**gateway.options, "gateway_options": {"worker_cores": "x"}})
    assert living(gateway) == before

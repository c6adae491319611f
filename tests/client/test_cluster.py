"""The Python API on a real cluster: synchronous, asynchronous, in with blocks, and its display."""

import asyncio
import gc
import json
import math
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import CancelledError, ThreadPoolExecutor

import dask
import gpucluster
import pytest
from dask import array
from distributed import Client, Event, LocalCluster, as_completed, wait
from gpucluster.client.cluster import Cluster
from gpucluster.client.control import Control
from gpucluster.devices.host import this_machine
from gpucluster.learn.cluster import KMeans
from gpucluster.learn.errors import ClusterStopped
from gpucluster.protocol.errors import (
    ClusterEnded,
    ClusterNotFound,
    GPUClusterError,
    InvalidRequest,
    InvalidState,
    NameTaken,
    WrongArguments,
)
from gpucluster.protocol.models import ClusterState, Telemetry
from IPython.core.interactiveshell import InteractiveShell

from tests.conftest import until_async


@pytest.fixture
def shared(shared_cluster):
    return gpucluster.connect("shared")


def test_a_client_connects_to_the_handle(shared):
    with Client(shared) as client:
        assert client.submit(sum, [1, 2]).result(60) == 3
    assert shared.state == "running", "closing a client ends no cluster"
    with shared.get_client() as client:
        assert client.scheduler.address == shared.scheduler_address


async def test_an_asynchronous_client_connects_to_an_asynchronous_handle(shared_cluster):
    handle = gpucluster.connect("shared", asynchronous=True)
    async with Client(handle, asynchronous=True) as client:
        assert await client.submit(sum, [1, 2]) == 3
    assert await handle.logs(2)
    await handle.wait_for_workers(1, timeout=60)


async def test_a_synchronous_handle_works_inside_a_running_loop(shared):
    """As in a notebook, whose kernel runs a loop while a cell is executed."""
    assert asyncio.get_running_loop().is_running()
    shared.wait_for_workers(1)
    assert shared.logs(3)

    # As in a subshell of a kernel, where JupyterLab runs the callbacks of widgets.
    async def lines():
        return shared.logs(3)

    with ThreadPoolExecutor(1) as thread:
        assert len(thread.submit(asyncio.run, lines()).result()) == 3


def test_the_verbs(shared_site, shared, wait_until):
    shared.scale(3)
    assert shared.n_workers == 3
    shared.scale(2)
    assert (shared.n_workers, shared.state) == (2, "running")
    shared.adapt(1, 2)
    assert shared.model.wanted.adapt.maximum == 2
    shared.adapt(maximum=3)
    assert (shared.model.wanted.adapt.minimum, shared.model.wanted.adapt.maximum) == (0, 3)
    shared.adapt(minimum=2)
    most = max(this_machine().cores, 2)
    assert (shared.model.wanted.adapt.minimum, shared.model.wanted.adapt.maximum) == (2, most), "its cores"
    shared.adapt(minimum=1, maximum=math.inf)
    assert shared.model.wanted.adapt.maximum == this_machine().cores
    shared.scale(n=2)
    shared.wait_for_workers(2)
    shared.scale(2, wait=False)
    names = [worker.name for worker in shared.model.workers]
    shared.retire(int(names[0]))
    assert [worker.name for worker in shared.model.workers] == names[1:]
    assert [entry.kind for entry in shared.activity() if entry.by][-2:] == ["scale", "retire"]
    shared.scale(2)
    assert shared.telemetry().id == shared.id
    assert len(shared.telemetry().workers) == 2
    assert len(shared.history().seconds) >= 1
    assert shared.frame()["memory_bytes"].iloc[-1] > 0
    names = {worker.name for worker in shared.model.workers}
    # A new worker appears in the next sample.
    wait_until(lambda: set(shared.frame(by="worker").index.get_level_values("worker")) >= names)
    with pytest.raises(InvalidRequest, match="by: must be 'cluster' or 'worker' for a running cluster"):
        shared.frame(by="task")
    with pytest.raises(InvalidRequest, match="n_workers: must be at least 0, not -1"):
        shared.scale(-1)
    with pytest.raises(TypeError, match=r"'foo'\. It is called as scale\(n=None, .*timeout=120\)\.$") as refusal:
        shared.scale(2, foo=1)
    assert isinstance(refusal.value, InvalidRequest)
    with pytest.raises(InvalidRequest, match="minimum .3. must not be larger than maximum .1."):
        shared.adapt(3, 1)


def test_repr(shared, monkeypatch):
    assert "'shared': running, local, 2 workers" in repr(shared)
    html = shared._repr_html_()
    assert "shared" in html and "CPU workers" in html and "sockets in a private folder" in html
    prefix = shared.dashboard_link.split("/")[3]
    assert prefix not in html, "a saved notebook holds no secret"
    monkeypatch.setenv("JUPYTERHUB_SERVICE_PREFIX", "/user/me/")
    assert shared.dashboard_link == f"/user/me/gpucluster/dashboard/{shared.id}/status"
    assert shared.dashboard_link in shared._repr_html_()


def test_a_client_shows_no_secret(shared, monkeypatch):
    with shared.get_client() as client:
        prefix = client.dashboard_link.split("/")[3]
        assert len(prefix) > 20
        html = client._repr_html_()
        assert prefix not in html, "a saved notebook holds no secret"
        assert "client.dashboard_link" in html
        assert "shared" in html
        monkeypatch.setenv("JUPYTERHUB_SERVICE_PREFIX", "/user/me/")
        assert f'<a href="{shared.dashboard_link}"' in client._repr_html_()


def test_repr_of_a_client_after_its_cluster_ended(site):
    site.running(name="gone")
    cluster = gpucluster.connect("gone")
    client = cluster.get_client()
    cluster.stop()
    assert client.dashboard_link is None
    assert "Client" in client._repr_html_()
    client.close(timeout=2)


def test_compute_after_stop_runs_locally(site, wait_until):
    site.running(name="soon")
    client = gpucluster.connect("soon").get_client()
    lazy = dask.delayed(os.getpid)()
    assert dask.config.get("scheduler", None) == "dask.distributed"
    assert lazy.compute() != os.getpid()
    site.control.stop("soon")
    wait_until(lambda: client.status == "closed", what=lambda: client.status)
    assert dask.config.get("scheduler", None) is None
    assert lazy.compute(scheduler="threads") == dask.delayed(os.getpid)().compute() == os.getpid()
    client.close()  # again, as in a with block


@pytest.mark.parametrize("connected", [Cluster.get_client, Client], ids=["get_client", "Dask's own way"])
@pytest.mark.full
def test_client_of_an_ended_cluster_raises_cluster_error(site, wait_until, capsys, connected):
    """Also while waiting for a result, and without a traceback in a notebook."""
    site.running(name="over")
    client = connected(gpucluster.connect("over"))
    event = Event("begun", client=client)
    done = client.submit(sum, [1, 2])
    assert done.result(60) == 3
    lazy = dask.delayed(os.getpid)()
    kept = client.persist(lazy)
    wait([kept])
    waiting = client.submit(begin_and_sleep, event)
    assert event.wait(60)
    with ThreadPoolExecutor(1) as thread:
        result = thread.submit(waiting.result)
        Control(site.directory, by="JupyterLab").stop("over")
        with pytest.raises(ClusterEnded, match="The cluster 'over' (is being|was) stopped .*by JupyterLab"):
            result.result(60)
    wait_until(lambda: client.status == "closed", what=lambda: client.status)
    for ask in (
        lambda: client.submit(sum, [1]),
        lambda: client.map(abs, [1]),
        lambda: client.compute(lazy),
        lambda: client.gather([done]),
        done.result,
        lambda: client.run(os.getpid),
        lambda: client.scatter([1]),
        client.restart,
        client.who_has,
        # Without a warning about its client, which was the default one:
        lazy.compute,
        lazy.persist,
        kept.compute,
        lambda: wait([done]),
        lambda: list(as_completed([done])),
        lambda: KMeans(2).fit(array.ones((4, 2))),
    ):
        sentence = r"^The cluster 'over' was stopped at \d\d:\d\d by JupyterLab\."
        with pytest.raises(GPUClusterError, match=sentence) as told:
            ask()
        assert isinstance(told.value, (CancelledError, ClusterStopped)), "also an error of Dask or of gpucluster.learn"
    shell = InteractiveShell()
    shell.push({"client": client, "lazy": lazy})
    for code in ("client.submit(sum, [1])", "lazy.compute()"):
        shell.run_cell(f"numbers = [1]\n{code}")
        shown = capsys.readouterr().out.splitlines()
        assert shown[0].startswith("ClientClosed: The cluster 'over' was stopped at ")
        assert shown[1:] == [f"  line 2: {code}"]
    shell.run_cell("1 / 0")
    assert "Traceback" in capsys.readouterr().out, "unrelated to the cluster"
    assert lazy.compute(scheduler="threads") == os.getpid()
    site.control.remove("over")
    with pytest.raises(ClusterEnded, match=r"'over' was stopped at [\d:]+\. The cluster's data is lost\. Start it"):
        client.submit(sum, [1])
    again = site.running(name="over")
    started = r"^The cluster 'over' was restarted; its previous results are lost\. "
    for ask in (lazy.compute, kept.compute, lambda: client.submit(sum, [1])):
        with pytest.raises(ClusterEnded, match=rf"{started}Connect to it .*: gpucluster\.connect\(.over.\)"):
            ask()
    with gpucluster.connect("over").get_client():
        assert lazy.compute() == again.workers[0].pid
        with pytest.raises(ClusterEnded, match=rf"{started}Compute them again\."):
            dask.delayed(abs)(done).compute()
    assert lazy.compute() == os.getpid(), "the client that ended does not come back"


def begin_and_sleep(event):
    event.set()
    time.sleep(600)


@pytest.mark.full
def test_results_of_a_stopped_cluster_raise_cluster_error(site, capsys):
    """Everything else is computed locally, and Dask's errors of other clusters are unchanged."""
    site.running(name="mine")
    cluster = gpucluster.connect("mine")
    numbers, here = array.ones((4, 4), chunks=2), array.zeros(4)
    with cluster.get_client():
        closed_early = numbers.persist()
    with pytest.raises(ClusterEnded, match=r"This needs results of the cluster 'mine', whose client is closed\."):
        closed_early.sum().compute()
    client = Client(cluster)
    kept, future = numbers.persist(), client.submit(sum, [1, 2])
    wait([kept, future])
    cluster.stop()
    for ask in (
        kept.compute, kept.sum().compute, (kept + here).persist, dask.delayed(abs)(future).compute,
        lambda: dask.compute(here, kept),
    ):  # fmt: skip
        with pytest.raises(ClusterEnded, match=r"^The cluster 'mine' was stopped at .*and this needs some of it\."):
            ask()
    shell = InteractiveShell()
    shell.push({"kept": kept})
    shell.run_cell("kept.max().compute()")
    told, where = capsys.readouterr().out.splitlines()
    assert told.startswith("ClientClosed: The cluster 'mine' was stopped at ")
    assert where == "  line 1: kept.max().compute()"
    assert here.sum().compute() == 0 and numbers.sum().compute() == 16
    with LocalCluster(n_workers=1, processes=False, dashboard_address=None, protocol="tcp") as other, Client(other):
        theirs = array.full((4, 4), 2).persist()
    with pytest.raises(ValueError, match="Missing dependency"):
        theirs.sum().compute()


def test_closed_client_explains_how_to_make_another(shared):
    client = shared.get_client()
    client.close()
    # Twice: a repeated cell must not wait for messages that the first run could not send.
    for ask in (lambda: client.submit(sum, [1]), lambda: client.submit(sum, [1]), lambda: client.scatter([1])):
        with pytest.raises(ClusterEnded, match=r"'shared' keeps running\. .*connect\(\"shared\"\).get_client"):
            ask()


def test_client_survives_a_killed_supervisor(site, wait_until):
    model = site.running(name="lost")
    client = gpucluster.connect("lost").get_client(timeout=3)
    os.kill(model.pid, signal.SIGKILL)
    wait_until(lambda: client.status == "closed", what=lambda: client.status)
    with pytest.raises(ClusterEnded, match=r"'lost' failed at [\d:]+: Its process .* it was killed.* client.close()"):
        dask.delayed(os.getpid)().compute()
    client.close()


@pytest.mark.parametrize("attempt", range(2))
@pytest.mark.full
def test_waiting_for_results_of_a_killed_cluster_raises_cluster_error(site, attempt):
    model = site.running(name="lost", n_workers=2)
    client = gpucluster.connect("lost").get_client()
    large = client.map(lambda number: bytes(60_000_000 + number), range(24))
    kill = threading.Timer(1 + attempt / 5, os.kill, (model.pid, signal.SIGKILL))
    kill.start()
    # Connections end before the record shows the killed process.
    with pytest.raises(ClusterEnded, match="'lost' failed at .* it was killed"):
        while True:
            client.gather(large)
    client.close()


def test_failed_connect_lists_the_clusters(shared_site, shared):
    handle = gpucluster.connect()
    del handle
    gc.collect()
    assert shared_site.get("shared").state is ClusterState.RUNNING, "collecting a handle does not stop its cluster"
    assert gpucluster.connect().id == shared.id == gpucluster.connect(shared.id).id
    assert [model.name for model in gpucluster.list()] == ["shared"]
    with pytest.raises(ClusterNotFound, match="Running clusters: shared"):
        gpucluster.connect("other")
    # A refused creation leaves no cluster.
    with pytest.raises(NameTaken):
        gpucluster.create("local", name="shared")
    with pytest.raises(InvalidRequest, match="workers: is not an option"):
        gpucluster.create("local", workers=2)
    with pytest.raises(InvalidRequest, match="timeout: 'x' is not a duration"):
        gpucluster.create("local", timeout="x")
    with pytest.raises(InvalidRequest, match="backend: must be one of"):
        gpucluster.create("slurmy")
    assert len(gpucluster.list()) == 1


def test_with_block_stops_the_cluster_it_created(site, wait_until):
    with gpucluster.create("local", name="block", n_workers=1) as cluster:
        with gpucluster.connect("block") as same:
            assert same.id == cluster.id
        assert cluster.state == "running", "leaving the block of a connection does not stop it"
        with cluster.get_client() as client:
            client.shutdown()  # a client asks Dask itself for the end
        wait_until(lambda: cluster.model.state.ended, what=lambda: cluster.model)
    assert cluster.model.state.ended
    cluster.stop()
    with pytest.raises(InvalidState):
        _ = cluster.scheduler_address
    with pytest.raises(ClusterNotFound, match="has (stopped|failed)"):
        gpucluster.connect("block")
    with pytest.raises(ClusterNotFound, match="No running cluster. Create one"):
        gpucluster.connect()


async def test_asynchronous_from_creation_to_end(site):
    """With the event stream watching, as the panel does."""
    control = site.control.asynchronous
    seen = []

    async def look():
        async for event in control.events():
            seen.append(event)

    watching = asyncio.create_task(look())
    async with gpucluster.create("local", name="async", n_workers=1, asynchronous=True) as cluster:
        await cluster.scale(2)
        with pytest.raises(WrongArguments, match=r"'foo'\. It is called as scale\(n=None, .*timeout=120\)\.$"):
            await cluster.scale(2, foo=1)
        async with Client(cluster, asynchronous=True) as client:
            assert await client.gather(client.map(abs, [-1, -2, -3])) == [1, 2, 3]
        await until_async(lambda: any(isinstance(event, Telemetry) for event in seen))
    await until_async(lambda: any(event.kind == "cluster" and event.cluster.state.ended for event in seen))
    await control.remove("async")
    await until_async(lambda: any(event.kind == "removed" for event in seen))
    watching.cancel()
    kinds = [event.kind for event in seen]
    assert kinds[0] == "hello"
    assert kinds[-1] == "removed"
    states = list(dict.fromkeys(event.cluster.state for event in seen if event.kind == "cluster"))
    assert states[0] == "starting"
    assert states[-1] == "stopped"
    sample = next(event.sample for event in seen if event.kind == "telemetry")
    assert len(sample.workers) == len(sample.column("memory_bytes")) >= 1
    assert sample.vram_used_bytes is sample.rmm_used_bytes is None, "absent, never zero"
    json.loads(seen[-1].model_dump_json())


SCRIPT = """
import os, sys, time
import gpucluster
with gpucluster.create("local", name="closed", n_workers=0):
    gpucluster.create("local", name="left", n_workers=0)


class Holder:
    def __init__(self):
        self.cluster = gpucluster.create("local", name="held", n_workers=0)

    def __del__(self):
        self.cluster.close()


holder = Holder()
if os.fork() == 0:
    sys.exit()  # Inherited handles belong to the parent.
os.wait()
time.sleep(0.5)
print(holder.cluster.state)
"""


@pytest.mark.full
@pytest.mark.linux("looking at a process while Python shuts down: psutil fails then")
def test_script_warns_of_a_cluster_it_leaves_running(site, wait_until):
    """Closing at Python's exit only sends the request, as no other thread runs any more."""
    ended = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=150)
    told = "The cluster '{0}' keeps running until it has been idle for 60 min. To stop it: gpucluster stop {0}\n"
    assert (ended.returncode, ended.stderr) == (0, told.format("held") + told.format("left"))
    assert ended.stdout == "running\n", "after the end of a child"
    wait_until(lambda: site.get("held").state.ended)
    assert site.get("left").state is ClusterState.RUNNING
    assert site.get("closed").state.ended

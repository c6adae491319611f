"""Workers on hosts that are reached by a real SSH server: started, used, lost, brought back, and ended."""

import json
import os
import platform
import signal
import sys
import tempfile
import time
from pathlib import Path

import gpucluster
import psutil
import pytest
from distributed import Client
from gpucluster.backends.backend import ReapContext
from gpucluster.backends.ssh.backend import SSHBackend
from gpucluster.backends.ssh.deployment import fullest_host_first
from gpucluster.backends.ssh.host import MARK, Host
from gpucluster.backends.ssh.hosts import named_hosts
from gpucluster.backends.ssh.pool import memory_limit_on
from gpucluster.backends.ssh.spec import SSHSpec
from gpucluster.protocol.errors import MissingPackage
from gpucluster.protocol.kinds import parse_spec
from gpucluster.protocol.models import ClusterModel, ClusterState, Network

from tests.backends.seen import marked_processes, refusal, same_centres
from tests.backends.ssh.sshd import Servers
from tests.ports import free_ports


@pytest.fixture(scope="module")
def servers(tmp_path_factory):
    """One server, which is two hosts: ``a`` and ``b``; and names by which they cannot be reached."""
    made = Servers(tmp_path_factory.mktemp("sshd"))
    port, unused = free_ports(2)
    made.start("server", ["127.0.0.1", "127.0.0.2"], port)
    made.name("a", "127.0.0.1", port)
    made.name("b", "127.0.0.2", port)
    made.name("unknown-key", "127.0.0.1", port)
    made.name("refused", "127.0.0.1", port)
    made.name("closed", "127.0.0.1", unused)
    text = made.config.read_text()
    before, _, after = text.partition("Host unknown-key")
    after = after.replace("known_hosts", "nobody_known", 1)
    first, _, rest = after.partition("Host refused")
    made.config.write_text(f"{before}Host unknown-key{first}Host refused{rest.replace('/key', '/other_key', 1)}")
    (made.folder / "nobody_known").touch()
    yield made
    made.stop()


@pytest.fixture(scope="module")
def cluster(shared_site, module_of_mine, servers):
    """A running cluster with a worker on each host."""
    options = {"hosts": "a,b", "ssh_config": str(servers.config), "env": {"GREETING": "a secret word"}}
    return shared_site.running(backend="ssh", **options, n_workers=None, idle_timeout_seconds=None)


@pytest.fixture
def handle(cluster):
    return gpucluster.connect(cluster.id)


@pytest.fixture
def client(handle):
    with Client(handle) as made:
        yield made


def on_hosts(cluster: ClusterModel) -> list[psutil.Process]:
    return marked_processes(MARK, cluster.id)


def agents(cluster: ClusterModel) -> list[psutil.Process]:
    return [process for process in on_hosts(cluster) if (parent := process.parent()) and parent.name() == "sshd"]


def n_workers(site, cluster: ClusterModel) -> int:
    return site.get(cluster.id).n_workers


def test_each_host_has_a_worker_and_no_secret_is_visible(shared_site, cluster, client):
    assert (cluster.network, cluster.backend_title, cluster.n_workers) == (Network.TLS, "SSH", 2)
    assert {worker.name for worker in cluster.workers} == {"0", "1"}
    assert sorted(shared_site.get(cluster.id).nodes) == ["a: 1 worker", "b: 1 worker"]
    assert client.submit(lambda: os.environ.get("GREETING")).result() == "a secret word"
    assert set(client.run(lambda: __import__("beside_my_script").answer).values()) == {42}
    directories = client.run(lambda dask_worker: dask_worker.local_directory)
    tops = {Path(directory).parents[1] for directory in directories.values()}
    assert len(tops) == 2
    assert {top.stat().st_mode & 0o777 for top in tops} == {0o700}
    key = (shared_site.registry.folder(cluster.id).tls / "key.pem").read_text().splitlines()[1]
    shown = [" ".join(process.cmdline()) for process in on_hosts(cluster)]
    assert len(shown) >= 4
    assert not any(key in line or "secret word" in line or "BEGIN" in line for line in shown)
    assert shared_site.control.telemetry(cluster.id).workers == ["0", "1"]


def test_workers_are_scaled_restarted_and_retired(shared_site, cluster, handle, client, wait_until):
    handle.scale(4)
    assert len(handle.model.workers) == 4
    results = client.map(lambda number: number + 1, range(20))
    assert sum(client.gather(results)) == 210
    handle.scale(2)
    wait_until(lambda: n_workers(shared_site, cluster) == 2)
    assert sum(client.gather(results)) == 210
    handle.scale(3)
    gone = handle.model.workers[0].name
    handle.retire(gone)
    wait_until(lambda: n_workers(shared_site, cluster) == 2)
    assert gone not in {worker.name for worker in shared_site.get(cluster.id).workers}
    before, n_entries = set(client.run(os.getpid).values()), len(handle.activity())
    handle.restart()
    assert not before & set(client.run(os.getpid).values())
    shared_site.wait_for(cluster.id, lambda model: model.notice is None)
    assert "worker_died" not in {entry.kind for entry in handle.activity()[n_entries:]}


@pytest.mark.full
def test_adaptive_scaling_follows_the_load(shared_site, cluster, handle, client, wait_until):
    handle.adapt(minimum=0, maximum=3, interval=0.1, wait_count=2)
    wait_until(lambda: n_workers(shared_site, cluster) == 0)
    tasks = client.map(lambda _: time.sleep(0.2), range(20), pure=False)
    client.gather(tasks)
    assert n_workers(shared_site, cluster) >= 1
    del tasks
    wait_until(lambda: n_workers(shared_site, cluster) == 0)
    handle.scale(2)


@pytest.mark.full
def test_kmeans_finds_what_scikit_learn_finds(handle):
    same_centres(handle)


def test_output_of_workers_is_logged(shared_site, cluster, client, wait_until):
    def talk() -> int:
        for _ in range(300):
            print("z" * 10_000, file=sys.stderr)
        print("the last word", file=sys.stderr)
        return 1

    assert client.submit(talk).result(timeout=60) == 1
    log = shared_site.registry.folder(cluster.id).log
    wait_until(lambda: b"the last word" in log.read_bytes())


@pytest.mark.full
def test_lost_workers_come_back(shared_site, cluster, client, wait_until):
    def back(before: set[int], gone: int) -> set[int]:
        now = set(client.run(os.getpid, on_error="ignore").values())
        return now if len(now) == 2 and gone not in now else set()

    pids = set(client.run(os.getpid).values())
    worker = next(iter(pids))
    os.kill(worker, signal.SIGKILL)
    wait_until(lambda: back(pids, worker))
    pids = set(client.run(os.getpid).values())
    agent = agents(cluster)[0]
    taken = next(process.pid for process in agent.children(recursive=True) if process.pid in pids)
    agent.kill()
    wait_until(lambda: back(pids, taken))
    wait_until(lambda: len(agents(cluster)) == 2)
    assert shared_site.get(cluster.id).state is ClusterState.RUNNING


# -- refusals ----------------------------------------------------------------------------------------


async def _refusal(tmp_path: Path, servers: Servers, **options) -> str:
    return await refusal(tmp_path, backend="ssh", protocol="tcp", ssh_config=str(servers.config), **options)


@pytest.mark.processes
async def test_unusable_hosts_are_reported_together(servers, tmp_path):
    message = await _refusal(tmp_path, servers, hosts="a,unknown-key,refused,closed")
    assert message.startswith("3 of 4 hosts cannot be used. ")
    assert "unknown-key: its host key has changed" in message
    assert "refused: it rejected your key" in message
    assert "closed: connection refused on its SSH port" in message
    assert "the host was not found" in await _refusal(tmp_path, servers, hosts="nowhere.invalid")
    assert not marked_processes(MARK, "0badcafe")


@pytest.mark.processes
async def test_unusable_python_is_refused(servers, tmp_path):
    message = await _refusal(tmp_path, servers, hosts="a", remote_python="/opt/none/python")
    assert "there is no Python /opt/none/python there" in message
    bare = tmp_path / "python"
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    bare.chmod(0o755)
    assert "has no distributed. Run there:" in await _refusal(tmp_path, servers, hosts="a", remote_python=str(bare))
    bare.write_text("#!/bin/sh\necho Welcome\n")
    assert "prints 'Welcome' before anything else" in await _refusal(
        tmp_path, servers, hosts="a", remote_python=str(bare)
    )
    for name, message in (("python", "Tasks can be exchanged only between"), ("distributed", "is 2020.1 there and")):
        bare.write_text(f"#!/bin/sh\necho '{_hello(**{name: '2020.1'})}'\nexec cat >/dev/null\n")
        assert message in await _refusal(tmp_path, servers, hosts="a", remote_python=str(bare))


def _hello(**other: str) -> str:
    return json.dumps({"event": "hello", "python": platform.python_version(), "distributed": "1", **other})


async def test_more_workers_than_there_is_room(servers, tmp_path):
    message = await _refusal(tmp_path, servers, hosts="a", n_workers=200)
    assert message.startswith("n_workers: must be at most")


async def test_without_the_package(servers, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "asyncssh", None)
    with pytest.raises(MissingPackage, match=r"pip install 'gpucluster\[ssh\]'"):
        await SSHBackend().preflight(parse_spec({"backend": "ssh", "hosts": "a"}), None)


@pytest.mark.parametrize(
    ("text", "message"),
    [(None, "cannot be read"), ("# none\n", "lists no hosts"), ("a\nb; c\n", "line 2"), ("a slots=999", "more than")],
)
async def test_host_files(servers, tmp_path, text, message):
    path = tmp_path / "hosts"
    if text is not None:
        path.write_text(text)
    assert message in await _refusal(tmp_path, servers, hostfile=str(path))


# -- the end -----------------------------------------------------------------------------------------


@pytest.mark.full
async def test_a_dead_supervisor_leaves_nothing(shared_site, cluster, servers, wait_until):
    model = shared_site.get(cluster.id)
    remembered = shared_site.registry.folder(cluster.id).remembered.read_text()
    assert "127.0.0.1" not in remembered
    assert "BEGIN" not in remembered
    os.kill(model.pid, signal.SIGKILL)
    wait_until(lambda: not on_hosts(cluster), timeout=30)
    wait_until(lambda: not list(Path(tempfile.gettempdir()).glob(f"gpucluster-{cluster.id}-*")), timeout=30)
    # The next process that lists clusters looks at the hosts, too. A further time does no harm.
    wait_until(lambda: shared_site.get(cluster.id).state.ended)
    wait_until(lambda: not shared_site.registry.folder(cluster.id).remembered.exists())
    await SSHBackend().reap(json.loads(remembered)["state"], ReapContext(cluster.id))


@pytest.mark.parametrize(
    ("hosts", "places", "order"),
    [
        ({"0": "a", "1": "b", "2": "a", "3": "b"}, {"a": 1, "b": 1}, "3210"),
        # b was lost for a while; 3 was requested later.
        ({"0": "a", "1": "a", "2": "a", "3": "b"}, {"a": 1, "b": 1}, "2130"),
        ({"0": "a", "1": "a", "2": "a", "3": "b"}, {"a": 3, "b": 1}, "3210"),
        # 2 has not connected yet.
        ({"0": "a", "1": "a", "3": "b"}, {"a": 1, "b": 1}, "2130"),
    ],
    ids=["even", "uneven", "as many as there are places", "one without a host"],
)
def test_workers_on_the_fullest_host_leave_first(hosts, places, order):
    assert fullest_host_first("3210", hosts, places) == list(order)


@pytest.mark.parametrize(
    ("hosts", "threads", "limit", "each"),
    [("a", 1, "auto", 2), ("a", 4, "auto", 8), ("a", 3, "auto", 5), ("a", 16, "auto", 16), ("a,a", 8, "auto", 8),
     ("a,a", 16, "auto", 8), ("a", 4, None, 0)],
)  # fmt: skip
def test_a_worker_has_the_memory_of_its_threads(hosts, threads, limit, each):
    """Of a host with 8 cores and 16 (times a thousand) bytes, as ``dask worker --memory-limit auto`` would have it."""
    spec = SSHSpec(hosts=hosts.split(","), threads_per_worker=threads, memory_limit=limit)
    host = Host(named_hosts(spec)[0], None, "python", {}, lambda lost: None)
    host.facts = {"cores": 8, "memory_bytes": 16_000}
    assert memory_limit_on(host, spec) // 1000 == each

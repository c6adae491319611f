"""Three hosts with separate links, of which one is cut while it computes."""

import os
import signal
import subprocess
import sys

import pytest
from gpucluster.backends.ssh.hosts import KEEPALIVE_SECONDS, KEEPALIVES
from gpucluster.client.starting.environment import cluster_environment
from gpucluster.protocol.models import ClusterState

pytestmark = pytest.mark.full


def test_a_link_is_cut(site, network, servers, wait_until):
    """The scheduler is on host 0, where this test itself is not: scripts there create and compute."""
    environment = {**cluster_environment(), "GPUCLUSTER_DIR": str(site.directory)}
    create = "import gpucluster;" + (
        f"gpucluster.create('ssh', hosts='h1,h2', ssh_config={str(servers.config)!r}, name='far')"
    )
    subprocess.run([*network.on(0), sys.executable, "-c", create], check=True, env=environment, timeout=90)
    model = site.get("far")
    assert model.scheduler_address.startswith(f"tls://{network.address(0)}:")
    hosts = {worker.address.rpartition(":")[0].rpartition("/")[2] for worker in model.workers}
    assert hosts == {network.address(1), network.address(2)}
    # Its nanny restarts it at another address, by which it must be forgotten.
    killed = next(worker.pid for worker in model.workers if f"//{network.address(2)}:" in worker.address)
    os.kill(killed, signal.SIGKILL)
    site.wait_for("far", lambda now: now.n_workers == 2 and killed not in {worker.pid for worker in now.workers})
    compute = (
        "import gpucluster, time; from distributed import Client; client = Client(gpucluster.connect('far'));"
        "print('begun', flush=True);"
        "print(sum(client.gather(client.map(lambda i: time.sleep(0.5) or i, range(40), pure=False))))"
    )
    computing = subprocess.Popen(
        [*network.on(0), sys.executable, "-c", compute], env=environment, stdout=subprocess.PIPE, text=True
    )
    with computing:
        assert computing.stdout is not None
        assert computing.stdout.readline() == "begun\n"
        network.cut(2)
        wait_until(lambda: _all_on(site.get("far"), network.address(1)))
        assert computing.stdout.read().strip() == str(sum(range(40)))
    network.restore(2)
    assert site.get("far").state is ClusterState.RUNNING
    site.control.stop("far")
    wait_until(lambda: not [p for p in network.processes(1) if p.name() != "sshd"], timeout=30)


def test_a_host_that_does_not_answer_is_lost_in_time():
    """A cluster may be without a worker for half a minute; ``benchmarks/replacing.py`` measures all of it."""
    assert KEEPALIVE_SECONDS * (KEEPALIVES + 1) <= 30 - 10, "the rest is for another worker to start"


def _all_on(model, address: str) -> bool:
    return model.n_workers == 2 and all(f"//{address}:" in worker.address for worker in model.workers)

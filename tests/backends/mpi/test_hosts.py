"""Ranks on two hosts with separate links, which the launcher reaches by a real SSH server."""

import json
import subprocess
import sys

import pytest
from gpucluster.client.starting.environment import cluster_environment

from tests.mpi import MPIEXEC, is_open_mpi, require_mpi

pytestmark = pytest.mark.full

require_mpi("dask_mpi")

USE = """
import json, os, sys
import gpucluster

cluster = gpucluster.create(
    "mpi", name="far", n_workers=2, interface="eth0", env={"GREETING": "hello"},
    launcher=sys.argv[1], launcher_options=sys.argv[2], protocol=sys.argv[3],
)


def place():
    from mpi4py import MPI

    return [MPI.COMM_WORLD.Get_rank(), MPI.COMM_WORLD.Get_size(), os.uname().nodename, os.environ["GREETING"]]


with cluster.get_client() as client:
    print(json.dumps(list(client.run(place).values())))
    moved = client.submit(sum, client.map(len, ["a", "bc"], workers=["0", "1"]), workers="1")
    assert moved.result() == 3
    import numpy as np

    for n in (10, 10**6):
        block = client.submit(np.arange, n, workers="0", pure=False)
        assert client.submit(lambda x: int(x.sum()), block, workers="1", pure=False).result() == n * (n - 1) // 2
"""


@pytest.mark.skipif(is_open_mpi(), reason="Open MPI has other options for hosts, interfaces and ssh")
@pytest.mark.parametrize("protocol", ["tls", "mpi"])
def test_ranks_on_two_hosts(protocol, site, network, servers, tmp_path, wait_until):
    """The scheduler is on host 0, where this test itself is not."""
    login = tmp_path / "login"
    login.write_text(f'#!/bin/sh\nexec ssh -F {servers.config} "$@"\n')
    login.chmod(0o755)
    options = f"-launcher ssh -launcher-exec {login} -iface eth0 -hosts {network.address(1)},{network.address(2)}"
    environment = {**cluster_environment(), "GPUCLUSTER_DIR": str(site.directory)}
    command = [*network.on(0), sys.executable, "-c", USE, str(MPIEXEC), f"{options} -ppn 1", protocol]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=90, check=False)
    assert done.returncode == 0, done.stderr
    assert sorted(json.loads(done.stdout)) == [[0, 2, "h1", "hello"], [1, 2, "h2", "hello"]]
    model = site.get("far")
    assert model.scheduler_address.startswith(f"tls://{network.address(0)}:")
    hosts = {worker.address.rpartition(":")[0] for worker in model.workers}
    assert hosts == {f"{protocol}://{network.address(1)}", f"{protocol}://{network.address(2)}"}
    site.control.stop("far")
    for number in (1, 2):
        wait_until(lambda number=number: not [p for p in network.processes(number) if p.name() != "sshd"], timeout=30)

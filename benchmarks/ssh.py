"""Start and stop of a cluster on two SSH hosts, a worker on each, compared with Dask's ``SSHCluster``.

``python -m benchmarks.ssh [--repeats 5]``. Both hosts are this machine, behind a real SSH server on loopback. Ours is
created as in a script, without and with a standby; it encrypts, checks each host first, and has its scheduler in a
separate process. The peer is created in this process, which has imported it, and has its scheduler on the first host.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.backends.ssh.sshd import Servers
from tests.ports import free_ports

from .jupyter import until
from .recording import record
from .starting import PAUSE_SECONDS, PEER, ready_standbys, registry, told
from .turns import by_turns, seconds

COLD, WARM, PEER_SSH = "gpucluster.create", "gpucluster.create, with a standby", "SSHCluster"
HOSTS = ("127.0.0.1", "127.0.0.2")


def ours(config: Path) -> float:
    """Return the seconds until our cluster has its workers."""
    import gpucluster

    made: list[Any] = []
    taken = seconds(lambda: made.append(gpucluster.create("ssh", hosts="a,b", ssh_config=str(config))))
    assert len(made[0].model.workers) == 2
    made[0].close()
    return taken


def ours_with_standby(config: Path, directory: Path) -> float:
    """Return the same where a standby is ready."""
    from gpucluster.client.control import Control

    control = Control(directory)
    control.ensure_standby()
    until(lambda: ready_standbys(directory))
    time.sleep(PAUSE_SECONDS)
    taken = ours(config)
    control.close_standby()
    until(lambda: not ready_standbys(directory))
    return taken


def peer(servers: Servers, port: int) -> float:
    """Return the seconds until Dask's cluster has its workers."""
    from distributed import Client, SSHCluster

    options = {
        "port": port,
        "username": "root",
        "client_keys": [str(servers.folder / "key")],
        "known_hosts": str(servers.folder / "known_hosts"),
        "config": None,
        "agent_path": None,
    }
    made: list[Any] = []

    def make() -> None:
        cluster = SSHCluster(
            [HOSTS[0], *HOSTS],
            connect_options=options,
            worker_options={"nthreads": 1},
            scheduler_options={"port": 0, "host": HOSTS[0], "dashboard_address": f"{HOSTS[0]}:0"},
        )
        made.append(cluster)
        with Client(cluster) as client:
            client.wait_for_workers(2)

    taken = seconds(make)
    made[0].close()
    return taken


def main() -> None:
    """Measure and write down."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ssh", description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    with tempfile.TemporaryDirectory(prefix="gpcssh") as folder, registry() as directory:
        servers, port = Servers(Path(folder)), free_ports(1)[0]
        servers.start("server", HOSTS, port)
        for name, address in zip("ab", HOSTS, strict=True):
            servers.name(name, address, port)
        try:
            ways = {
                COLD: lambda: ours(servers.config),
                WARM: lambda: ours_with_standby(servers.config, directory),
                PEER_SSH: lambda: peer(servers, port),
            }
            times = by_turns(ways, repeats, pause=PAUSE_SECONDS)
        finally:
            servers.stop()
    times[PEER] = times.pop(PEER_SSH)
    figures = told(times)
    figures[PEER_SSH] = figures.pop(PEER)
    record({"seconds": figures}, name="ssh", packages=["distributed", "asyncssh"])


if __name__ == "__main__":
    main()

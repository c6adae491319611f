"""k-means on two hosts with two workers each, against four workers on one host: ``python -m benchmarks.twohosts``.

Hosts are network namespaces of this machine, each behind a link of 1 Gbit/s in both directions (``tc tbf``), reached by
real SSH servers; the scheduler and the program are on a third one. The workers share this machine's cores in both
cases, so what differs is the network between them. Needs root. By turns, both clusters alive, TLS everywhere.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.backends.ssh.network import Network
from tests.backends.ssh.sshd import Servers

from .recording import record
from .starting import PEER, told
from .turns import median_of_ratios

RATE = "1gbit"
ONE, TWO = "one host", "two hosts"
HOSTS = {ONE: "h1,h1,h1,h1", TWO: "h1,h1,h2,h2"}
TABLES = {
    "large": {"rows": 2_000_000, "features": 32, "clusters": 16, "iterations": 20},
    "small": {"rows": 200_000, "features": 3, "clusters": 8, "iterations": 30},
}


def blocks(client: Any, rows: int, features: int, clusters: int) -> Any:
    """Return a table that four workers keep, each a quarter of it, made where it is."""
    import dask.array as da
    import numpy as np
    from dask.delayed import delayed
    from distributed import wait

    def block(seed: int, n: int) -> Any:
        random = np.random.default_rng(seed)
        centres = np.random.default_rng(99).normal(size=(clusters, features))
        return (centres[random.integers(0, clusters, n)] + random.normal(size=(n, features))).astype(np.float32)

    quarter = rows // 4
    parts = [
        da.from_delayed(delayed(block, pure=False)(seed, quarter), (quarter, features), np.float32) for seed in range(4)
    ]
    with client.as_current():
        kept = da.concatenate(parts).persist()
        wait(kept)
    return kept


def inside(config: str, repeats: int) -> dict[str, Any]:
    """Measure on the third host, in turns."""
    import gpucluster
    import numpy as np
    from distributed import Client
    from gpucluster.learn import KMeans

    made = {name: gpucluster.create("ssh", hosts=hosts, ssh_config=config) for name, hosts in HOSTS.items()}
    clients = {name: Client(cluster, set_as_default=False) for name, cluster in made.items()}
    found: dict[str, Any] = {}
    for table, shape in TABLES.items():
        iterations = shape.pop("iterations")
        start = np.random.default_rng(5).normal(size=(shape["clusters"], shape["features"])).astype(np.float32)
        times: dict[str, list[float]] = {name: [] for name in made}
        inertia = {}
        tables = {name: blocks(client, **shape) for name, client in clients.items()}
        for turn in range(repeats + 1):
            order = list(clients.items())
            for name, client in order if turn % 2 else order[::-1]:
                with client.as_current():
                    begun = time.perf_counter()
                    model = KMeans(len(start), init=start, n_init=1, max_iter=iterations, tol=0).fit(tables[name])
                    taken = time.perf_counter() - begun
                inertia[name] = float(model.inertia_)
                if turn:  # The first one is for warming up.
                    times[name].append(taken)
        np.testing.assert_allclose(inertia[ONE], inertia[TWO], rtol=1e-4)
        found[table] = times
        del tables
    for client in clients.values():
        client.close()
    for cluster in made.values():
        cluster.close()
    return found


def main() -> None:
    """Make the hosts, measure on them, and write down."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.twohosts", description=__doc__)
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        print(json.dumps(inside(options.inside, options.repeats)))
        return
    network = Network(3)
    with tempfile.TemporaryDirectory(prefix="gpc2h", dir="/tmp") as folder:
        servers = Servers(Path(folder))
        try:
            for number in (1, 2):
                network.limit(number, RATE)
                servers.start(f"h{number}", [network.address(number)], 22, network.on(number))
                servers.name(f"h{number}", network.address(number), 22)
                servers.know(network.address(number))
            environment = {**os.environ, "GPUCLUSTER_DIR": f"{folder}/registry", "OMP_NUM_THREADS": "1"}
            again = [sys.executable, "-m", "benchmarks.twohosts", "--inside", str(servers.config)]
            command = [*network.on(0), *again, "--repeats", str(options.repeats)]
            done = subprocess.run(command, check=True, env=environment, stdout=subprocess.PIPE, text=True)
        finally:
            servers.stop()
            network.close()
    times = json.loads(done.stdout.splitlines()[-1])
    figures = {}
    for table, found in times.items():
        figures[table] = told({PEER: found[ONE], TWO: found[TWO]})
        figures[table][ONE] = figures[table].pop(PEER)
        figures[table]["median of the turns' ratios"] = median_of_ratios(found[TWO], found[ONE])
    record({"rate": RATE, "seconds": figures}, name="twohosts", packages=["distributed", "asyncssh"])


if __name__ == "__main__":
    main()

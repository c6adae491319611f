"""``python -m benchmarks.comms``: Dask over unix sockets, TCP and TLS, on three clusters that take turns.

All three are plain ``LocalCluster`` of two workers with a thread each, so that nothing differs but the comm.
"""

from __future__ import annotations

import argparse
import json
import operator
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from gpucluster.dask_internals.scheduler_information import known_workers

from .turns import by_turns, median_of_ratios, seconds

MEBIBYTE = 2**20


def started(folder: Path, stack: ExitStack) -> dict[str, Any]:
    """Start a cluster for each comm; return their clients."""
    import dask
    from distributed import Client, LocalCluster
    from distributed.security import Security
    from gpucluster.comm.folder import SCHEME, make_comm_folder

    make_comm_folder(folder / "comm")
    dask.config.set({"gpucluster.comm-folder": str(folder / "comm")})
    ways: dict[str, dict[str, Any]] = {
        "unix": {"protocol": SCHEME, "host": str(folder / "comm")},
        "tcp": {"protocol": "tcp"},
        "tls": {"protocol": "tls", "security": Security.temporary()},
    }
    clients = {}
    for name, options in ways.items():
        cluster = stack.enter_context(
            LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", **options)
        )
        clients[name] = stack.enter_context(Client(cluster, set_as_default=False))
    return clients


def connecting(client: Any) -> float:
    """Return the seconds of a new connection to a worker and back."""
    from distributed.comm.core import connect

    [address, *_] = known_workers(client)

    async def once() -> float:
        begin = time.perf_counter()
        comm = await connect(address, **client.security.get_connection_args("client"))
        found = time.perf_counter() - begin
        comm.abort()
        return found

    found: float = client.sync(once)
    return found


def moving(client: Any, n_bytes: int) -> float:
    """Return the seconds until a worker has a block of the other one."""
    import numpy as np

    first, second = known_workers(client)
    block = client.submit(np.ones, n_bytes // 8, workers=first, pure=False)
    client.gather(client.submit(len, block, workers=first, pure=False))
    return seconds(lambda: client.submit(len, block, workers=second, pure=False).result())


def transposing(client: Any) -> float:
    """Return the seconds of ``x + x.T`` of 6000 x 6000."""
    import dask.array as da

    # Not da.ones: each of its blocks is one number that stands for all, and travels as that.
    x = client.persist(da.random.default_rng(0).random((6000, 6000), chunks=(1500, 1500)))
    client.gather(client.compute(x.sum()))
    return seconds(lambda: client.compute((x + x.T).sum()).result())


def tiny(client: Any, n_tasks: int) -> float:
    """Return the seconds of many tasks that do nothing."""
    return seconds(lambda: client.gather(client.map(operator.neg, range(n_tasks), pure=False)))


def shuffling(client: Any) -> float:
    """Return the seconds of a shuffle and a merge of two tables."""
    import dask
    import numpy as np
    import pandas as pd

    def part(seed: int) -> pd.DataFrame:
        draw = np.random.default_rng(seed)
        return pd.DataFrame({"key": draw.integers(0, 50_000, 200_000), "value": draw.random(200_000)})

    import dask.dataframe as dd

    left = client.persist(dd.from_map(part, range(8)))
    right = client.persist(dd.from_map(part, range(100, 102)).groupby("key").value.sum().reset_index())
    client.gather(client.compute([left.value.sum(), right.value.sum()]))
    with dask.config.set({"dataframe.shuffle.method": "p2p"}):
        merged = left.merge(right, on="key", broadcast=False).groupby("key").value_x.sum().sum()
        return seconds(lambda: client.compute(merged).result())


WORK: dict[str, Callable[[Any], float]] = {
    "connect": connecting,
    "1 MiB worker to worker": lambda client: moving(client, MEBIBYTE),
    "64 MiB worker to worker": lambda client: moving(client, 64 * MEBIBYTE),
    "x + x.T, 6000 x 6000": transposing,
    "merge with shuffle": shuffling,
    "2,000 tiny tasks": lambda client: tiny(client, 2_000),
    "10,000 tiny tasks": lambda client: tiny(client, 10_000),
}


def measure(repeats: int, works: list[str]) -> dict[str, dict[str, Any]]:
    """Return medians in seconds by work and comm, and the medians of the ratios to TCP."""
    table: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory(prefix="gpcbench", dir="/tmp") as folder, ExitStack() as stack:
        clients = started(Path(folder), stack)
        for work in works:
            taken = by_turns({name: partial(WORK[work], client) for name, client in clients.items()}, repeats)
            table[work] = {name: round(statistics.median(values), 5) for name, values in taken.items()}
            for name in ("unix", "tls"):
                table[work][f"{name} / tcp"] = median_of_ratios(taken[name], taken["tcp"])
    return table


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--only", nargs="+", choices=list(WORK), default=list(WORK))
    options = parser.parse_args()
    print(json.dumps(measure(options.repeats, options.only), indent=1))


if __name__ == "__main__":
    main()

"""Clusters of two ranks that differ in the transport only, or in nothing: Dask's work on them, in turns."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

from benchmarks.comms import MEBIBYTE, moving, transposing
from benchmarks.turns import seconds

CLUSTERS = {"mpi": "mpi", "tcp": "tcp", "tls": "tls", "tcp, again": "tcp"}
"""Protocols by name."""
Taken = dict[str, dict[str, list[float]]]
"""Seconds by work and by cluster."""
IDLE_SECONDS = 20.0
FLIGHTS_COPIES = 4
_FLIGHT_COLUMNS = ["carrier", "origin", "tailnum", "time_hour", "dep_delay", "air_time"]


@contextmanager
def clusters() -> Iterator[dict[str, Any]]:
    """Start them; yields a client of each."""
    import gpucluster

    with ExitStack() as stack:
        found = {}
        for name, protocol in CLUSTERS.items():
            cluster = gpucluster.create("mpi", n_workers=2, threads_per_worker=1, protocol=protocol)
            stack.enter_context(cluster)
            found[name] = stack.enter_context(cluster.get_client(set_as_default=False))
        yield found


class Kept:
    """Tables that stay on the workers of one cluster.

    Parameters
    ----------
    client : distributed.Client
    """

    def __init__(self, client: Any) -> None:
        from distributed import wait
        from gpucluster.datasets import flights, planes, weather

        flown = flights(columns=_FLIGHT_COLUMNS, copies=FLIGHTS_COPIES)
        sky = weather(columns=["origin", "time_hour", "visib", "wind_speed"])
        built = planes(columns=["tailnum", "year", "seats"]).rename(columns={"year": "built"})
        self.tables = client.persist([flown, sky, built])
        self.numbers = client.persist(random_table())
        with client.as_current():
            wait([self.tables, self.numbers])


def random_table() -> Any:
    """Return 1.6 million rows of a key and a number, in 8 partitions."""
    import dask.dataframe as dd
    import numpy as np
    import pandas as pd

    def part(seed: int) -> pd.DataFrame:
        draw = np.random.default_rng(seed)
        return pd.DataFrame({"key": draw.integers(0, 50_000, 200_000), "value": draw.random(200_000)})

    return dd.from_map(part, range(8))


def merging(client: Any, kept: Kept) -> float:
    """Return the seconds of joining flights with weather and planes, by shuffles between the workers."""
    import dask

    flown, sky, built = kept.tables
    with dask.config.set({"dataframe.shuffle.method": "p2p"}):
        joined = flown.merge(sky, on=["origin", "time_hour"], how="left", broadcast=False)
        joined = joined.merge(built, on="tailnum", how="left", broadcast=False)
        wanted = joined[["dep_delay", "visib", "seats"]].sum()
        return seconds(lambda: client.compute(wanted).result())


def shuffling(client: Any, kept: Kept) -> float:
    """Return the seconds of a shuffle of 1.6 million rows."""
    import dask

    with dask.config.set({"dataframe.shuffle.method": "p2p"}):
        wanted = kept.numbers.shuffle("key").map_partitions(len).sum()
        return seconds(lambda: client.compute(wanted).result())


WORK: Mapping[str, Callable[[Any, Kept], float]] = {
    "64 MiB, a task that needs it": lambda client, _: moving(client, 64 * MEBIBYTE),
    "x + x.T, 6000 x 6000": lambda client, _: transposing(client),
    "flights merge": merging,
    "shuffle": shuffling,
}


def measure(clients: dict[str, Any], repeats: int) -> Taken:
    """Return seconds by work and transport; the first turn does not count."""
    kept = {name: Kept(client) for name, client in clients.items()}
    found: Taken = {work: {name: [] for name in clients} for work in WORK}
    for turn in range(repeats + 1):
        for work, take in WORK.items():
            # Not always in the same order: what is before it may not help one of them.
            names = list(clients)
            for name in names[turn % len(names) :] + names[: turn % len(names)]:
                client = clients[name]
                with client.as_current():
                    took = take(client, kept[name])
                if turn:
                    found[work][name].append(took)
    return found


def idle(clients: dict[str, Any]) -> dict[str, list[float]]:
    """Return how much of a core each rank uses while idle."""
    before = {name: client.run(time.process_time) for name, client in clients.items()}
    began = time.perf_counter()
    time.sleep(IDLE_SECONDS)
    after = {name: client.run(time.process_time) for name, client in clients.items()}
    span = time.perf_counter() - began
    return {
        name: [round((after[name][rank] - before[name][rank]) / span, 5) for rank in before[name]] for name in clients
    }

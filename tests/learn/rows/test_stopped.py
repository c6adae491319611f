"""A cluster that is stopped while it computes: one sentence, whatever waited for it."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import dask.array as da
import gpucluster
import numpy as np
import pytest
from distributed import Client, Event, wait
from gpucluster.learn import run, run_on_ranks
from gpucluster.learn.errors import ClusterStopped
from gpucluster.learn.rows.waiting import computed

pytestmark = pytest.mark.timeout(90)


def say(begun: Any) -> None:
    """Set the event. The last tasks may begin while their worker is being closed, and have no client any more."""
    with suppress(RuntimeError):
        begun.set()


def endless(block: Any, begun: Any) -> float:
    say(begun)
    time.sleep(60)
    return 1.0


def one_pass(rows: Any, *, begun: Any) -> Any:
    return rows.total(endless, begun)


def iterations(rows: Any, *, begun: Any) -> Any:
    say(begun)
    while True:
        time.sleep(0.01)
        rows.total(len)


@pytest.mark.full
def test_every_way_of_waiting_tells_that_the_cluster_was_stopped(site: Any) -> None:
    model = site.running(n_workers=2, threads_per_worker=4)
    client = gpucluster.connect(model.id).get_client()
    data = da.zeros((8, 1), chunks=(4, 1))
    held = data.persist()
    wait(held)
    ways = {
        "one pass": lambda begun: run(one_pass, data, passes=1, begun=begun),
        "iterations": lambda begun: run(iterations, data, begun=begun),
        "without tasks": lambda begun: run(iterations, held, passes=3, begun=begun),
        "ranks": lambda begun: run_on_ranks(lambda shard, begun: iterations(shard, begun=begun), data, begun=begun),
        "blocks": lambda begun: computed(data.map_blocks(endless, begun, meta=data._meta)),
    }

    def attempt(name: str) -> Any:
        return ways[name](Event(name, client=client))

    with ThreadPoolExecutor(len(ways)) as pool:
        attempts = {name: pool.submit(attempt, name) for name in ways}
        for name in ways:
            assert Event(name, client=client).wait(timeout=60), name
        site.control.stop(model.id)
        for future in attempts.values():
            with pytest.raises(ClusterStopped, match=f"The cluster '{model.name}' (is being|was) stopped"):
                future.result(60)
    client.close()


def slow(block: Any) -> Any:
    time.sleep(5)
    return block


def test_data_that_were_released_meanwhile(dask_client: Client) -> None:
    """As when a lesson that shares the cluster is closed."""
    data = da.zeros((8, 1), chunks=(4, 1)).map_blocks(slow, meta=np.empty((0, 0))).persist()

    def cancel() -> None:
        dask_client.cancel(data, force=True)

    timer = threading.Timer(0.5, cancel)
    timer.start()
    with pytest.raises(ClusterStopped, match="data that it needs were released"):
        run(iterations, data, begun=threading.Event())
    timer.join()

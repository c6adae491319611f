"""Canaries: handlers of a scheduler in another process, and the Kubernetes client of Dask's operator."""

from __future__ import annotations

import inspect
import operator
import pickle

from distributed import Client, LocalCluster
from gpucluster.dask_internals.other_packages.kubernetes_client import close_connections
from gpucluster.dask_internals.scheduler_state import forget_worker_elsewhere, target_elsewhere, to_close_elsewhere


async def test_scheduler_reports_load(canary):
    options = {"n_workers": 1, "threads_per_worker": 1, "processes": False, "dashboard_address": ":0"}
    async with (
        LocalCluster(**options, asynchronous=True) as cluster,
        Client(cluster, asynchronous=True, set_as_default=False) as client,
    ):
        with canary("the scheduler's handler adaptive_target"):
            assert await target_elsewhere(client, 5.0) == 0
        with canary("the scheduler's handler workers_to_close"):
            assert await to_close_elsewhere(client, 1) == ["0"]
            assert await to_close_elsewhere(client, 1, pickle.dumps(operator.attrgetter("name"))) == ["0"]
        with canary("the scheduler's handler unregister"):
            (address,) = cluster.scheduler.workers
            await forget_worker_elsewhere(client, address)
            assert address not in cluster.scheduler.workers


def test_the_connections_of_kr8s_can_be_ended(canary):
    import kr8s.asyncio

    with canary("Api._session of kr8s"):
        assert "self._session = httpx.AsyncClient(" in inspect.getsource(kr8s.asyncio.Api)
    assert inspect.iscoroutinefunction(close_connections)

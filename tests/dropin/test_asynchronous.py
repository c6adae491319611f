"""Coroutines: a handle of gpucluster and ``LocalCluster(asynchronous=True)`` side by side."""

import asyncio

import gpucluster
import pytest
from distributed import Client, LocalCluster, deploy
from gpucluster.protocol.errors import WrongArguments

ALIKE = {"n_workers": 1, "threads_per_worker": 1, "memory_limit": "512 MiB", "asynchronous": True}


async def snippet(cluster):
    async with Client(cluster, asynchronous=True, set_as_default=False) as client:
        total = await client.submit(sum, [1, 2])
        await client.wait_for_workers(1, timeout="90s")
    identity = await cluster.scheduler_comm.identity()
    logs = await cluster.get_logs(cluster=False, workers=False)
    return (
        total, isinstance(cluster, deploy.Cluster), cluster.asynchronous, cluster.called_from_running_loop,
        cluster.loop.asyncio_loop is asyncio.get_running_loop(), len(identity["workers"]), list(logs),
        await cluster.sync(asyncio.sleep, 0, 5), len(cluster.scheduler_info["workers"]), cluster.observed,
    )  # fmt: skip


@pytest.mark.full
async def test_same_results(site):
    assert site
    async with LocalCluster(dashboard_address="127.0.0.1:0", **ALIKE) as cluster:
        theirs = await snippet(cluster)
    async with gpucluster.create("local", name="async", **ALIKE) as cluster:
        assert await snippet(cluster) == theirs
        # As in code for Dask's clusters, neither is awaited.
        cluster.scale(2)
        await cluster.wait_for_workers(2, timeout="90s")
        cluster.adapt(minimum=0, maximum=1, interval="100ms")
        async with asyncio.timeout(90):
            while cluster.n_workers:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        await asyncio.create_task(cluster.scale(1))
        with pytest.raises(WrongArguments, match="It is called as scale"):
            await cluster.scale(workers=3)
        adaptive = await cluster.adapt(minimum=1, maximum=2, interval="1h")
        assert (adaptive.minimum, adaptive.maximum, adaptive.interval) == (1, 2, 3600)
        assert isinstance(await adaptive.log, list)
        await adaptive.stop()
        assert adaptive.state == "stopped"
        handle = gpucluster.connect("async")
        # An asynchronous client of a synchronous handle, and the other way round.
        async with handle.get_client(asynchronous=True, set_as_default=False) as client:
            assert await client.submit(sum, [1, 2]) == 3
        with cluster.get_client(asynchronous=False, set_as_default=False) as client:
            assert client.submit(sum, [1, 2]).result() == 3
        # Methods that Dask calls on the loop of its clients can be awaited there.
        assert await asyncio.to_thread(handle.sync, _on_the_loop_of_clients, handle) == 1


async def _on_the_loop_of_clients(handle):
    await handle.scale(1)
    await handle.wait_for_workers(1, timeout="90s")
    return handle.n_workers

"""Canaries: planned and made workers of a ``SpecCluster``."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest
from distributed import Scheduler, SpecCluster, Worker
from distributed.core import Status
from gpucluster.dask_internals import spec_cluster
from gpucluster.dask_internals.spec_cluster import WaitsForScheduler
from gpucluster.dask_internals.started_elsewhere import StartedElsewhere

from tests.conftest import until_async

from .conftest import SCHEDULER


class Broken(Worker):
    async def start_unsafe(self):
        raise OSError("no room on the device")


class Slow(Worker):
    go_on: asyncio.Event

    async def start_unsafe(self):
        await self.go_on.wait()
        return await super().start_unsafe()


class NamedScheduler(Scheduler):
    pass


OPTIONS = {"nthreads": 1, "host": "127.0.0.1", "dashboard": False}


def spec(cls):
    return {"cls": cls, "options": OPTIONS}


@pytest.fixture
async def cluster(tmp_path):
    scheduler = {"cls": Scheduler, "options": SCHEDULER}
    options = {"worker": spec(Worker), "scheduler": scheduler, "asynchronous": True, "name": "canary"}
    async with SpecCluster(workers={0: spec(Worker)}, **options) as cluster:
        yield cluster


async def test_the_plan(cluster, canary):
    with canary("SpecCluster.scheduler and .worker_spec"):
        assert isinstance(spec_cluster.scheduler_of(cluster), Scheduler)
        assert spec_cluster.planned(cluster) == [0]
    with canary("SpecCluster.workers, filled when workers have started"):
        assert spec_cluster.made(cluster).keys() == {0}
        assert spec_cluster.uncounted(cluster) == []
    with canary("SpecCluster._correct_state(), which starts and closes workers by worker_spec"):
        cluster.worker_spec["more"] = spec(Worker)
        await spec_cluster.reconcile(cluster)
        assert spec_cluster.made(cluster).keys() == {0, "more"}
        spec_cluster.remove_from_plan(cluster, {"0"})
        assert spec_cluster.planned(cluster) == ["more"]
        assert spec_cluster.made(cluster).keys() == {0, "more"}
        again = spec_cluster.reconcile(cluster)
        assert spec_cluster.reconcile(cluster) is again, "asked twice before it has begun"
        await again
        assert spec_cluster.made(cluster).keys() == {"more"}
    with canary("SpecCluster.workers, from which one can be taken"):
        taken = spec_cluster.uncount(cluster, "more")
        assert isinstance(taken, Worker)
        assert spec_cluster.uncount(cluster, "more") is None
        await taken.close()


async def test_workers_on_their_way(cluster, canary):
    Slow.go_on = asyncio.Event()
    cluster.worker_spec["slow"] = spec(Slow)
    going = spec_cluster.reconcile(cluster)
    await asyncio.sleep(0)
    with canary("SpecCluster._created, with workers that are not in SpecCluster.workers before they have started"):
        await until_async(lambda: spec_cluster.uncounted(cluster))
        [worker] = spec_cluster.coming(cluster)
        assert worker.name == "slow"
        assert "slow" not in spec_cluster.made(cluster)
    with canary("Worker.name, by which an uncounted worker can be put into SpecCluster.workers"):
        spec_cluster.count_all(cluster)
        assert spec_cluster.made(cluster)["slow"] is worker
    Slow.go_on.set()
    await going


async def test_workers_that_cannot_start(cluster, canary):
    cluster.worker_spec["broken"] = spec(Broken)
    with suppress(Exception):
        await spec_cluster.reconcile(cluster)
    with canary("Server.__startup_exc and Status.failed of a worker that could not start"):
        failed = spec_cluster.failed(cluster)
        assert failed.keys() == {"broken"}
        error = failed["broken"]
        while error.__cause__ is not None:
            error = error.__cause__
        assert isinstance(error, OSError), repr(failed["broken"])
        assert spec_cluster.coming(cluster) == []
    spec_cluster.remove_from_plan(cluster, {"broken"})
    spec_cluster.uncount(cluster, "broken")


async def test_adapting_ends(cluster, canary):
    with canary("Cluster._adaptive with stop()"):
        spec_cluster.stop_adapting(cluster)
        adaptive = cluster.adapt(minimum=0, maximum=1)
        assert cluster._adaptive is adaptive
        spec_cluster.stop_adapting(cluster)
        assert adaptive.periodic_callback is None


async def test_all_clusters_are_found(cluster, canary):
    with canary("SpecCluster._instances"):
        # Clusters of earlier tests may still wait for the garbage collector.
        assert cluster in spec_cluster.clusters_named("canary")
        assert spec_cluster.clusters_named("unknown") == set()


async def test_another_class_of_scheduler(canary):
    with canary("SpecCluster.scheduler_spec['cls']"):
        cluster = SpecCluster(scheduler={"cls": Scheduler, "options": SCHEDULER}, asynchronous=True)
        spec_cluster.use_scheduler_class(cluster, NamedScheduler)
        async with cluster:
            assert type(cluster.scheduler) is NamedScheduler


async def test_a_cluster_waits_for_its_scheduler(canary):
    class Eager(WaitsForScheduler, SpecCluster):
        """Requests workers in its constructor, as dask-cuda's cluster does."""

        def __init__(self, *args, **options):
            super().__init__(*args, **options)
            self.request = self._correct_state()

    with canary("SpecCluster._correct_state(), by which alone workers are started"):
        scheduler = {"cls": Scheduler, "options": SCHEDULER}
        async with Eager(workers={0: spec(Worker)}, scheduler=scheduler, asynchronous=True) as cluster:
            assert cluster.request.done()
            assert len(cluster.scheduler.workers) == 1


async def test_worker_that_something_else_starts(canary):
    with canary("ProcessInterface.status and _event_finished"):
        worker = StartedElsewhere("tls://127.0.0.1:1", "a")
        worker.note_running()
        assert worker.runs
        worker.note_gone()
        await asyncio.wait_for(worker.finished(), 10)
        assert worker.status is Status.closed
    with canary("Status.failed and __startup_exc of Server"):
        other = StartedElsewhere("tls://127.0.0.1:1", "b")
        error = other.note_failure(OSError("no"))
        other.note_gone()
        assert (other.status, other._Server__startup_exc) == (Status.failed, error)

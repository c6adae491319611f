"""Canaries: a cluster that code takes for a ``distributed.deploy.Cluster``, and workers of a ``SpecCluster``."""

import asyncio
from contextlib import suppress

import pytest
from distributed import Scheduler, SpecCluster, Worker, deploy
from distributed.core import Status
from distributed.security import Security
from gpucluster.dask_internals import clusters, loops, spec_cluster
from gpucluster.dask_internals.spec_cluster import WaitsForScheduler
from gpucluster.dask_internals.started_elsewhere import StartedElsewhere

from tests.conftest import until_async

from .conftest import SCHEDULER


class Ours:
    __class__ = property(lambda self: clusters.class_for_dask(type(self)))


def test_object_is_instance_of_dask_cluster(canary):
    with canary("distributed.deploy.cluster.Cluster"):
        ours = Ours()
        assert isinstance(ours, deploy.Cluster)
        assert isinstance(ours, Ours)
        assert type(ours) is Ours


def test_without_dask_it_is_not_imported(in_new_process):
    code = (
        "import sys; from gpucluster.dask_internals import clusters; "
        "print(clusters.class_for_dask(int) is int, clusters.is_adaptive_of_dask(int), 'distributed' in sys.modules)"
    )
    assert in_new_process(code) == "True False False"


def test_the_class_for_adaptive_scaling(canary):
    with canary("distributed.deploy.adaptive.Adaptive"):
        assert clusters.is_adaptive_of_dask(deploy.Adaptive)
        assert not clusters.is_adaptive_of_dask(type("Mine", (deploy.Adaptive,), {}))


def test_a_scheduler_is_called(here, canary):
    with canary("distributed.core.rpc, Scheduler.identity and LoopRunner"):
        address, loop = here.scheduler.address, loops.client_loop()
        assert loops.client_loop() is loop, "one for all"
        caller = clusters.scheduler_rpc(address, Security())
        assert caller.address == address
        assert loops.run_in(loop, caller.identity)["address"] == address
        assert loops.run_in(loop, clusters.was_used, address, Security())
        loops.run_in(loop, clusters.close_rpc, caller)
        assert not caller.comms
        info = loops.run_in(loop, clusters.identity_of, address, Security(), timeout=60)
        assert {worker["name"] for worker in info["workers"].values()} == {0, 1}
    with canary("SchedulerInfo._repr_html_()"):
        assert "Scheduler" in info._repr_html_()
        assert clusters.no_scheduler_info()["workers"] == {}


def test_run_in_times_out(canary):
    with canary("distributed.utils.sync(callback_timeout=…) raising TimeoutError"), pytest.raises(TimeoutError):
        loops.run_in(loops.client_loop(), asyncio.sleep, 600, timeout=0.05)


async def test_the_running_loop_is_known(here, canary):
    from tornado.ioloop import IOLoop

    with canary("IOLoop.asyncio_loop"):
        assert loops.is_running_loop(IOLoop.current())
        assert not loops.is_running_loop(here.client.loop)
    with canary("a thread named 'IO loop'"):
        assert not loops.in_client_thread()
        assert here.client.sync(_in_client_thread)


async def _in_client_thread():
    return loops.in_client_thread()


def test_logs(here, canary):
    with canary("the handlers get_logs and worker_logs of the scheduler"):
        loop, address = loops.client_loop(), here.scheduler.address
        logs = loops.run_in(loop, clusters.logs_of, address, Security(), scheduler=True, workers=True)
        assert set(logs) == {"Scheduler", here.worker.address, here.other.address}
        only = [here.worker.address]
        logs = loops.run_in(loop, clusters.logs_of, address, Security(), scheduler=False, workers=only)
        assert list(logs) == only
    with canary("distributed.utils.Logs and Log"):
        shown = clusters.shown_logs({"Scheduler": "line"})
        assert shown == {"Scheduler": "line"}
        assert "line" in shown["Scheduler"]._repr_html_()
        assert "Scheduler" in shown._repr_html_()


def test_decisions(here, canary):
    with canary("Adaptive.log, of times and dictionaries"):
        adaptive = here.cluster.adapt(minimum=2, maximum=2, interval="1h")
        adaptive.log.append((1.0, {"status": "up", "n": 2}))
        assert spec_cluster.decisions_of(adaptive) == [(1.0, {"status": "up", "n": 2})]
        spec_cluster.stop_adapting(here.cluster)


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

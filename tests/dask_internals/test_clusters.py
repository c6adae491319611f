"""Canaries: a cluster that code takes for a ``distributed.deploy.Cluster``."""

from __future__ import annotations

import asyncio

import pytest
from distributed import deploy
from distributed.security import Security
from gpucluster.dask_internals import clusters, loops, spec_cluster


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

"""Canaries: nannies, their processes, and the periodic callbacks of Dask's servers."""

import asyncio
import logging
import os
import signal
import time
import types

import dask
import pytest
from distributed import Client, Nanny, Scheduler, Worker
from distributed.core import Status
from gpucluster.dask_internals.periodic_callbacks import heartbeat_seconds, heartbeat_seconds_of, rest_while_idle
from gpucluster.dask_internals.workers import nannies

from tests.conftest import until_async

from .conftest import SCHEDULER

_IN_A_NEW_PROCESS = """
import asyncio
from distributed import Nanny, Scheduler
from gpucluster.dask_internals import periodic_callbacks as callbacks
from gpucluster.dask_internals.workers import nannies

slow = True

async def watched(nanny):
    # The nanny watches this process.
    import os, types
    nanny.process = types.SimpleNamespace(process=types.SimpleNamespace(pid=os.getpid()), pid=os.getpid())
    manager = nanny.memory_manager
    assert manager.memory_limit > 0 and manager.memory_terminate_fraction > 0, "memory_limit, terminate_fraction"
    interval = manager.memory_monitor_interval
    manager.memory_monitor(nanny)
    callback = nanny.periodic_callbacks["memory_monitor"]
    assert callback.callback_time == 5000, callback.callback_time
    nanny.process = None

async def main():
    async with Scheduler(host="127.0.0.1", port=0, dashboard=False, dashboard_address=":0") as before:
        nanny = Nanny(before.address, nthreads=1, memory_limit="auto")
        kept = set(nanny.periodic_callbacks)
        assert {"monitor", "tick", "memory_monitor"} <= kept, f"Nanny.periodic_callbacks are {kept}"
        assert {"monitor", "idle-timeout", "no-workers-timeout"} <= set(before.periodic_callbacks), "of a Scheduler"
    for _ in range(2):  # the second time changes nothing
        callbacks.set_shortest_heartbeat(lambda: 3.0 if slow else 0.1)
        callbacks.leave_out_for_nannies(["monitor", "tick", "never"])
        callbacks.slow_down_schedulers({"idle-timeout": 9.0, "never": 1.0})
        callbacks.watch_small_workers_less(lambda: 5.0)
    assert callbacks.heartbeat_seconds(1) == 3.0, "heartbeat_interval as a name of distributed.scheduler"
    async with Scheduler(host="127.0.0.1", port=0, dashboard=False, dashboard_address=":0") as scheduler:
        assert scheduler.periodic_callbacks["idle-timeout"].callback_time == 9000, "callback_time in milliseconds"
        nanny = Nanny(scheduler.address, nthreads=1, memory_limit="auto")
        assert kept - set(nanny.periodic_callbacks) == {"monitor", "tick"}, set(nanny.periodic_callbacks)
        await watched(nanny)
        from distributed import Worker
        async with Worker(scheduler.address, nthreads=1, host="127.0.0.1", dashboard=False) as worker:
            async with asyncio.timeout(60):
                while callbacks.heartbeat_seconds_of(worker) != 3.0:  # sent with the answer to its first heartbeat
                    await asyncio.sleep(0.01)
            global slow
            slow = False
            await callbacks.ask_for_heartbeats(scheduler)
            assert callbacks.heartbeat_seconds_of(worker) == 0.5, "Worker.heartbeat() and the operation 'run'"

asyncio.run(main())
import distributed.utils
assert distributed.utils._forkserver_preload_set is False, "the flag of what distributed has set"
nannies.keep_own_forkserver()
import multiprocessing
from distributed.utils import get_mp_context
import dask
called = []
with dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}):
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload = called.append
    get_mp_context()
assert not called, "distributed sets its own list of modules for the forkserver"
from distributed.nanny import WorkerProcess
assert 0 < WorkerProcess._init_msg_interval <= 0.1, "WorkerProcess._init_msg_interval, in seconds"
nannies.look_for_workers_every(0.005)
assert WorkerProcess._init_msg_interval == 0.005
print("fine")
"""


@pytest.mark.full
def test_changes_of_dask_in_process(in_new_process, canary):
    with canary(
        "Nanny.__init__ and Scheduler.__init__ filling periodic_callbacks, NannyMemoryManager.memory_monitor, "
        "scheduler.heartbeat_interval, Scheduler.broadcast of 'run', WorkerProcess._init_msg_interval and "
        "utils._forkserver_preload_set"
    ):
        assert in_new_process(_IN_A_NEW_PROCESS) == "fine"


def test_heartbeats(here, canary, wait_until):
    with canary("scheduler.heartbeat_interval(n)"):
        assert 0 < heartbeat_seconds(1) <= heartbeat_seconds(1000)
    with canary("Server.periodic_callbacks['heartbeat'].callback_time in milliseconds"):
        # It is sent with the answer to its first heartbeat.
        wait_until(lambda: heartbeat_seconds_of(here.worker) == heartbeat_seconds(2))
        assert heartbeat_seconds_of(types.SimpleNamespace(periodic_callbacks={})) is None


async def test_worker_exits_are_reported(canary, tmp_path):
    ends: dict[int, int] = {}
    nannies.report_worker_exits(ends.__setitem__)
    async with Scheduler(**SCHEDULER) as scheduler:
        async with Nanny(scheduler.address, nthreads=1, host="127.0.0.1", local_directory=str(tmp_path)) as nanny:
            pid = nanny.pid
            os.kill(pid, signal.SIGKILL)
            with canary("WorkerProcess._death_message(pid, exitcode), asked when a worker's process has ended"):
                await until_async(lambda: pid in ends)
                assert ends[pid] == -signal.SIGKILL


async def test_a_nanny_closes_once(canary, tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(Nanny, "close_gracefully", Nanny.close_gracefully)
    nannies.close_once()
    async with Scheduler(**SCHEDULER) as scheduler:
        nanny = await Nanny(scheduler.address, nthreads=1, host="127.0.0.1", local_directory=str(tmp_path))
        closing = asyncio.ensure_future(nanny.close())
        await until_async(lambda: nanny.process.status is Status.stopping, interval=0)
        nanny.close_gracefully(reason="scheduler-remove-worker")  # as its worker does
        await asyncio.wait_for(closing, 60)
        with canary("Nanny.close_gracefully(reason) as the only one that forgets that it is closing"):
            assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []
    other = Nanny(scheduler.address, local_directory=str(tmp_path))
    other.close_gracefully()
    with canary("Nanny.close_gracefully() setting Nanny.status"):
        assert other.status is Status.closing_gracefully
    await other.close()


async def test_a_process_in_its_start_is_killed(canary, tmp_path):
    async with Scheduler(**SCHEDULER) as scheduler:
        nanny = Nanny(scheduler.address, nthreads=1, host="127.0.0.1", local_directory=str(tmp_path))
        starting = asyncio.ensure_future(nanny.start())
        with canary("Nanny.process with status, process and kill(), while its worker starts"):
            while getattr(nanny.process, "process", None) is None or not nanny.process.process.pid:
                assert not starting.done(), "it was up before it was seen to start"
                await asyncio.sleep(0.001)
            assert nannies.is_starting(nanny)
            process = nanny.process.process
            closing = asyncio.ensure_future(nanny.close())
            await asyncio.sleep(0)  # Now it starts no other process.
            await nannies.kill_starting_process(nanny)
            await until_async(lambda: not process.is_alive())
            await asyncio.wait_for(closing, 60)
        await asyncio.gather(starting, return_exceptions=True)
    assert not nannies.is_starting(types.SimpleNamespace())  # a worker without a nanny
    await nannies.kill_starting_process(types.SimpleNamespace())


@pytest.mark.full
async def test_idle_worker_measures_less_often() -> None:
    memory = "distributed.worker.memory."
    with dask.config.set({f"{memory}spill": 0.7, f"{memory}pause": 0.8}):
        async with (
            Scheduler(**SCHEDULER) as scheduler,
            Worker(scheduler.address, nthreads=1, host="127.0.0.1", memory_limit="auto", dashboard=False) as worker,
            Client(scheduler.address, asynchronous=True) as client,
        ):
            callbacks = worker.periodic_callbacks
            usual = {name: callbacks[name].callback_time for name in ("profile", "memory_monitor", "monitor", "tick")}
            resting = {**usual, "profile": 300, "memory_monitor": 200, "monitor": 700, "tick": max(800, usual["tick"])}
            paces = {"profile_seconds": 0.3, "memory_seconds": 0.2, "figures_seconds": 0.7, "tick_seconds": 0.8}
            for _ in range(2):  # the second time changes nothing
                rest_while_idle(worker, after_seconds=0.5, **paces)

            async def paced(wanted: dict[str, float]) -> None:
                for _ in range(3000):
                    if wanted == (found := {name: callbacks[name].callback_time for name in usual}):
                        return
                    await asyncio.sleep(0.02)
                raise AssertionError(f"{found}, not {wanted}")

            await paced(resting)
            running = client.submit(time.sleep, 2, pure=False)
            await paced(usual)
            assert not running.done(), "the pace changed only after the task"
            await running
            assert (await client.profile())["count"] > 50, "the profiler is slower than usual"
            await paced(resting)
            worker.memory_manager.memory_limit = 1
            await paced(usual)

"""Canaries: a worker's own state."""

import threading
import time

import pytest
from distributed import get_worker
from distributed.core import Status
from gpucluster.dask_internals import scheduler_state
from gpucluster.dask_internals.statuses import has_been_running
from gpucluster.dask_internals.workers import worker_state as state

GO_ON = threading.Event()


def waits() -> None:
    """A task of a thread of this process."""
    GO_ON.wait(60)


def test_tasks(here, canary, wait_until):
    with canary("Worker.state.executing_count, .ready and .constrained, and Worker.data"):
        kept = here.client.submit(bytes, 100, pure=False, workers=[here.worker.address])
        kept.result(30)
        slow = here.client.map(lambda _: time.sleep(0.2), range(3), pure=False, workers=[here.worker.address])
        counts = wait_until(lambda: (found := state.task_counts(here.worker))["executing"] and found)
        assert counts["executing"] == 1
        assert counts["ready"] >= 0
        assert counts["in_memory"] >= 1
        here.client.cancel(slow)


def test_worker_that_completed_its_start(here, canary):
    with canary("Worker._instances and the states of a worker that has not started"):
        assert not has_been_running(type("Starting", (), {"status": Status.starting}))
        assert has_been_running(here.worker)
        assert state.was_running_here()


def test_cancelled_tasks(here, canary, wait_until):
    with canary("Worker.state.tasks, with 'cancelled' as the state of a running task that is no longer wanted"):
        running = here.client.submit(waits, pure=False, workers=[here.worker.address])
        wait_until(lambda: getattr(here.worker.state.tasks.get(running.key), "state", None) == "executing")
        assert not state.is_cancelled(here.worker, running.key)
        assert not state.is_cancelled(here.worker, "never seen")
        running.cancel()
        try:
            wait_until(lambda: state.is_cancelled(here.worker, running.key), timeout=20)
        finally:
            GO_ON.set()


def runs_here(worker: object) -> bool:
    """Return whether this task's thread is among the threads that run tasks."""
    return threading.get_ident() in state.task_threads(worker)


def test_threads(here, canary):
    with canary("Worker.active_threads, by the identity of the thread"):
        task = here.client.submit(lambda: runs_here(get_worker()), pure=False, workers=[here.worker.address])
        assert task.result(30) is True
        assert threading.get_ident() not in state.task_threads(here.worker)


def test_size(here, canary):
    with canary("Worker.state.nthreads"):
        assert state.n_threads(here.worker) == 1
    with canary("Worker.memory_manager.memory_limit"):
        assert state.memory_limit_bytes(here.worker) == 100_000_000
    with canary("Worker.nanny"):
        assert not state.has_nanny(here.worker)
        assert here.worker.nanny is None


def test_plugins(here, canary):
    with canary("Worker.plugins and Scheduler.plugins"):
        assert state.plugin(here.worker, "shuffle") is here.worker.plugins["shuffle"]
        assert state.plugin(here.scheduler, "never added") is None
        assert isinstance(here.scheduler.plugins, dict)
        assert state.rmm_pool_maximum(here.worker) is None


def test_metrics(here, canary, wait_until):
    with canary("Worker.metrics, whose functions or coroutine functions are called for each heartbeat"):

        async def measured(worker: object) -> int:
            return 4711

        state.set_metric(here.worker, "canary", measured)
        assert state.metric(here.worker, "canary") is measured
        known = here.scheduler.workers[here.worker.address]
        wait_until(lambda: known.metrics.get("canary") == 4711)
        state.remove_metric(here.worker, "canary")
        assert state.metric(here.worker, "canary") is None


def test_readings(here, canary):
    for server in (here.worker, here.scheduler):
        with canary("Server.monitor.count, .update() and .range_query(start)"):
            before = state.n_readings(server)
            state.take_reading(server)
            assert state.n_readings(server) > before
            readings = state.readings_since(server, before)
            assert {"time", "cpu", "memory"} <= readings.keys()
            assert readings["memory"][-1] > 1_000_000
            assert abs(readings["time"][-1] - time.time()) < 60
    with canary("Server.monitor.recent()"):
        assert state.recent_readings(here.worker)["memory"] > 1_000_000
        assert "cpu" in state.recent_readings(here.worker)
    with canary("Worker.monitor.gpu_name and .gpu_memory_total"):
        assert state.gpu_memory_bytes(here.worker) is None or here.worker.monitor.gpu_name
        assert here.worker.monitor.gpu_memory_total
    with canary("Worker.scheduler_delay"):
        assert abs(state.clock_delay(here.worker)) < 60


def test_heartbeats(here, canary, wait_until):
    with canary("task_counts, spilled_bytes, cpu and memory in WorkerState.metrics"):
        known = here.scheduler.workers[here.worker.address]
        wait_until(lambda: scheduler_state.figures(known.metrics)["memory_bytes"])
        found = scheduler_state.figures(known.metrics)
        assert found["memory_bytes"] > 1_000_000
        assert found["cpu_percent"] is not None
        assert isinstance(known.metrics["task_counts"], dict)
        assert found["spilled_bytes"] is not None


def test_heartbeats_with_a_gpu(in_new_process, canary):
    """Dask sends these figures where a GPU and RMM exist."""
    code = """
import inspect
from distributed import system_monitor
from distributed.diagnostics import rmm
written = inspect.getsource(system_monitor) + inspect.getsource(rmm)
for name in ("gpu-memory-total", "gpu_memory_used", "gpu_utilization", "rmm-used", "rmm-total"):
    assert f'"{name}"' in written, name
print("fine")
"""
    with canary("gpu-memory-total, gpu_memory_used, gpu_utilization, rmm-used and rmm-total in WorkerState.metrics"):
        assert in_new_process(code) == "fine"
    metrics = {
        "gpu_memory_used": 5,
        "gpu-memory-total": 9,
        "gpu_utilization": 50,
        "rmm": {"rmm-used": 1, "rmm-total": 4},
    }
    found = scheduler_state.figures(metrics)
    assert (found["gpu_used_bytes"], found["gpu_total_bytes"], found["gpu_utilization_percent"]) == (5, 9, 50)
    assert (found["rmm_used_bytes"], found["rmm_pool_bytes"]) == (1, 4)
    assert found["executing"] is None


async def look(key, address, dask_worker):
    """Runs on a worker."""
    with pytest.raises(KeyError):
        state.held(dask_worker, "never computed")
    return {
        "held": state.held(dask_worker, key),
        "fetched": await state.fetched(dask_worker, address, [key, "never computed"]),
    }


def test_kept_results(here, canary):
    with canary("Worker.data and get_data_from_worker(rpc, keys, worker, who)"):
        address = here.worker.address
        kept = here.client.submit(sum, [20, 22], workers=[address])
        assert kept.result(30) == 42
        [found] = here.client.run(look, kept.key, address, workers=[address]).values()
        assert found["held"] == 42
        assert found["fetched"] == {kept.key: 42}

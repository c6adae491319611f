"""The state of a worker: its tasks, threads, memory limit, and the readings of its monitor."""

from collections.abc import Callable, Collection
from typing import Any

from ..statuses import has_been_running


def task_counts(worker: Any) -> dict[str, int]:
    """Return how many tasks a worker executes, has ready, and holds the results of.

    Relies on ``Worker.state`` with ``executing_count``, ``ready`` and ``constrained`` (2022.6), and ``Worker.data``.
    """
    state = worker.state
    return {
        "executing": state.executing_count,
        "ready": len(state.ready) + len(state.constrained),
        "in_memory": len(worker.data),
    }


def n_threads(worker: Any) -> int:
    """Return how many tasks a worker runs at once: ``Worker.state.nthreads`` (2022.6)."""
    return int(worker.state.nthreads)


def is_cancelled(worker: Any, key: Any) -> bool:
    """Whether a running task is unwanted: state ``"cancelled"`` in ``Worker.state.tasks`` (2022.6)."""
    task = worker.state.tasks.get(key)
    return task is not None and task.state == "cancelled"


def task_threads(worker: Any) -> Collection[int]:
    """Return the ids of the threads that run a task now: the keys of ``Worker.active_threads`` (2021.1)."""
    return worker.active_threads.keys()


def memory_limit_bytes(worker: Any) -> int | None:
    """Return a worker's limit on host memory: ``Worker.memory_manager.memory_limit`` (2022.6)."""
    return worker.memory_manager.memory_limit


def has_nanny(worker: Any) -> bool:
    """Whether a nanny has started this worker: ``Worker.nanny`` is its address (2021.1)."""
    return worker.nanny is not None


def plugin(server: Any, name: str) -> Any:
    """Return a plugin of a worker or scheduler, or None: ``plugins``, a dictionary by name (2021.8)."""
    return server.plugins.get(name)


def rmm_pool_maximum(worker: Any) -> Any:
    """Return the RMM pool's configured maximum, which RMM lacks: ``RMMSetup.maximum_pool_size`` (dask-cuda 24.02)."""
    for one in list(worker.plugins.values()):
        if type(one).__name__ == "RMMSetup":
            return one.maximum_pool_size
    return None


def was_running_here() -> bool:
    """Whether any worker of this process has completed its start: ``Worker._instances``, a weak set."""
    from distributed import Worker

    return any(has_been_running(worker) for worker in list(Worker._instances))


# -- metrics in the heartbeat ------------------------------------------------------------------------


def set_metric(worker: Any, name: str, metric: Callable[[Any], Any]) -> None:
    """Let a worker send a figure with its heartbeats: ``Worker.metrics``, functions by name (2021.1)."""
    worker.metrics[name] = metric


def remove_metric(worker: Any, name: str) -> None:
    """Undo ``set_metric``."""
    worker.metrics.pop(name, None)


def metric(worker: Any, name: str) -> Any:
    """Return the function behind a figure of the heartbeat, or None. Relies on the same as ``set_metric``."""
    return worker.metrics.get(name)


# -- readings ----------------------------------------------------------------------------------------


def recent_readings(worker: Any) -> dict[str, Any]:
    """Return the last reading of CPU (``cpu``) and host memory (``memory``): ``Server.monitor.recent()`` (2021.1)."""
    return worker.monitor.recent()


def take_reading(server: Any) -> None:
    """Let a worker or scheduler measure itself now: ``Server.monitor.update()`` (2021.1)."""
    server.monitor.update()


def n_readings(server: Any) -> int:
    """Return how many readings a worker or scheduler has taken: ``Server.monitor.count`` (2021.1)."""
    return int(server.monitor.count)


def readings_since(server: Any, count: int) -> dict[str, list[Any]]:
    """Return the readings after the first ``count`` by name: ``time``, ``cpu``, ``memory``; with a GPU more.

    Relies on ``Server.monitor.range_query(start)``; for GPUs ``gpu_utilization`` and ``gpu_memory_used`` (2021.8).
    """
    return server.monitor.range_query(count)


def gpu_memory_bytes(worker: Any) -> int | None:
    """Return the size of a worker's GPU: ``Worker.monitor.gpu_memory_total``, where ``gpu_name`` is set (2021.8)."""
    return worker.monitor.gpu_memory_total if worker.monitor.gpu_name else None


def clock_delay(worker: Any) -> float:
    """Return the scheduler's clock minus the worker's: ``Worker.scheduler_delay`` (2021.1)."""
    return float(worker.scheduler_delay)


def held(worker: Any, key: Any) -> Any:
    """Return a result, from disk if needed: ``Worker.data``, a mapping (2021.1); `KeyError` for others."""
    return worker.data[key]


async def fetched(worker: Any, address: str, keys: list[Any]) -> dict[Any, Any]:
    """Return results that another worker keeps, without those that it lacks or cannot send now.

    Relies on the coroutine function ``distributed.worker.get_data_from_worker(rpc, keys, worker, who)``, whose answer
    has ``status`` and, if that is ``"OK"``, ``data`` by key (2022.6), and on ``Worker.rpc`` (2021.1).
    """
    from distributed.worker import get_data_from_worker

    answer = await get_data_from_worker(worker.rpc, keys, address, who=worker.address)
    return dict(answer["data"]) if answer["status"] == "OK" else {}

"""How often Dask's servers do what they do again and again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from functools import wraps
from typing import Any

from ..operating_system.memory import resident_bytes

_CHANGED = "gpucluster_changed"


def heartbeat_seconds(n_workers: int) -> float:
    """Return the time between two heartbeats of one of so many workers.

    Relies on ``distributed.scheduler.heartbeat_interval(n)`` (2021.1).
    """
    from distributed import scheduler

    return float(scheduler.heartbeat_interval(n_workers))


def set_shortest_heartbeat(seconds: Callable[[], float]) -> None:
    """Let no scheduler of this process ask for heartbeats more often than that, asked anew each time.

    Relies on the scheduler calling ``distributed.scheduler.heartbeat_interval(n)`` as a name of its module (2021.1).
    """
    import distributed.scheduler

    def change(interval: Callable[[int], float]) -> Callable[[int], float]:
        return lambda n: max(seconds(), interval(n))

    _replace(distributed.scheduler, "heartbeat_interval", change)


async def ask_for_heartbeats(scheduler: Any) -> None:
    """Let all workers send a heartbeat now, and the next ones as often as the answer tells them.

    By itself a worker learns that at the end of the interval that it was told before. Relies on ``Scheduler.broadcast``
    and on the operation ``run`` of a worker, as ``Client.run`` uses them, on ``Worker.heartbeat()`` and on
    ``Server.periodic_callbacks["heartbeat"]`` (2022.6).
    """
    from distributed.protocol.pickle import dumps

    message = {"op": "run", "function": dumps(_send_heartbeat), "args": dumps(()), "kwargs": dumps({}), "wait": True}
    await scheduler.broadcast(msg=message, on_error="ignore")


async def _send_heartbeat(dask_worker: Any) -> None:
    await dask_worker.heartbeat()
    callback = dask_worker.periodic_callbacks.get("heartbeat")
    if callback is not None and callback.is_running():
        callback.stop()
        callback.start()


def heartbeat_seconds_of(worker: Any) -> float | None:
    """Return how often a worker sends heartbeats, as the scheduler has told it; None before it has begun.

    Relies on ``Server.periodic_callbacks["heartbeat"].callback_time``, in milliseconds (2021.1).
    """
    heartbeat = worker.periodic_callbacks.get("heartbeat")
    return None if heartbeat is None else heartbeat.callback_time / 1000


def leave_out_for_nannies(names: Collection[str]) -> None:
    """Let the nannies of this process begin without these periodic callbacks.

    Relies on ``Nanny.__init__`` filling ``Server.periodic_callbacks`` (``monitor``, ``tick``, ``ticks``,
    ``shift_counters``) without starting any (2021.1).
    """
    from distributed import Nanny

    def change(make: Callable[..., None]) -> Callable[..., None]:
        def with_fewer(self: Any, *args: Any, **options: Any) -> None:
            make(self, *args, **options)
            for name in names:
                self.periodic_callbacks.pop(name, None)

        return with_fewer

    _replace(Nanny, "__init__", change)


def slow_down_schedulers(seconds: Mapping[str, float]) -> None:
    """Let the schedulers of this process do some things less often.

    Relies on ``Scheduler.__init__`` filling ``Server.periodic_callbacks`` (``monitor``, ``ticks``, ``idle-timeout``,
    ``no-workers-timeout``), whose ``callback_time`` is in milliseconds, without starting any (2024.2).

    Parameters
    ----------
    seconds : mapping
        From the name of a callback to the least time between two calls.
    """
    from distributed import Scheduler

    def change(make: Callable[..., None]) -> Callable[..., None]:
        def with_slower(self: Any, *args: Any, **options: Any) -> None:
            make(self, *args, **options)
            for name, least in seconds.items():
                callback = self.periodic_callbacks.get(name)
                if callback is not None:
                    callback.callback_time = max(callback.callback_time, 1000 * least)

        return with_slower

    _replace(Scheduler, "__init__", change)


def watch_small_workers_less(seconds: Callable[[], float]) -> None:
    """Let nannies look less often at workers that use less than half of their memory, and always at little cost.

    Dask's own look costs more than one at the memory alone; it is called when there is something to do. Relies on
    ``NannyMemoryManager.memory_monitor(nanny)``, its ``memory_limit``, ``memory_terminate_fraction`` and
    ``memory_monitor_interval``, ``Nanny.process.process.pid`` and ``periodic_callbacks["memory_monitor"]`` (2022.6).

    Parameters
    ----------
    seconds : callable
        Gives the least time between two looks at such a worker.
    """
    from distributed.worker_memory import NannyMemoryManager

    def change(monitor: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
        def cheap(self: Any, nanny: Any) -> None:
            limit = (self.memory_limit or 0) * (self.memory_terminate_fraction or 0)
            with suppress(OSError, ValueError, IndexError, AttributeError):
                resident = resident_bytes(nanny.process.process.pid)
                interval = self.memory_monitor_interval
                if resident < limit / 2:
                    interval = max(interval, seconds())
                nanny.periodic_callbacks["memory_monitor"].callback_time = 1000 * interval
                if resident <= limit:
                    return
            monitor(self, nanny)

        return cheap

    _replace(NannyMemoryManager, "memory_monitor", change)


def _replace(holder: Any, name: str, change: Callable[[Any], Any]) -> None:
    original = getattr(holder, name)
    if not getattr(original, _CHANGED, False):
        changed: Any = wraps(original)(change(original))
        setattr(changed, _CHANGED, True)
        setattr(holder, name, changed)

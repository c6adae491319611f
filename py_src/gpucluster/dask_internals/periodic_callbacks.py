"""Intervals of the periodic callbacks of Dask's servers."""

import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from functools import wraps
from typing import Any

from ..operating_system.resources import resident_bytes

_CHANGED = "gpucluster_changed"


def heartbeat_seconds(n_workers: int) -> float:
    """Return seconds between a worker's heartbeats: ``distributed.scheduler.heartbeat_interval(n)`` (2021.1)."""
    from distributed import scheduler

    return float(scheduler.heartbeat_interval(n_workers))


def set_shortest_heartbeat(seconds: Callable[[], float]) -> None:
    """Set the shortest heartbeat interval of all schedulers of this process, which is read again each time.

    Relies on the scheduler calling ``distributed.scheduler.heartbeat_interval(n)`` as a name of its module (2021.1).
    """
    import distributed.scheduler

    def change(interval: Callable[[int], float]) -> Callable[[int], float]:
        return lambda n: max(seconds(), interval(n))

    _replace(distributed.scheduler, "heartbeat_interval", change)


async def ask_for_heartbeats(scheduler: Any) -> None:
    """Let all workers send a heartbeat now, and the next ones at the interval of the answer.

    Otherwise a worker learns that at the end of its present interval. Relies on ``Scheduler.broadcast``
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
    """Return a worker's heartbeat interval, as set by the scheduler; None before the first.

    Relies on ``Server.periodic_callbacks["heartbeat"].callback_time``, in milliseconds (2021.1).
    """
    heartbeat = worker.periodic_callbacks.get("heartbeat")
    return None if heartbeat is None else heartbeat.callback_time / 1000


def leave_out_for_nannies(names: Collection[str]) -> None:
    """Start the nannies of this process without these periodic callbacks.

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
    """Make some callbacks of the schedulers of this process less frequent.

    Relies on ``Scheduler.__init__`` filling ``Server.periodic_callbacks`` (``monitor``, ``ticks``, ``idle-timeout``,
    ``no-workers-timeout``), whose ``callback_time`` is in milliseconds, without starting any (2024.2).

    `seconds`: minimum time between two calls, by the name of a callback.
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
    """Let nannies check workers that use less than half of their memory less often, and all at little cost.

    Dask's own check costs more than reading the memory alone; it is called when there is something to do. Relies on
    ``NannyMemoryManager.memory_monitor(nanny)``, its ``memory_limit``, ``memory_terminate_fraction`` and
    ``memory_monitor_interval``, ``Nanny.process.process.pid`` and ``periodic_callbacks["memory_monitor"]`` (2022.6).

    `seconds`: returns the minimum time between two checks of such a worker.
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


def rest_while_idle(
    worker: Any,
    *,
    after_seconds: float,
    profile_seconds: float,
    memory_seconds: float,
    figures_seconds: float,
    tick_seconds: float,
) -> None:
    """Make some callbacks of a worker rarer while it computes nothing, moves nothing and uses little memory.

    Each call decides when the next one comes, so the usual pace is back after one long interval. Relies on
    ``Worker.periodic_callbacks`` (``profile``, ``memory_monitor``, ``monitor``, ``tick``) with ``callback`` and
    ``callback_time`` in milliseconds, which a running one reads again after each call, and on ``Worker.state`` with
    ``executed_count``, ``executing_count``, ``long_running`` and ``in_flight_tasks_count`` (2022.6). A second call
    changes nothing.

    `after_seconds`: how long it must have done nothing. `profile_seconds`, `memory_seconds`, `figures_seconds`,
    `tick_seconds`: intervals at rest, for profiling its threads, and for checking its memory, processor and network
    usage, and the latency of its event loop.
    """
    seconds = {
        "profile": profile_seconds, "memory_monitor": memory_seconds, "monitor": figures_seconds, "tick": tick_seconds,
    }  # fmt: skip
    idle = _Idle(worker, after_seconds)
    idle.rests()  # A missing name raises here, and not in the middle of a callback.
    for name, longer in seconds.items():
        callback = worker.periodic_callbacks.get(name)
        if callback is not None and not getattr(callback.callback, _CHANGED, False):
            callback.callback = _sometimes_rarer(callback, 1000 * longer, idle)


class _Idle:
    """Whether a worker has had nothing to do for a while."""

    def __init__(self, worker: Any, after_seconds: float) -> None:
        self._worker = worker
        self._after = after_seconds
        self._executed = -1
        self._since = time.monotonic()

    def rests(self) -> bool:
        state = self._worker.state
        busy = state.executing_count or state.long_running or state.in_flight_tasks_count
        if busy or state.executed_count != self._executed or self._uses_much():
            self._executed = state.executed_count
            self._since = time.monotonic()
            return False
        return time.monotonic() - self._since >= self._after

    def _uses_much(self) -> bool:
        """Whether Dask may soon act on its memory."""
        manager = self._worker.memory_manager
        limit = manager.memory_limit
        first = min(filter(None, (manager.memory_spill_fraction, manager.memory_pause_fraction)), default=1)
        return bool(limit) and self._worker.monitor.recent()["memory"] > first * limit / 2


def _sometimes_rarer(callback: Any, longer: float, idle: _Idle) -> Callable[[], Any]:
    usual, call = callback.callback_time, callback.callback

    def called() -> Any:
        callback.callback_time = max(usual, longer) if idle.rests() else usual
        return call()

    setattr(called, _CHANGED, True)
    return called


def _replace(holder: Any, name: str, change: Callable[[Any], Any]) -> None:
    original = getattr(holder, name)
    if not getattr(original, _CHANGED, False):
        changed: Any = wraps(original)(change(original))
        setattr(changed, _CHANGED, True)
        setattr(holder, name, changed)

"""Wake the supervisor of an idle cluster less often.

distributed wakes up for each server, of which every worker's nanny is one: 50 times a second to see how punctual its
event loop is, ten times to see how much memory the worker uses, twice to measure this process and this host. All
servers here share one process, one event loop and one host, so that once is enough. With eight workers this is most of
what an idle supervisor does.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import wraps
from typing import Any

TICK_INTERVAL = "500ms"
"""How often scheduler and workers look how punctual their event loop is; they complain from three seconds on."""
SHORTEST_HEARTBEAT_SECONDS = 1.0
"""distributed uses half a second for up to ten workers, and from one second on for more."""
MEMORY_SECONDS_WHEN_EMPTY = 0.5
"""How often the nanny looks at a worker that uses less than half its memory; above, as often as is configured."""
SCHEDULER_SECONDS = {"monitor": 2.0, "idle-timeout": 1.0, "no-workers-timeout": 1.0}
"""The last two do nothing until a timeout is configured, four times a second."""
NOT_FOR_NANNIES = ("monitor", "tick", "ticks")


def reduce_wakeups() -> None:
    """Change distributed in this process; its configuration also reaches the workers. Once is enough."""
    import dask
    import distributed.scheduler
    from distributed import Nanny, Scheduler
    from distributed.worker_memory import NannyMemoryManager

    if dask.config.get("distributed.admin.tick.interval") == "20ms":  # What a site has chosen stays.
        dask.config.set({"distributed.admin.tick.interval": TICK_INTERVAL})
    module: Any = distributed.scheduler
    _replace(module, "heartbeat_interval", _unhurried)
    _replace(Nanny, "__init__", _without_callbacks)
    _replace(Scheduler, "__init__", _with_slower_callbacks)
    if sys.platform == "linux":
        _replace(NannyMemoryManager, "memory_monitor", _cheap)


def _replace(holder: Any, name: str, change: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    original = getattr(holder, name)
    if not getattr(original, "reduces_wakeups", False):
        replaced: Any = wraps(original)(change(original))
        replaced.reduces_wakeups = True
        setattr(holder, name, replaced)


def _unhurried(interval: Callable[[int], float]) -> Callable[[int], float]:
    return lambda n: max(SHORTEST_HEARTBEAT_SECONDS, interval(n))


def _without_callbacks(make: Callable[..., None]) -> Callable[..., None]:
    def changed(self: Any, *args: Any, **options: Any) -> None:
        make(self, *args, **options)
        for name in NOT_FOR_NANNIES:
            self.periodic_callbacks.pop(name, None)

    return changed


def _with_slower_callbacks(make: Callable[..., None]) -> Callable[..., None]:
    def changed(self: Any, *args: Any, **options: Any) -> None:
        make(self, *args, **options)
        _slow_down(self.periodic_callbacks, SCHEDULER_SECONDS)

    return changed


def _slow_down(callbacks: Mapping[str, Any], seconds: Mapping[str, float]) -> None:
    for name, interval in seconds.items():
        callback = callbacks.get(name)
        if callback is not None:
            callback.callback_time = max(callback.callback_time, 1000 * interval)


def _cheap(monitor: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
    """Return the nanny's monitor, asked only when there is something to do: it is ten times as dear as one look."""
    page = os.sysconf("SC_PAGE_SIZE")

    def cheap(self: Any, nanny: Any) -> None:
        limit = (self.memory_limit or 0) * (self.memory_terminate_fraction or 0)
        with suppress(OSError, ValueError, IndexError, AttributeError):
            with open(f"/proc/{nanny.process.process.pid}/statm", "rb") as file:
                resident = int(file.read().split()[1]) * page
            seconds = self.memory_monitor_interval
            if resident < limit / 2:
                seconds = max(seconds, MEMORY_SECONDS_WHEN_EMPTY)
            nanny.periodic_callbacks["memory_monitor"].callback_time = 1000 * seconds
            if resident <= limit:
                return
        monitor(self, nanny)

    return cheap

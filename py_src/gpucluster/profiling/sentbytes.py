"""Bytes that clients send to a scheduler: graphs and scattered data, serialized, as they were on the wire.

This module also runs on schedulers, where it is sent by value: it imports nothing else of this package.
"""

from __future__ import annotations

import functools
from typing import Any

from distributed import Scheduler


class SentBytes:
    """Adds up what arrives, without keeping any of it.

    Data that a client scatters with ``direct=True`` goes past the scheduler and is not seen.

    Parameters
    ----------
    scheduler : distributed.Scheduler
    owner : str
        The client that measures, which does not count.
    """

    def __init__(self, scheduler: Scheduler, owner: str) -> None:
        self.n_bytes: int | None = 0
        """None: this scheduler works in another way."""
        self._owner = owner
        self._hooks: list[tuple[Any, str, Any, str]] = []
        tables: list[tuple[Any, str, str]] = [
            (scheduler.stream_handlers, "update-graph", "expr_ser"),
            (scheduler.handlers, "scatter", "data"),
        ]
        if any(op not in table for table, op, _ in tables):
            self.n_bytes = None
            return
        for table, op, argument in tables:
            # Measurements that overlap share one hook, whichever of them ends first.
            if not hasattr(table[op], "gpucluster_counters"):
                table[op] = _counting(table[op])
            table[op].gpucluster_counters.append((self, argument))
            self._hooks.append((table, op, table[op], argument))

    def add(self, argument: str, message: dict[str, Any]) -> None:
        """Add up one message of a client."""
        if self.n_bytes is not None and message.get("client") != self._owner:
            self.n_bytes += _size(message.get(argument))

    def stop(self) -> None:
        """Add up no more; the last to go leaves the scheduler as it was."""
        for table, op, hook, argument in self._hooks:
            if (self, argument) in hook.gpucluster_counters:
                hook.gpucluster_counters.remove((self, argument))
            if not hook.gpucluster_counters and table.get(op) is hook:
                table[op] = hook.__wrapped__
        self._hooks = []


def _counting(handler: Any) -> Any:
    @functools.wraps(handler)
    async def counted(*args: Any, **kwargs: Any) -> Any:
        for counter, argument in counters:
            counter.add(argument, kwargs)
        return await handler(*args, **kwargs)

    hook: Any = counted
    counters: list[tuple[Any, str]] = []
    hook.gpucluster_counters = counters
    return hook


def _size(value: Any) -> int:
    frames = getattr(value, "frames", None)
    if frames is not None:
        return sum(memoryview(frame).nbytes for frame in frames)
    if isinstance(value, dict):
        return sum(_size(item) for item in value.values())
    return 0

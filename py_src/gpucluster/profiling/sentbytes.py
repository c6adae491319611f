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
        self._counting = True
        self._wrapped: list[tuple[Any, str, Any, Any]] = []
        tables: list[tuple[Any, str, str]] = [
            (scheduler.stream_handlers, "update-graph", "expr_ser"),
            (scheduler.handlers, "scatter", "data"),
        ]
        if any(op not in table for table, op, _ in tables):
            self.n_bytes = None
            return
        for table, op, argument in tables:
            ours = self._counted(table[op], argument)
            self._wrapped.append((table, op, table[op], ours))
            table[op] = ours

    def _counted(self, handler: Any, argument: str) -> Any:
        @functools.wraps(handler)
        async def counted(*args: Any, **kwargs: Any) -> Any:
            if self._counting and self.n_bytes is not None and kwargs.get("client") != self._owner:
                self.n_bytes += _size(kwargs.get(argument))
            return await handler(*args, **kwargs)

        return counted

    def stop(self) -> None:
        """Leave the scheduler as it was."""
        self._counting = False
        for table, op, before, ours in self._wrapped:
            # Another recorder may have come later; what is left here of ours then counts nothing.
            if table.get(op) is ours:
                table[op] = before
        self._wrapped = []


def _size(value: Any) -> int:
    frames = getattr(value, "frames", None)
    if frames is not None:
        return sum(memoryview(frame).nbytes for frame in frames)
    if isinstance(value, dict):
        return sum(_size(item) for item in value.values())
    return 0

"""Timers that write down when each stage began and ended, and wait until the device is done."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple


class Event(NamedTuple):
    """A stage begins or ends.

    Attributes
    ----------
    what : str
        ``"begin"`` or ``"end"``.
    at : float
        Seconds on some clock.
    """

    stage: str
    what: str
    at: float


class StageTimers:
    """Note the events of stages, which may lie inside each other.

    Parameters
    ----------
    settle : callable, optional
        Called before each look at the clock: waits until all that was started has ended.

    Attributes
    ----------
    events : list of Event
        In the order in which they happened.
    """

    def __init__(self, settle: Callable[[], object] | None = None) -> None:
        self.events: list[Event] = []
        self._settle = settle or (lambda: None)
        self._began = self._now()

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Note the beginning and the end of a ``with`` block, also when it fails."""
        self.events.append(Event(name, "begin", self._now()))
        try:
            yield
        finally:
            self.events.append(Event(name, "end", self._now()))

    def total(self) -> float:
        """Return the seconds since these timers were made."""
        return self._now() - self._began

    def _now(self) -> float:
        self._settle()
        return time.perf_counter()


def settler(array: Any) -> Callable[[], object]:
    """Return what waits for the device that an array lies on; on the host there is nothing to wait for."""
    if type(array).__module__.partition(".")[0] == "cupy":
        import cupy

        def wait() -> object:
            return cupy.cuda.get_current_stream().synchronize()

        return wait
    return lambda: None

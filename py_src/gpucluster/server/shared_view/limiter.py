"""How often somebody may do something."""

from __future__ import annotations

import time
from collections import OrderedDict, deque

MOST_NAMES = 1024


class Limiter:
    """Counts what happens under a name within a span of time.

    Parameters
    ----------
    most : int
        So many times under one name.
    seconds : float
        Within so many seconds.
    """

    def __init__(self, most: int, seconds: float) -> None:
        self._most = most
        self._seconds = seconds
        self._times: OrderedDict[str, deque[float]] = OrderedDict()

    def is_over(self, name: str) -> bool:
        """Return whether it was too often."""
        times = self._times.get(name)
        if times is None:
            return False
        self._forget(times)
        return len(times) >= self._most

    def note(self, name: str) -> None:
        """Count once more."""
        times = self._times.setdefault(name, deque(maxlen=self._most))
        self._forget(times)
        times.append(time.monotonic())
        self._times.move_to_end(name)
        while len(self._times) > MOST_NAMES:
            self._times.popitem(last=False)

    def _forget(self, times: deque[float]) -> None:
        while times and times[0] < time.monotonic() - self._seconds:
            times.popleft()

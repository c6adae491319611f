"""Throughput from counters that only ever grow."""

from __future__ import annotations

from .rounding import RATE_DIGITS, rounded


class Rates:
    """Turns readings of counters into rates between two readings."""

    def __init__(self) -> None:
        self._before: dict[str, tuple[float, int]] = {}

    def per_second(self, counter: str, value: int | None, at: float) -> int | None:
        """Return the rate since the last reading.

        Parameters
        ----------
        counter : str
            Name of the counter.
        value : int or None
            Its reading; ``None`` when it cannot be read.
        at : float
            When it was read, in seconds.

        Returns
        -------
        int or None
            ``None`` for a first reading, and for a counter that went back: the driver was loaded anew.
        """
        if value is None:
            self._before.pop(counter, None)
            return None
        before = self._before.get(counter)
        self._before[counter] = (at, value)
        if before is None or at <= before[0] or value < before[1]:
            return None
        return rounded((value - before[1]) / (at - before[0]), RATE_DIGITS)

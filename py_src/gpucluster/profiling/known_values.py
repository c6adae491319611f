"""Sums, means and peaks of values some of which are not known."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise


def weighted_mean(moments: Iterable[float], values: Iterable[float | None]) -> float | None:
    """Return the mean of readings, each of which holds for the time since the one before."""
    times, known = list(moments), list(values)
    total = weight = 0.0
    for (before, moment), value in zip(pairwise(times), known[1:], strict=False):
        if value is not None:
            total += value * (moment - before)
            weight += moment - before
    return total / weight if weight > 0 else None


def clipped(value: float) -> float:
    """Return a share between 0 and 1: clocks differ a little."""
    return min(1.0, max(0.0, value))


def whole(value: float | None) -> int | None:
    """Return a whole number, or None."""
    return None if value is None else int(value)


def most(values: Iterable[float | None]) -> int | None:
    """Return the largest of the known values."""
    return whole(max((value for value in values if value is not None), default=None))

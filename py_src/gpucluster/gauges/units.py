"""Human-readable figures. ``gauges/units.ts`` writes the same, which ``tests/gauges/cases.json`` checks."""

from __future__ import annotations

import math

_STEPS = (("TiB", 2**40), ("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10))


def size_text(size_bytes: float) -> str:
    """Return ``1.5 GiB``; whole numbers from ten on."""
    unit, factor = next((step for step in _STEPS if size_bytes >= step[1]), ("B", 1))
    return f"{digits(size_bytes / factor)} {unit}"


def percent_text(percent: float) -> str:
    """Return ``63 %``."""
    return f"{_rounded(percent)} %"


def count_text(count: float) -> str:
    """Return a count: ``950``, ``12 k``, ``1.5 M``."""
    if count < 10_000:
        return str(_rounded(count))
    return f"{_rounded(count / 1000)} k" if count < 1e6 else f"{digits(count / 1e6)} M"


def duration_text(seconds: float) -> str:
    """Return ``52 min``: the largest unit that fits, with the next one unless that is zero."""
    whole = max(0, _rounded(seconds))
    if whole < 60:
        return f"{whole} s"
    minutes = whole // 60
    if minutes < 60:
        return f"{minutes} min"
    hours = minutes // 60
    if hours < 24:
        return f"{hours} h {minutes % 60} min" if minutes % 60 else f"{hours} h"
    days = hours // 24
    return f"{days} d {hours % 24} h" if hours % 24 else f"{days} d"


def digits(value: float) -> str:
    """Return a number with at most one digit after the point, and none from ten on."""
    # 9.96 is rounded to ten, which has no digit: compare after rounding.
    tenths = _rounded(value * 10)
    return str(_rounded(value)) if tenths >= 100 or tenths % 10 == 0 else f"{tenths / 10:.1f}"


def _rounded(value: float) -> int:
    """Round halves up, as browsers do; ``round`` would take them to the even neighbour."""
    return math.floor(value + 0.5)

"""Durations as users and Dask write them: ``90``, ``"10s"``, ``"1 hour"``, ``"500ms"``, a ``timedelta``."""

import math
import re
from datetime import timedelta
from typing import Any

from .plain_text import printable

_UNITS = {
    "us": 1e-6, "microsecond": 1e-6, "ms": 1e-3, "millisecond": 1e-3,
    "": 1, "s": 1, "sec": 1, "second": 1,
    "m": 60, "min": 60, "minute": 60,
    "h": 3600, "hr": 3600, "hour": 3600,
    "d": 86400, "day": 86400,
    "w": 7 * 86400, "week": 7 * 86400,
}  # fmt: skip
_PATTERN = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?|\.[0-9]+)?\s*([A-Za-z]*)\s*")
_WALLTIME = re.compile(r"(?:\d{1,4}-)?\d{1,6}(?::\d{1,6}){0,2}")
DEFAULT_SCHEDULER_WALLTIME = "1-00:00:00"  # Default of a scheduler's job.
_ALLOWED = "write seconds, or a duration such as '10s', '500ms' or '1 hour'"


def slurm_clock(seconds: int) -> str:
    """Return a time limit in Slurm's format: ``2-03:00:00``."""
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    return (f"{days}-" if days else "") + f"{hour:02}:{minute:02}:{second:02}"


def parse_seconds(value: Any) -> float:
    """Return a duration in seconds.

    `value`: a plain number means seconds, also as text. Raises `ValueError` for anything else, and for a negative or
    infinite duration.
    """
    if isinstance(value, timedelta):
        value = value.total_seconds()
    if isinstance(value, str):
        found = _PATTERN.fullmatch(value)
        unit = found[2].lower() if found else ""
        factor = _UNITS.get(unit, _UNITS.get(unit.removesuffix("s")) if len(unit) > 2 else None)
        if not found or factor is None or not (found[1] or unit):
            raise ValueError(f"{value[:40]!r} is not a duration: {_ALLOWED}")
        value = float(found[1] or 1) * factor
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        raise ValueError(f"must be a duration: {_ALLOWED}")
    try:
        seconds = float(value)
    except (OverflowError, TypeError, ValueError):
        raise ValueError(f"must be a duration: {_ALLOWED}") from None
    if not math.isfinite(seconds) or seconds < 0:
        raise ValueError(f"must be a finite, non-negative duration: {_ALLOWED}")
    return seconds


def walltime_seconds(text: str) -> int:
    """Return the seconds of a time limit as Slurm writes it: ``30``, ``30:00``, ``1:00:00``, ``2-12``, ``2-12:00:00``.

    Like ``sbatch``, it adds up the parts without bounds: ``00:90:00`` is an hour and a half. Raises `ValueError`.
    """
    if not _WALLTIME.fullmatch(text):
        raise ValueError(
            f"{printable(text, 40)!r} is not a time limit: write minutes, '00:30:00' (hours, minutes, seconds) or "
            "'2-12:00:00' (with days)"
        )
    days, has_days, clock = text.rpartition("-")
    parts = [int(part) for part in clock.split(":")]
    begins_with_hours = has_days or len(parts) == 3
    hours, minutes, seconds = ([*parts, 0, 0] if begins_with_hours else [0, *parts, 0])[:3]
    return ((int(days or 0) * 24 + hours) * 60 + minutes) * 60 + seconds


def spoken(seconds: float) -> str:
    """Return a readable duration: ``0.4 s``, ``52 s``, ``3 min 12 s``, ``2 h 5 min``."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    return f"{whole} s" if whole < 60 else _long(whole)


def seconds(value: float) -> str:
    """Return a measured duration: ``320 µs``, ``4.5 ms``, ``12 s``, ``3 min 20 s``."""
    if value < 0.0009995:
        return f"{value * 1e6:.0f} µs"
    if value < 0.9995:
        return f"{value * 1e3:.3g} ms"
    if value < 100:
        return f"{value:.3g} s"
    return _long(round(value))


def _long(seconds: int) -> str:
    minutes, rest = divmod(seconds, 60)
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min {rest} s"

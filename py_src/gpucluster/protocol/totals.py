"""What a figure of all workers together is: the mean of loads, the sum of sizes and counts, each GPU once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

Number = TypeVar("Number", int, float)


def known_sum(values: Iterable[Number | None]) -> Number | None:
    """Return the sum of the known values; None when none is known."""
    known: list[Any] = [value for value in values if value is not None]
    return sum(known) if known else None


def known_mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of the known values; None when none is known."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


_SUMMARIES: dict[str, Callable[[Iterable[Any]], float | None]] = {
    "cpu_percent": known_mean,
    "memory_bytes": known_sum,
    "rmm_used_bytes": known_sum,
    "processing": known_sum,
}
_OF_DEVICES: dict[str, Callable[[Iterable[Any]], float | None]] = {
    "gpu_utilization_percent": known_mean,
    "vram_used_bytes": known_sum,
}
TOTALS = (*_SUMMARIES, *_OF_DEVICES)
"""Figures that a history keeps of all workers together."""


def totals(columns: Mapping[str, Sequence[Any]]) -> dict[str, float | None]:
    """Return each of ``TOTALS``; ``None`` where no worker has measured it.

    Parameters
    ----------
    columns : mapping
        From the name of a figure to one entry per worker.
    """
    found = {name: summary(columns.get(name, ())) for name, summary in _SUMMARIES.items()}
    return found | {name: summary(_by_device(columns, name)) for name, summary in _OF_DEVICES.items()}


def _by_device(columns: Mapping[str, Sequence[Any]], name: str) -> Iterable[float]:
    """Return a figure of each device: workers that share one have the same."""
    by_device: dict[Any, float] = {}
    devices = columns.get("device", ())
    for place, value in enumerate(columns.get(name, ())):
        if value is not None:
            device = devices[place] if place < len(devices) else None
            by_device[place if device is None else device] = value
    return by_device.values()

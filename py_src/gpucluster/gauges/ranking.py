"""Ranks workers by a figure, for views that cannot show all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

from ..protocol.telemetry import TelemetrySample
from .figures import entry

Figure: TypeAlias = Literal["memory", "gpu", "cpu", "tasks", "disk"]
"""Ranking criteria: GPU memory, or host memory without a GPU; load; tasks that run; spilled results."""

FIGURES: tuple[Figure, ...] = get_args(Figure)
_COLUMNS: dict[Figure, tuple[str, ...]] = {
    "memory": ("vram_used_bytes", "memory_bytes"),
    "gpu": ("gpu_utilization_percent",),
    "cpu": ("cpu_percent",),
    "tasks": ("processing",),
    "disk": ("tier_disk_bytes",),
}


def ranked(sample: TelemetrySample, by: Figure = "memory") -> list[int]:
    """Return the places of the workers in descending order; unmeasured ones come last."""

    def order(place: int) -> list[float]:
        values = (entry(sample, name, place) for name in _COLUMNS[by])
        return [float(value) if isinstance(value, (int, float)) else -1.0 for value in values]

    return sorted(range(len(sample.workers)), key=order, reverse=True)


def narrowed(sample: TelemetrySample, places: Sequence[int]) -> TelemetrySample:
    """Return the sample of these workers only, in this order; each measured column is a list."""
    cut = {
        name: [values[place] for place in places]
        for name in TelemetrySample.column_names()
        if getattr(sample, name) is not None and len(values := sample.column(name)) == len(sample.workers)
    }
    return sample.model_copy(update={"workers": [sample.workers[place] for place in places], **cut})

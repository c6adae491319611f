"""Which workers have most of a figure, for where not all can be shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

from ..protocol.telemetry import TelemetrySample
from .figures import entry

Figure: TypeAlias = Literal["memory", "gpu", "cpu", "tasks", "disk"]
"""What workers are ranked by: GPU memory where there is a GPU, else host memory; load; what is computed; spilled."""

FIGURES: tuple[Figure, ...] = get_args(Figure)
_COLUMNS: dict[Figure, tuple[str, ...]] = {
    "memory": ("vram_used_bytes", "memory_bytes"),
    "gpu": ("gpu_utilization_percent",),
    "cpu": ("cpu_percent",),
    "tasks": ("processing",),
    "disk": ("tier_disk_bytes",),
}


def ranked(sample: TelemetrySample, by: Figure = "memory") -> list[int]:
    """Return the places of the workers, that with most first; those of which it is not measured come last."""

    def order(place: int) -> list[float]:
        values = (entry(sample, name, place) for name in _COLUMNS[by])
        return [float(value) if isinstance(value, (int, float)) else -1.0 for value in values]

    return sorted(range(len(sample.workers)), key=order, reverse=True)


def narrowed(sample: TelemetrySample, places: Sequence[int]) -> TelemetrySample:
    """Return the sample of these workers only, in this order; each column that was measured is a list."""
    cut = {
        name: [values[place] for place in places]
        for name in TelemetrySample.column_names()
        if getattr(sample, name) is not None and len(values := sample.column(name)) == len(sample.workers)
    }
    return sample.model_copy(update={"workers": [sample.workers[place] for place in places], **cut})

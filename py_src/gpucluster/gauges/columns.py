"""Single figures of a sample, whose columns are lists or one value for all workers."""

from __future__ import annotations

from ..protocol import workers
from ..protocol.telemetry import TelemetrySample


def entry(sample: TelemetrySample, name: str, place: int) -> int | float | str | None:
    """Return the figure of one worker; ``None`` where nobody measures it."""
    values: list[int | float | str | None] | int | float | str | None = getattr(sample, name)
    if not isinstance(values, list):
        return values
    return values[place] if place < len(values) else None


def integer(sample: TelemetrySample, name: str, place: int) -> int | None:
    """Return the whole number of one worker; ``None`` where nobody measures it."""
    value = entry(sample, name, place)
    return value if isinstance(value, int) else None


def numbers(sample: TelemetrySample, name: str) -> list[int | float]:
    """Return what is measured of all workers."""
    found = (entry(sample, name, place) for place in range(len(sample.workers)))
    return [value for value in found if isinstance(value, (int, float))]


def has_gpu(sample: TelemetrySample, place: int) -> bool:
    """Return whether a worker has a GPU: then Dask's split of host memory means nothing."""
    return any(entry(sample, name, place) is not None for name in ("device", "vram_total_bytes", "tier_device_bytes"))


def worker_title(sample: TelemetrySample, place: int) -> str:
    """Return a worker's name for people: ``GPU 3``, ``Worker 0``; with its machine where there are several."""
    several = isinstance(sample.host, list) and len({one for one in sample.host if one is not None}) > 1
    machine = entry(sample, "host", place) if several else None
    index = integer(sample, "device_index", place)
    return workers.worker_title(sample.workers[place], index, None if machine is None else str(machine))

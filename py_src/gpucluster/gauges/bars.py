"""The bars of a cluster's memory, and its load and tasks in a line, from one sample.

A figure that nobody measures has no bar.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..protocol.sizes import format_size
from ..protocol.telemetry import TelemetrySample

_TIERS = {
    "tier_device_bytes": "in GPU memory",
    "tier_host_bytes": "in host memory",
    "tier_disk_bytes": "on disk",
    "cudf_spilled_bytes": "spilled by cuDF",
}


@dataclass(frozen=True)
class Part:
    """One part of a bar."""

    name: str
    size_bytes: int
    kind: str
    """Names the colour."""


@dataclass(frozen=True)
class Bar:
    """A stacked bar."""

    label: str
    parts: tuple[Part, ...]
    used_bytes: int
    total_bytes: int | None
    """None: no limit."""

    @property
    def text(self) -> str:
        """Return ``0.4 GiB of 4 GiB (10%)``."""
        if not self.total_bytes:
            return format_size(self.used_bytes)
        share = round(100 * self.used_bytes / self.total_bytes)
        return f"{format_size(self.used_bytes)} of {format_size(self.total_bytes)} ({share}%)"

    @property
    def sentence(self) -> str:
        """Return what the parts are."""
        return ", ".join(f"{part.name} {format_size(part.size_bytes)}" for part in self.parts if part.size_bytes)


@dataclass(frozen=True)
class _Reading:
    """The figures of one worker, or the sums of several."""

    memory: int | None
    memory_limit: int | None
    managed: int | None
    vram_total: int | None
    vram_used: int | None
    vram_cluster: int | None
    rmm_used: int | None
    rmm_pool: int | None


def cluster_bars(sample: TelemetrySample) -> list[Bar]:
    """Return the bars of the whole cluster."""
    everyone = range(len(sample.workers))
    # Several workers may share a device, whose memory counts once.
    devices = _column(sample, "device")
    places = {device: i for i, device in reversed(list(enumerate(devices)))}
    firsts = [i for i in everyone if devices[i] is None or places[devices[i]] == i]
    limits = _pick(sample, "memory_limit_bytes", everyone)
    return _bars(
        _Reading(
            memory=_sum(_pick(sample, "memory_bytes", everyone)),
            memory_limit=None if None in limits else _sum(limits),
            managed=_sum(_pick(sample, "managed_bytes", everyone)),
            vram_total=_sum(_pick(sample, "vram_total_bytes", firsts)),
            vram_used=_sum(_pick(sample, "vram_used_bytes", firsts)),
            vram_cluster=_sum(_pick(sample, "vram_cluster_bytes", firsts)),
            rmm_used=_sum(_pick(sample, "rmm_used_bytes", everyone)),
            rmm_pool=_sum(_pick(sample, "rmm_pool_bytes", everyone)),
        )
    )


def worker_bars(sample: TelemetrySample, place: int) -> list[Bar]:
    """Return the bars of the worker at that place of the sample."""

    def one(name: str) -> int | None:
        return _pick(sample, name, [place])[0]

    return _bars(
        _Reading(
            memory=one("memory_bytes"),
            memory_limit=one("memory_limit_bytes"),
            managed=one("managed_bytes"),
            vram_total=one("vram_total_bytes"),
            vram_used=one("vram_used_bytes"),
            vram_cluster=one("vram_cluster_bytes"),
            rmm_used=one("rmm_used_bytes"),
            rmm_pool=one("rmm_pool_bytes"),
        )
    )


def device_trouble(sample: TelemetrySample, place: int) -> str | None:
    """Return why the GPU of the worker at that place cannot be read; None if it can, or there is none."""
    said = _column(sample, "device_error")[place]
    return said if isinstance(said, str) else None


def utilization(sample: TelemetrySample, place: int) -> float | None:
    """Return how busy the GPU of the worker at that place is, in percent; None where nobody measures it."""
    value = _column(sample, "gpu_utilization_percent")[place]
    return float(value) if isinstance(value, (int, float)) else None


def sentences(sample: TelemetrySample) -> list[str]:
    """Return load and tasks, how many GPUs cannot be read, and where the results are if some have been spilled."""
    told = [_activity(sample)]
    if lost := sum(error is not None for error in _column(sample, "device_error")):
        told.append(f"GPUs that cannot be read: {lost}.")
    if results := _results(sample):
        told.append(f"Results: {results}")
    return told


def _activity(sample: TelemetrySample) -> str:
    said = []
    threads = _sum(_pick(sample, "n_threads", range(len(sample.workers))))
    cpu = _mean(sample, "cpu_percent", total=True)
    if cpu is not None:
        said.append(f"CPU {cpu:.0f}%" + (f" of {threads * 100}%" if threads else ""))
    gpu = _mean(sample, "gpu_utilization_percent")
    if gpu is not None:
        said.append(f"GPU {gpu:.0f}%")
    running, held = sample.tasks.get("processing", 0), sample.tasks.get("memory", 0)
    said.append(f"{running} task{'s' * (running != 1)} running, {held} result{'s' * (held != 1)} held")
    if sample.tasks.get("erred"):
        said.append(f"{sample.tasks['erred']} erred")
    return ", ".join(said)


def _results(sample: TelemetrySample) -> str:
    everyone = range(len(sample.workers))
    sizes = {field: _sum(_pick(sample, field, everyone)) for field in _TIERS}
    away = ["tier_disk_bytes", "cudf_spilled_bytes"]
    if sizes["tier_device_bytes"] is not None:
        away.append("tier_host_bytes")  # Without GPUs that is where results belong.
    if not any(sizes[field] for field in away):
        return ""
    return ", ".join(f"{format_size(size)} {_TIERS[field]}" for field, size in sizes.items() if size)


def _bars(reading: _Reading) -> list[Bar]:
    bars = []
    if reading.vram_used is not None:
        parts = tuple(part for part in _vram_parts(reading) if part.size_bytes > 0)
        bars.append(Bar("VRAM", parts, reading.vram_used, reading.vram_total))
    if reading.memory is not None:
        managed = min(reading.managed or 0, reading.memory)
        parts = (Part("managed", managed, "managed"), Part("unmanaged", reading.memory - managed, "unmanaged"))
        bars.append(Bar("Memory", tuple(p for p in parts if p.size_bytes > 0), reading.memory, reading.memory_limit))
    return bars


def _vram_parts(reading: _Reading) -> list[Part]:
    """Return who uses the GPU's memory, as the gauges do: their sum is what is in use, whatever the figures say."""
    rest = reading.vram_used or 0
    parts = []

    def take(name: str, size_bytes: int, kind: str) -> None:
        nonlocal rest
        taken = min(rest, max(0, size_bytes))
        rest -= taken
        parts.append(Part(name, taken, kind))

    pool = max(reading.rmm_used or 0, reading.rmm_pool or 0)
    if reading.rmm_used is not None:
        take("RMM used", reading.rmm_used, "rmm_used")
        take("RMM pool, free", pool - reading.rmm_used, "rmm_free")
    else:
        take("RMM pool, use unknown", pool, "rmm_pool")
    if reading.vram_cluster is None:
        take("by whom is unknown", rest, "unknown")
    else:
        take("this cluster, not RMM", reading.vram_cluster - pool, "cluster")
        take("others", rest, "others")
    return parts


def _column(sample: TelemetrySample, name: str) -> list[int | float | str | None]:
    found = sample.column(name)
    missing = len(sample.workers) - len(found)
    return found + [None] * missing if missing > 0 else found


def _pick(sample: TelemetrySample, name: str, places: Sequence[int]) -> list[int | None]:
    column = _column(sample, name)
    return [value if isinstance(value := column[place], int) else None for place in places]


def _sum(values: Sequence[int | None]) -> int | None:
    measured = [value for value in values if value is not None]
    return sum(measured) if measured else None


def _mean(sample: TelemetrySample, name: str, *, total: bool = False) -> float | None:
    measured = [value for value in _column(sample, name) if isinstance(value, (int, float))]
    if not measured:
        return None
    return float(sum(measured)) / (1 if total else len(measured))

"""The bars of a cluster's memory and of its workers', from one sample. ``gauges/segments.ts`` does so in browsers.

A figure that nobody measures has no bar.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from ..protocol.sizes import format_size
from ..protocol.telemetry import TelemetrySample
from .columns import entry, has_gpu, integer

PART_NAMES = {
    "rmm_used": "RMM used",
    "rmm_free": "RMM pool, free",
    "rmm_pool": "RMM pool, use unknown",
    "cluster": "this cluster, not RMM",
    "others": "others",
    "unknown": "by whom is unknown",
    "managed": "managed",
    "tier_host": "results",
    "unmanaged": "unmanaged",
}
"""Of the parts of bars by their kind, which also names the colour; in the order in which they are drawn."""


@dataclass(frozen=True)
class Part:
    """One part of a bar."""

    kind: str
    size_bytes: int

    @property
    def name(self) -> str:
        """Return what people call it."""
        return PART_NAMES[self.kind]


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
        return "; ".join(f"{part.name} {format_size(part.size_bytes)}" for part in self.parts)


def cluster_bars(sample: TelemetrySample) -> list[Bar]:
    """Return the bars of the whole cluster."""
    by_device: dict[object, list[int]] = {}
    for place in range(len(sample.workers)):
        # Several workers may share a device, whose memory counts once; each has an RMM of its own.
        by_device.setdefault(entry(sample, "device", place) or place, []).append(place)
    bars = [
        _sum_of("VRAM", (_vram(sample, places) for places in by_device.values())),
        _on_machine(_sum_of("Memory", (_memory(sample, place) for place in range(len(sample.workers)))), sample),
    ]
    return [bar for bar in bars if bar is not None]


def worker_bars(sample: TelemetrySample, place: int) -> list[Bar]:
    """Return the bars of the worker at that place of the sample."""
    return [bar for bar in (_vram(sample, [place]), _memory(sample, place)) if bar is not None]


def _sum_of(label: str, bars: Iterable[Bar | None]) -> Bar | None:
    """Return bars as one: each part is summed. Without a total for each there is none for all."""
    known = [bar for bar in bars if bar is not None]
    if not known:
        return None
    sizes: Counter[str] = Counter()
    for bar in known:
        sizes.update({part.kind: part.size_bytes for part in bar.parts})
    totals = [bar.total_bytes for bar in known]
    return Bar(
        label,
        tuple(Part(kind, sizes[kind]) for kind in PART_NAMES if sizes[kind]),
        sum(bar.used_bytes for bar in known),
        None if None in totals else sum(total for total in totals if total is not None),
    )


def _on_machine(bar: Bar | None, sample: TelemetrySample) -> Bar | None:
    """Return the memory of all workers: together they have no more than their machine, whatever their limits."""
    machine = sample.host_memory_bytes
    if bar is None or machine is None or (bar.total_bytes is not None and bar.total_bytes <= machine):
        return bar
    return replace(bar, total_bytes=machine)


def _vram(sample: TelemetrySample, places: list[int]) -> Bar | None:
    """Return the memory of one GPU by who uses it; the parts make up what is in use, whatever the figures say."""
    first = next((place for place in places if integer(sample, "vram_used_bytes", place) is not None), None)
    if first is None:
        return None
    used = integer(sample, "vram_used_bytes", first) or 0
    cluster = integer(sample, "vram_cluster_bytes", first)
    rmm_used, rmm_pool = (_sum(sample, name, places) for name in ("rmm_used_bytes", "rmm_pool_bytes"))
    rmm = max(rmm_used or 0, rmm_pool or 0)
    wanted = {"rmm_pool": rmm} if rmm_used is None else {"rmm_used": rmm_used, "rmm_free": rmm - rmm_used}
    wanted |= {"unknown": used} if cluster is None else {"cluster": cluster - rmm, "others": used}
    parts = []
    rest = used
    for kind, size_bytes in wanted.items():
        # The figures are from slightly different moments.
        taken = min(rest, max(0, size_bytes))
        rest -= taken
        parts.append(Part(kind, taken))
    return Bar("VRAM", _some(parts), used, integer(sample, "vram_total_bytes", first))


def _memory(sample: TelemetrySample, place: int) -> Bar | None:
    """Return the host memory of a worker. Dask counts results on a GPU as managed; the tiers tell what is there."""
    used = integer(sample, "memory_bytes", place)
    if used is None:
        return None
    kind, field = ("tier_host", "tier_host_bytes") if has_gpu(sample, place) else ("managed", "managed_bytes")
    known = min(integer(sample, field, place) or 0, used)
    parts = [Part(kind, known), Part("unmanaged", used - known)]
    return Bar("Memory", _some(parts), used, integer(sample, "memory_limit_bytes", place))


def _some(parts: list[Part]) -> tuple[Part, ...]:
    return tuple(part for part in parts if part.size_bytes > 0)


def _sum(sample: TelemetrySample, name: str, places: list[int]) -> int | None:
    measured = [value for place in places if (value := integer(sample, name, place)) is not None]
    return sum(measured) if measured else None

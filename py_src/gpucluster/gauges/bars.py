"""Stacked bars: memory by its user. ``gauges/segments.ts`` stacks the same parts in browsers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from .units import percent_text, size_text

PART_NAMES = {
    "rmm_used": "RMM used",
    "rmm_free": "RMM pool, free",
    "rmm_pool": "RMM pool, use unknown",
    "cluster": "This cluster, not RMM",
    "others": "Others",
    "unknown": "Unknown programs",
    "managed": "Managed",
    "tier_device": "On the GPU",
    "tier_host": "On the host",
    "tier_disk": "On disk",
    "unmanaged": "Unmanaged",
}
"""Names of the parts of bars by kind, which also selects the colour, in drawing order."""


@dataclass(frozen=True)
class Part:
    kind: str
    size_bytes: int

    @property
    def name(self) -> str:
        return PART_NAMES[self.kind]


@dataclass(frozen=True)
class Bar:
    """A stacked bar."""

    label: str
    parts: tuple[Part, ...]
    used_bytes: int
    total_bytes: int | None  # None: no limit.

    @property
    def text(self) -> str:
        """Return ``410 MiB of 4 GiB (10 %)``."""
        used = size_text(self.used_bytes)
        if not self.total_bytes:
            return used
        return f"{used} of {size_text(self.total_bytes)} ({percent_text(100 * self.used_bytes / self.total_bytes)})"

    @property
    def sentence(self) -> str:
        return "; ".join(f"{part.name} {size_text(part.size_bytes)}" for part in self.parts)


@dataclass(frozen=True)
class Vram:
    """The known memory of one GPU; ``None`` for unknown figures."""

    total: int | None
    used: int | None
    cluster: int | None
    rmm_used: int | None
    rmm_pool: int | None


def vram_bar(vram: Vram) -> Bar | None:
    """Return the memory of one GPU by its user; the parts always add up to what is in use.

    RMM has three states: without figures it is not used, with a pool alone its use is unknown, and with both the pool
    has a used and a free part.
    """
    if vram.used is None:
        return None
    rmm = max(vram.rmm_used or 0, vram.rmm_pool or 0)
    claims = (
        {"rmm_pool": rmm} if vram.rmm_used is None else {"rmm_used": vram.rmm_used, "rmm_free": rmm - vram.rmm_used}
    )
    claims |= {"unknown": vram.used} if vram.cluster is None else {"cluster": vram.cluster - rmm, "others": vram.used}
    parts = []
    rest = vram.used
    for kind, size_bytes in claims.items():
        # The figures may be from slightly different moments.
        taken = min(rest, max(0, size_bytes))
        rest -= taken
        parts.append(Part(kind, taken))
    return Bar("VRAM", _not_empty(parts), vram.used, vram.total)


def memory_bar(used: int | None, kind: str, known: int | None, limit: int | None) -> Bar | None:
    """Return the host memory of a worker: the part that Dask keeps results in, and the rest."""
    if used is None:
        return None
    results = min(known or 0, used)
    return Bar("Memory", _not_empty([Part(kind, results), Part("unmanaged", used - results)]), used, limit)


def results_bar(tiers: dict[str, int | None]) -> Bar:
    """Return the bytes of results by kind of tier."""
    parts = _not_empty([Part(kind, size or 0) for kind, size in tiers.items()])
    used = sum(part.size_bytes for part in parts)
    return Bar("Results", parts, used, used)


def sum_bars(label: str, bars: Iterable[Bar | None]) -> Bar | None:
    """Return the sum of bars, part by part. The total is unknown if that of any bar is."""
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


def on_machine(bar: Bar | None, machine_bytes: int | None) -> Bar | None:
    """Return the memory of all workers: their limits together cannot exceed their machine's memory."""
    if bar is None or machine_bytes is None or (bar.total_bytes is not None and bar.total_bytes <= machine_bytes):
        return bar
    return replace(bar, total_bytes=machine_bytes)


def _not_empty(parts: Sequence[Part]) -> tuple[Part, ...]:
    return tuple(part for part in parts if part.size_bytes > 0)

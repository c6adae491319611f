"""Figures of one worker and of all, the stacked bars of their memory, and numbers as text.

``gauges/figures.ts``, ``gauges/segments.ts`` and ``gauges/units.ts`` compute the same in browsers; see
``tests/gauges/cases.json``. A figure that is not measured is ``None``, never zero.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ..protocol import workers
from ..protocol.telemetry import TelemetrySample


def entry(sample: TelemetrySample, name: str, place: int) -> int | float | str | None:
    """Return the figure of one worker; ``None`` if it is not measured."""
    values: list[int | float | str | None] | int | float | str | None = getattr(sample, name)
    if not isinstance(values, list):
        return values
    return values[place] if place < len(values) else None


def integer(sample: TelemetrySample, name: str, place: int) -> int | None:
    """Return the whole number of one worker; ``None`` if it is not measured."""
    value = entry(sample, name, place)
    return value if isinstance(value, int) else None


def numbers(sample: TelemetrySample, name: str) -> list[int | float]:
    found = (entry(sample, name, place) for place in range(len(sample.workers)))
    return [value for value in found if isinstance(value, (int, float))]


def has_gpu(sample: TelemetrySample, place: int) -> bool:
    """Whether a worker has a GPU; then Dask's split of host memory is meaningless."""
    return any(entry(sample, name, place) is not None for name in ("device", "vram_total_bytes", "tier_device_bytes"))


def worker_title(sample: TelemetrySample, place: int) -> str:
    """Return a worker's display name: ``GPU 3``, ``Worker 0``; with its machine if there are several."""
    several = isinstance(sample.host, list) and len({one for one in sample.host if one is not None}) > 1
    machine = entry(sample, "host", place) if several else None
    index = integer(sample, "device_index", place)
    return workers.worker_title(sample.workers[place], index, None if machine is None else str(machine))


@dataclass(frozen=True)
class Figures:
    """The figures of one worker, or the sums of all.

    * `gpu`: percentage of time in which GPUs computed; the mean over GPUs.
    * `cores`: busy cores.
    * `capacity`: number of cores that the threads can use: no more than the machine has.
    """

    vram: Bar | None
    memory: Bar | None
    results: Bar | None
    gpu: float | None
    cores: float | None
    capacity: int | None

    @property
    def bars(self) -> list[Bar]:
        """The bars of memory that is measured."""
        return [bar for bar in (self.vram, self.memory) if bar is not None]


def worker_figures(sample: TelemetrySample, place: int) -> Figures:
    cpu, gpu = entry(sample, "cpu_percent", place), entry(sample, "gpu_utilization_percent", place)
    threads = integer(sample, "n_threads", place)
    return Figures(
        vram=_vram(sample, [place]),
        memory=_memory(sample, place),
        results=_results(sample, place),
        gpu=gpu if isinstance(gpu, (int, float)) else None,
        cores=cpu / 100 if isinstance(cpu, (int, float)) else None,
        capacity=_capacity(threads, sample.host_cores),
    )


def cluster_figures(sample: TelemetrySample) -> Figures:
    places = range(len(sample.workers))
    by_device: dict[object, list[int]] = {}
    for place in places:
        # Several workers may share a device, whose memory counts once; each has its own RMM.
        by_device.setdefault(entry(sample, "device", place) or place, []).append(place)
    cpu, threads = (numbers(sample, name) for name in ("cpu_percent", "n_threads"))
    gpu = [load for sharers in by_device.values() if (load := _utilization(sample, sharers)) is not None]
    n_threads = int(sum(threads)) if threads else None
    return Figures(
        vram=sum_bars("VRAM", (_vram(sample, sharers) for sharers in by_device.values())),
        memory=on_machine(sum_bars("Memory", (_memory(sample, place) for place in places)), sample.host_memory_bytes),
        results=sum_bars("Results", (_results(sample, place) for place in places)),
        gpu=sum(gpu) / len(gpu) if gpu else None,
        cores=sum(cpu) / 100 if cpu else None,
        capacity=_capacity(n_threads, sample.host_cores),
    )


def _capacity(threads: int | None, cores: int | None) -> int | None:
    return threads if threads is None or cores is None else min(threads, cores)


def _vram(sample: TelemetrySample, places: Sequence[int]) -> Bar | None:
    first = next((place for place in places if integer(sample, "vram_used_bytes", place) is not None), places[0])
    total, used, cluster = (integer(sample, f"vram_{name}_bytes", first) for name in ("total", "used", "cluster"))
    rmm_used, rmm_pool = (_sum(integer(sample, f"rmm_{name}_bytes", place) for place in places)
                          for name in ("used", "pool"))  # fmt: skip
    return vram_bar(Vram(total, used, cluster, rmm_used, rmm_pool))


def _utilization(sample: TelemetrySample, places: Sequence[int]) -> float | None:
    measured = (entry(sample, "gpu_utilization_percent", place) for place in places)
    return next((load for load in measured if isinstance(load, (int, float))), None)


def _memory(sample: TelemetrySample, place: int) -> Bar | None:
    """Return the host memory of a worker. Dask counts results on a GPU as managed; the tiers have the real location."""
    kind, column = ("tier_host", "tier_host_bytes") if has_gpu(sample, place) else ("managed", "managed_bytes")
    used, known, limit = (integer(sample, name, place) for name in ("memory_bytes", column, "memory_limit_bytes"))
    return memory_bar(used, kind, known, limit)


def _results(sample: TelemetrySample, place: int) -> Bar | None:
    """Return the results of a worker by location; without a GPU, only once it has spilled."""
    device, host, disk = (integer(sample, f"tier_{tier}_bytes", place) for tier in ("device", "host", "disk"))
    if not has_gpu(sample, place):
        managed = host if host is not None else integer(sample, "managed_bytes", place)
        return results_bar({"managed": managed, "tier_disk": disk}) if disk else None
    if device is None and disk is None:
        return None
    return results_bar({"tier_device": device, "tier_host": host, "tier_disk": disk})


def _sum(values: Iterable[int | None]) -> int | None:
    """Return the sum of the measured values; ``None`` if there are none."""
    measured = [value for value in values if value is not None]
    return sum(measured) if measured else None


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


_STEPS = (("TiB", 2**40), ("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10))


def size_text(size_bytes: float) -> str:
    """Return ``1.5 GiB``; whole numbers from ten on."""
    unit, factor = next((step for step in _STEPS if size_bytes >= step[1]), ("B", 1))
    return f"{digits(size_bytes / factor)} {unit}"


def percent_text(percent: float) -> str:
    """Return ``63 %``."""
    return f"{_rounded(percent)} %"


def count_text(count: float) -> str:
    """Return a count: ``9,950``, ``12 k``, ``1.5 M``."""
    if count < 10_000:
        return f"{_rounded(count):,}"
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

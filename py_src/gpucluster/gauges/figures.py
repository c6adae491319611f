"""Figures of one worker and of all. ``gauges/figures.ts`` computes the same; see ``tests/gauges/cases.json``.

A figure that is not measured is ``None``, never zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..protocol import workers
from ..protocol.telemetry import TelemetrySample
from .bars import Bar, Vram, memory_bar, on_machine, results_bar, sum_bars, vram_bar


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
    * `threads`: those that run tasks.
    * `capacity`: number of cores that the threads can use: no more than the machine has.
    """

    vram: Bar | None
    memory: Bar | None
    results: Bar | None
    gpu: float | None
    cores: float | None
    threads: int | None
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
        threads=threads,
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
        threads=n_threads,
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

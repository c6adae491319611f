"""Gauges as lines of text, for terminals and other places without graphics, and the ranking of workers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

from ..protocol.plain_text import counted, printable
from ..protocol.telemetry import TelemetrySample
from .figures import (
    Bar,
    Figures,
    cluster_figures,
    count_text,
    digits,
    entry,
    numbers,
    percent_text,
    size_text,
    worker_figures,
    worker_title,
)

_BLOCKS = 24
_NAME_WIDTH = 12
_LONGEST_SENTENCE = 200


def cluster_lines(sample: TelemetrySample) -> list[str]:
    """Return bars and their parts, load, tasks, unreadable GPUs, and locations of spilled results."""
    bars = _aligned([(bar.label, _bar_text(bar)) for bar in cluster_figures(sample).bars])
    return bars + [f"  {sentence}" for sentence in sentences(sample)]


def worker_lines(sample: TelemetrySample, most: int, places: Sequence[int] | None = None) -> list[str]:
    """Return the bars of the workers, or of those at these places, in at most ``most`` lines, and how many are omitted.

    Nothing if there is only one, which is the whole cluster.
    """
    if len(sample.workers) < 2:
        return []
    wanted = range(len(sample.workers)) if places is None else places
    rows: list[tuple[str, str]] = []
    shown = 0
    for place in wanted:
        added = _worker_rows(sample, place, worker_title(sample, place))
        is_last = shown == len(sample.workers) - 1
        if len(rows) + len(added) + (not is_last) > most:
            break
        rows += added
        shown += 1
    left_out = len(sample.workers) - shown
    return _aligned(rows) + ([f"  and {left_out} more"] if left_out else [])


def moment_text(at: str) -> str:
    return at[:19].replace("T", " ") + " UTC"


def _bar_text(bar: Bar) -> str:
    parts = f": {bar.sentence}" if bar.sentence else ""
    if not bar.total_bytes:
        return f"{bar.text}{parts}"
    filled = round(_BLOCKS * min(1.0, bar.used_bytes / bar.total_bytes))
    return f"{'█' * filled}{'░' * (_BLOCKS - filled)} {bar.text}{parts}"


def _worker_rows(sample: TelemetrySample, place: int, named: str) -> list[tuple[str, str]]:
    figures = worker_figures(sample, place)
    bars = figures.bars
    rows = [(f"{named} {bar.label}" if len(bars) > 1 else named, _bar_text(bar)) for bar in bars]
    trouble = device_trouble(sample, place)
    if trouble is not None:
        return [(f"{named} GPU", printable(trouble, _LONGEST_SENTENCE)), *rows]
    return rows if figures.gpu is None else [(f"{named} GPU", f"{percent_text(figures.gpu)} busy"), *rows]


def _aligned(rows: list[tuple[str, str]]) -> list[str]:
    width = max([_NAME_WIDTH, *(len(name) for name, _ in rows)])
    return [f"  {name:<{width}} {text}" for name, text in rows]


_PLACES = {
    "tier_device": "in GPU memory",
    "managed": "in host memory",
    "tier_host": "in host memory",
    "tier_disk": "on disk",
    "cudf": "spilled by cuDF",
}
_SPILLED = ("tier_host", "tier_disk", "cudf")
"""With a GPU, results in host memory were moved there; without one they are ``managed``."""


def sentences(sample: TelemetrySample) -> list[str]:
    """Return load and tasks, what is shared, unreadable GPUs, and locations of results if some were spilled."""
    figures = cluster_figures(sample)
    found = [", ".join([*_load(figures), *_tasks(sample)])]
    if shared := shared_text(sample):
        found.append(f"Overcommitted: {shared}")
    if others := others_text(sample):
        found.append(f"Other programs use {others}")
    if lost := sum(device_trouble(sample, place) is not None for place in range(len(sample.workers))):
        found.append(f"{counted(lost, 'GPU')} not readable.")
    if results := _results(sample, figures):
        found.append(f"Results: {results}")
    return found


def device_trouble(sample: TelemetrySample, place: int) -> str | None:
    """Return why the GPU of the worker at that place cannot be read; ``None`` if it can, or there is none."""
    error = entry(sample, "device_error", place)
    return error if isinstance(error, str) else None


def running_tasks(sample: TelemetrySample) -> int:
    """Return how many tasks run. The scheduler assigns tasks to workers ahead of time: not all processing ones run.

    There are at most as many as threads, even while the scheduler still counts those of a worker that died.
    """
    executing = numbers(sample, "executing")
    running = int(sum(executing)) if executing else sample.tasks.get("processing", 0)
    threads = numbers(sample, "n_threads")
    return min(running, int(sum(threads))) if threads else running


def shared_text(sample: TelemetrySample) -> str:
    """Return what the workers' limits together exceed on their machine."""
    found = []
    threads, cores = int(sum(numbers(sample, "n_threads"))), sample.host_cores
    if cores is not None and threads > cores:
        found.append(f"{threads} threads on {cores} core{'s' * (cores != 1)}")
    limits, memory = numbers(sample, "memory_limit_bytes"), sample.host_memory_bytes
    if memory is not None and sum(limits) > memory:
        found.append(f"memory limits of {size_text(sum(limits))} on {size_text(memory)}")
    return ", ".join(found)


OTHERS_SHARE, OTHERS_CORES = 0.2, 0.5  # Other programs are shown from this fraction and number of cores.


def others_text(sample: TelemetrySample) -> str:
    """Return how many of the machine's cores other programs use, if that slows the cluster down."""
    others, cores = sample.host_others_cores, sample.host_cores
    if others is None or not cores or others < max(OTHERS_CORES, OTHERS_SHARE * cores):
        return ""
    return f"{digits(others)} of {cores} core{'s' * (cores != 1)}"


def _load(figures: Figures) -> list[str]:
    found = []
    if figures.cores is not None:
        found.append(f"CPU {digits(figures.cores)}{_capacity_text(figures)}")
    if figures.gpu is not None:
        found.append(f"GPU {percent_text(figures.gpu)}")
    return found


def _capacity_text(figures: Figures) -> str:
    """Return how many cores the threads can keep busy."""
    capacity = figures.capacity
    return " cores" if capacity is None else f" of {capacity} core{'s' * (capacity != 1)}"


def _tasks(sample: TelemetrySample) -> list[str]:
    running, held = running_tasks(sample), sample.tasks.get("memory", 0)
    found = [
        f"{count_text(running)} task{'s' * (running != 1)} running",
        f"{count_text(held)} result{'s' * (held != 1)} held",
    ]
    return [*found, f"{count_text(failed)} failed"] if (failed := sample.tasks.get("erred", 0)) else found


def _results(sample: TelemetrySample, figures: Figures) -> str:
    sizes = {part.kind: part.size_bytes for part in figures.results.parts} if figures.results is not None else {}
    sizes["cudf"] = int(sum(numbers(sample, "cudf_spilled_bytes")))
    if not any(sizes.get(kind) for kind in _SPILLED):
        return ""
    return ", ".join(f"{size_text(size)} {_PLACES[kind]}" for kind, size in sizes.items() if size)


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

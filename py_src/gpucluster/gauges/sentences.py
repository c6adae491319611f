"""The texts beside the bars of a sample."""

from __future__ import annotations

from ..protocol.plain_text import counted
from ..protocol.telemetry import TelemetrySample
from .figures import Figures, cluster_figures, entry, numbers
from .units import count_text, digits, percent_text, size_text

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
    """Return the number of threads, or of cores if those are fewer."""
    threads, capacity = figures.threads, figures.capacity
    if threads is None or capacity is None:
        return " cores"
    return f" of {capacity} {'core' if capacity < threads else 'thread'}{'s' * (capacity != 1)}"


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

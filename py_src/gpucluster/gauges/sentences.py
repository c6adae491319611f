"""What a sample says besides bars."""

from __future__ import annotations

from ..protocol.sizes import format_size
from ..protocol.telemetry import TelemetrySample
from .columns import entry, numbers

_TIERS = {
    "tier_device_bytes": "in GPU memory",
    "tier_host_bytes": "in host memory",
    "tier_disk_bytes": "on disk",
    "cudf_spilled_bytes": "spilled by cuDF",
}


def sentences(sample: TelemetrySample) -> list[str]:
    """Return load and tasks, what is shared, GPUs that cannot be read, and where results are if some were spilled."""
    told = [_activity(sample)]
    if shared := _shared(sample):
        told.append(f"Shared: {shared}")
    if lost := sum(device_trouble(sample, place) is not None for place in range(len(sample.workers))):
        told.append(f"GPUs that cannot be read: {lost}.")
    if results := _results(sample):
        told.append(f"Results: {results}")
    return told


def device_trouble(sample: TelemetrySample, place: int) -> str | None:
    """Return why the GPU of the worker at that place cannot be read; ``None`` if it can, or there is none."""
    said = entry(sample, "device_error", place)
    return said if isinstance(said, str) else None


def _activity(sample: TelemetrySample) -> str:
    said = []
    threads = sum(numbers(sample, "n_threads"))
    if cpu := numbers(sample, "cpu_percent"):
        # Threads keep no more cores busy than there are.
        cores = sample.host_cores
        most = f"{cores} cores" if cores is not None and cores < threads else f"{threads} thread{'s' * (threads != 1)}"
        said.append(f"CPU {sum(cpu) / 100:.1f}" + (f" of {most}" if threads else " cores"))
    if gpu := numbers(sample, "gpu_utilization_percent"):
        said.append(f"GPU {sum(gpu) / len(gpu):.0f}%")
    running, held = sample.tasks.get("processing", 0), sample.tasks.get("memory", 0)
    said.append(f"{running} task{'s' * (running != 1)} running, {held} result{'s' * (held != 1)} held")
    if sample.tasks.get("erred"):
        said.append(f"{sample.tasks['erred']} erred")
    return ", ".join(said)


def _shared(sample: TelemetrySample) -> str:
    """Return what workers may use together that is more than their machine has."""
    said = []
    threads, cores = int(sum(numbers(sample, "n_threads"))), sample.host_cores
    if cores is not None and threads > cores:
        said.append(f"{threads} threads on {cores} core{'s' * (cores != 1)}")
    limits, memory = numbers(sample, "memory_limit_bytes"), sample.host_memory_bytes
    if memory is not None and sum(limits) > memory:
        said.append(f"memory limits of {format_size(sum(limits))} on {format_size(memory)}")
    return ", ".join(said)


def _results(sample: TelemetrySample) -> str:
    measured = {field: numbers(sample, field) for field in _TIERS}
    away = ["tier_disk_bytes", "cudf_spilled_bytes"]
    if measured["tier_device_bytes"]:
        away.append("tier_host_bytes")  # Without GPUs that is where results belong.
    sizes = {field: int(sum(found)) for field, found in measured.items()}
    if not any(sizes[field] for field in away):
        return ""
    return ", ".join(f"{format_size(size)} {_TIERS[field]}" for field, size in sizes.items() if size)

"""Capacity of a machine, and notes for requests that exceed it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .errors import FieldError
from .plain_text import counted
from .sizes import format_size

if TYPE_CHECKING:
    from .spec import SpecBase

DEFAULT_CPU_WORKERS = 4  # Most CPU workers of a cluster whose number is left open.
LEAST_MEMORY_BYTES = 256 * 2**20  # Least default of a worker: with less, it would be paused as soon as it computes.


@dataclass(frozen=True)
class Machine:
    """Capacity of one machine for processes."""

    memory_bytes: int  # Memory of the machine, or of the control group if that is less.
    cores: int


def default_workers(machine: Machine, most: int = DEFAULT_CPU_WORKERS) -> int:
    """Return the default number of CPU workers of this machine."""
    return min(most, machine.cores)


def memory_fault(limit: int | float | str | None, machine: Machine) -> FieldError | None:
    """Return the fault of one worker's memory limit, if any."""
    if not isinstance(limit, int) or limit <= machine.memory_bytes:
        return None
    return FieldError(
        field="memory_limit",
        message=f"{format_size(limit)} for one worker is more than the {format_size(machine.memory_bytes)} of memory "
        "that this machine has; request less, or 'auto' for an equal share",
    )


def memory_of_worker(wanted: int | float | str | None, machine: Machine, *, workers: int) -> int:
    """Return the memory limit of one worker in bytes; 0 means none."""
    if wanted is None:
        return 0
    if isinstance(wanted, str):
        return max(min(LEAST_MEMORY_BYTES, machine.memory_bytes), machine.memory_bytes // max(1, workers))
    return int(wanted * machine.memory_bytes) if isinstance(wanted, float) else wanted


def capacity_notes(n_workers: int, threads: int, limit_bytes: int, machine: Machine) -> list[str]:
    """Return a note for each resource that these workers have to share."""
    notes = []
    total = n_workers * limit_bytes
    if total > machine.memory_bytes and n_workers > 1:
        notes.append(
            f"{n_workers} workers may use {format_size(limit_bytes)} of memory each, {format_size(total)} together; "
            f"this machine has {format_size(machine.memory_bytes)}. It may run out of memory before a worker "
            "reaches its limit."
        )
    if n_workers * threads > machine.cores:
        count = n_workers * threads
        each = f" ({n_workers} workers with {threads} each)" if threads > 1 and n_workers > 1 else ""
        notes.append(
            f"{count} threads{each} run on {counted(machine.cores, 'core')}: "
            "tasks that compute share the cores and take longer."
        )
    return notes


def spec_notes(spec: SpecBase, machine: Machine, *, n_workers: int | None = None) -> list[str]:
    """Return ``capacity_notes`` of a cluster to be. `n_workers`: if the spec leaves it open; default: as on CPUs."""
    count = spec.n_workers if spec.n_workers is not None else n_workers or default_workers(machine)
    limit = memory_of_worker(spec.memory_limit, machine, workers=count)
    return capacity_notes(count, spec.threads_per_worker, limit, machine)

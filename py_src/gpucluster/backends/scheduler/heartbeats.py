"""What the workers' last heartbeats say, as columns."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...dask_internals.heartbeats import figures
from ...telemetry.columns import COLUMNS, METRIC, RATE_DIGITS, VERSION, rounded, size

if TYPE_CHECKING:
    from distributed import Scheduler
    from distributed.scheduler import WorkerState

    from .view import Columns

MANY = 200
"""From here on, ages are told in whole seconds: the heartbeats are some seconds apart anyway."""
_ROW_LENGTH = 1 + len(COLUMNS)


class HeartbeatReader:
    """Reads all workers of a scheduler, in the order of their names.

    Parameters
    ----------
    scheduler : distributed.Scheduler
    """

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._known: list[WorkerState] = []
        self._sorted: list[WorkerState] = []

    def read(self) -> Columns:
        """Return every column; a figure that a worker does not measure is ``None``."""
        workers = self._workers()
        clock = time.time()
        columns: Columns = {
            "workers": [str(worker.name) for worker in workers],
            "age_seconds": _ages(clock, workers),
            "n_threads": [worker.nthreads for worker in workers],
            "processing": [len(worker.processing) for worker in workers],
            "memory_limit_bytes": [worker.memory_limit or None for worker in workers],
        }
        rows = [_row(worker.metrics or {}) for worker in workers]
        # The first entry of a row is its version.
        columns |= zip(COLUMNS, list(zip(*rows, strict=True))[1:], strict=False)
        return columns

    def _workers(self) -> list[WorkerState]:
        now = list(self._scheduler.workers.values())
        if now != self._known:
            self._known = now
            self._sorted = sorted(now, key=lambda worker: (len(str(worker.name)), str(worker.name)))
        return self._sorted


def _ages(clock: float, workers: Sequence[WorkerState]) -> list[float]:
    # Cut, not rounded: that takes a tenth of the time.
    if len(workers) > MANY:
        return [max(0, int(clock - worker.last_seen)) for worker in workers]
    return [max(0, int(10 * (clock - worker.last_seen))) / 10 for worker in workers]


def _row(metrics: Mapping[str, Any]) -> Sequence[Any]:
    row = metrics.get(METRIC)
    if isinstance(row, (list, tuple)) and len(row) == _ROW_LENGTH and row[0] == VERSION:
        return row
    return _foreign_row(metrics)


def _foreign_row(metrics: Mapping[str, Any]) -> Sequence[Any]:
    """Return what Dask itself measures, for a worker that has just started or has no gpucluster of this version.

    Three honest states of RMM: no pool figure (no RMM), a pool without a used figure (not tracked), both.
    """
    told = figures(metrics)
    cpu = told["cpu_percent"]
    columns = {
        "executing": _whole(told["executing"]),
        "cpu_percent": None if cpu is None else rounded(cpu, RATE_DIGITS),
        "memory_bytes": size(_whole(told["memory_bytes"])),
        # Dask's own figure is always 0 for CUDA workers, whose spilled results are elsewhere: not measured.
        "tier_disk_bytes": None if told["gpu_used_bytes"] is not None else size(_whole(told["spilled_bytes"])),
        "vram_total_bytes": size(_whole(told["gpu_total_bytes"])),
        "vram_used_bytes": size(_whole(told["gpu_used_bytes"])),
        "gpu_utilization_percent": _whole(told["gpu_utilization_percent"]),
        "rmm_pool_bytes": size(_whole(told["rmm_pool_bytes"]) or None),
        "rmm_used_bytes": size(_whole(told["rmm_used_bytes"]) or None),
    }
    return [VERSION, *map(columns.get, COLUMNS)]


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)

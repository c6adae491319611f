"""One worker's row, made anew for each heartbeat."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Callable
from typing import Any

from ..dask_internals.periodic_callbacks import heartbeat_seconds_of
from ..dask_internals.worker_state import has_nanny, recent_readings, task_counts
from .background import BackgroundReading
from .columns import COLUMNS, VERSION
from .device import DeviceReader, first_device
from .gpu_ownership import ClusterProcesses
from .rmm_memory import rmm_figures
from .rounding import MANY_SECONDS, RATE_DIGITS, coarse, rounded, size
from .tiers import Tiers
from .transfers import Transfers

logger = logging.getLogger("gpucluster.telemetry")


class WorkerReport:
    """What ``worker.metrics`` calls for each heartbeat.

    Parameters
    ----------
    worker : distributed.Worker
    host, supervisor
        Machine and process id of the cluster's supervisor.
    devices : bool
        Whether workers of this cluster have GPUs; a CPU worker on a machine with GPUs has none.
    """

    def __init__(self, worker: Any, *, host: str, supervisor: int, devices: bool) -> None:
        self._worker = worker
        self._machine = socket.gethostname().split(".")[0]
        self._device: BackgroundReading | None = None
        self._failing: set[str] = set()
        name = first_device(os.environ.get("CUDA_VISIBLE_DEVICES")) if devices else None
        if name is not None:
            processes = ClusterProcesses(host, supervisor, has_nanny=has_nanny(worker))
            self._device = BackgroundReading(DeviceReader(name, processes).read)
        self._transfers, tiers = Transfers(worker), Tiers(worker)
        self._parts: dict[str, Callable[[], dict[str, Any]]] = {
            "tasks": lambda: task_counts(worker),
            "host": self._host,
            "tiers": tiers.figures,
            "transfers": self._transfers.figures,
            "rmm": lambda: rmm_figures(worker),
        }

    async def __call__(self, worker: Any) -> list[Any]:
        """Return the row."""
        figures: dict[str, Any] = {}
        for name, part in self._parts.items():
            try:
                figures |= part()
            except Exception as error:
                # The other figures must come all the same; once is enough in the log.
                if name not in self._failing:
                    self._failing.add(name)
                    logger.warning("The figures of '%s' cannot be read (%s: %s)", name, type(error).__name__, error)
        if self._device is not None:
            figures |= await self._device.latest()
        if is_one_of_many(self._worker):
            figures = coarse(figures)
        return [VERSION, *map(figures.get, COLUMNS)]

    def close(self) -> None:
        """Measure no more."""
        self._transfers.stop()
        if self._device is not None:
            self._device.close()

    def _host(self) -> dict[str, Any]:
        recent = recent_readings(self._worker)
        cpu = recent.get("cpu")
        return {
            "host": self._machine,
            "cpu_percent": None if cpu is None else rounded(cpu, RATE_DIGITS),
            "memory_bytes": size(recent.get("memory")),
        }


def is_one_of_many(worker: Any) -> bool:
    """Whether the scheduler has told this worker to send heartbeats as seldom as in a large cluster."""
    seconds = heartbeat_seconds_of(worker)
    return seconds is not None and seconds > MANY_SECONDS

"""One worker's row, made anew for each heartbeat."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from typing import Any

from .background import BackgroundReading
from .columns import COLUMNS, VERSION
from .device import DeviceReader, first_device
from .gpu_ownership import Kin
from .precision import coarse, is_one_of_many
from .rmm_memory import rmm_figures
from .rounding import RATE_DIGITS, rounded, size
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
        self._device: BackgroundReading | None = None
        self._failing: set[str] = set()
        name = first_device(os.environ.get("CUDA_VISIBLE_DEVICES")) if devices else None
        if name is not None:
            kin = Kin(host, supervisor, has_nanny=worker.nanny is not None)
            self._device = BackgroundReading(DeviceReader(name, kin).read)
        transfers, tiers = Transfers(worker), Tiers(worker)
        self._parts: dict[str, Callable[[], dict[str, Any]]] = {
            "tasks": self._tasks,
            "host": self._host,
            "tiers": tiers.figures,
            "transfers": transfers.figures,
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
        if self._device is not None:
            self._device.close()

    def _tasks(self) -> dict[str, Any]:
        state = self._worker.state
        return {
            "executing": state.executing_count,
            "ready": len(state.ready) + len(state.constrained),
            "in_memory": len(self._worker.data),
        }

    def _host(self) -> dict[str, Any]:
        recent = self._worker.monitor.recent()
        cpu = recent.get("cpu")
        return {
            "cpu_percent": None if cpu is None else rounded(cpu, RATE_DIGITS),
            "memory_bytes": size(recent.get("memory")),
        }

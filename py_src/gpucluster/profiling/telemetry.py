"""Sums of a cluster's own telemetry while a cell runs: one sample a second."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from ..client.background import background_loop
from ..client.events import telemetry_lines
from ..protocol.errors import GPUClusterError
from ..protocol.models import Telemetry
from ..protocol.telemetry import TelemetrySample
from ..registry.record import Folder

PEAKS = ("device_index", "vram_used_bytes", "vram_total_bytes", "rmm_used_bytes", "rmm_pool_bytes",
         "gpu_power_limit_watts")  # fmt: skip
MEANS = ("gpu_utilization_percent", "gpu_power_watts")
_SPILLED = ("tier_host_bytes", "tier_disk_bytes", "cudf_spilled_bytes")
_LAST_SECONDS = 0.2


@dataclass
class WorkerTelemetry:
    """One worker's peaks and means."""

    peaks: dict[str, float] = field(default_factory=dict)
    sums: dict[str, tuple[float, int]] = field(default_factory=dict)
    spilled_first: float | None = None
    spilled_most: float | None = None

    def mean(self, name: str) -> float | None:
        total, count = self.sums.get(name, (0.0, 0))
        return total / count if count else None

    @property
    def spilled_growth(self) -> int | None:
        if self.spilled_first is None or self.spilled_most is None:
            return None
        return int(self.spilled_most - self.spilled_first)


class TelemetryReadings:
    """Sums over samples."""

    def __init__(self) -> None:
        self.workers: dict[str, WorkerTelemetry] = {}
        self.totals: list[tuple[float, float | None]] = []  # Time, and RMM used in the whole cluster.
        self.n_samples = 0
        self.others: list[float] = []  # Cores that other programs kept busy, by sample.
        self.machine_cores: int | None = None
        self.own_cores = 0.0  # Cores that this process kept busy.

    @property
    def others_cores(self) -> float | None:
        """Mean number of cores that programs other than the cluster and this process kept busy."""
        return max(0.0, sum(self.others) / len(self.others) - self.own_cores) if self.others else None

    def add(self, sample: TelemetrySample) -> None:
        self.n_samples += 1
        self.machine_cores = sample.host_cores
        if sample.host_others_cores is not None:
            self.others.append(sample.host_others_cores)
        columns = {name: sample.column(name) for name in (*PEAKS, *MEANS, *_SPILLED)}
        for place, name in enumerate(sample.workers):
            worker = self.workers.setdefault(name, WorkerTelemetry())
            measured = {
                column: value for column, values in columns.items() if (value := _number(values[place])) is not None
            }
            for peak in measured.keys() & PEAKS:
                worker.peaks[peak] = max(measured[peak], worker.peaks.get(peak, 0.0))
            for mean in measured.keys() & MEANS:
                total, count = worker.sums.get(mean, (0.0, 0))
                worker.sums[mean] = (total + measured[mean], count + 1)
            spilled = [measured[tier] for tier in _SPILLED if tier in measured]
            if spilled:
                worker.spilled_first = sum(spilled) if worker.spilled_first is None else worker.spilled_first
                worker.spilled_most = max(sum(spilled), worker.spilled_most or 0.0)
        used = [value for item in columns["rmm_used_bytes"] if (value := _number(item)) is not None]
        self.totals.append((datetime.fromisoformat(sample.at).timestamp(), sum(used) if used else None))


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) else None


class TelemetryListener:
    """Listens to one cluster's telemetry in the background."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._readings = TelemetryReadings()
        self._since = (time.perf_counter(), time.process_time())
        self._task: Future[None] = asyncio.run_coroutine_threadsafe(self._listen(), background_loop())

    async def _listen(self) -> None:
        with suppress(GPUClusterError):
            async for line in telemetry_lines(self._folder):
                with suppress(ValidationError, ValueError, IndexError):
                    self._readings.add(Telemetry.model_validate_json(line).sample)

    def stop(self) -> TelemetryReadings:
        """End, and return the readings."""
        wall, own = time.perf_counter() - self._since[0], time.process_time() - self._since[1]
        self._readings.own_cores = own / wall if wall > 0 else 0.0
        self._task.cancel()
        with suppress(BaseException):
            self._task.exception(_LAST_SECONDS)
        return self._readings

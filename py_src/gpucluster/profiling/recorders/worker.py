"""Record bytes in and out, spilling and memory of each worker while a cell is profiled.

It follows the worker's own logs of transfers, and reads the history of its monitor once, at the end.
"""

import heapq
import inspect
import os
import socket
from itertools import pairwise
from typing import Any, Literal

import psutil
from distributed import Worker, WorkerPlugin

from ...dask_internals.machine import n_cores
from ...dask_internals.workers.following import follow_sent_shards, follow_transfers
from ...dask_internals.workers.memory import disk_traffic_bytes, has_device_tiers
from ...dask_internals.workers.worker_state import (
    clock_delay,
    gpu_memory_bytes,
    memory_limit_bytes,
    metric,
    n_readings,
    plugin,
    readings_since,
    take_reading,
    task_threads,
)
from .imports import ImportTimes

MOST_TRANSFERS = 500


class TransferSums:
    """Sums of the results that one worker sends or receives."""

    def __init__(self, worker: Any, direction: Literal["incoming", "outgoing"]) -> None:
        self.worker_bytes = 0
        self.client_bytes = 0
        self.n_transfers = 0
        self.largest: list[tuple[int, float, float, str]] = []
        self._following = follow_transfers(worker, direction, self._add)

    @property
    def whole(self) -> bool:
        """Whether nothing was missed."""
        return self._following.whole

    def stop(self) -> None:
        self._following.stop()

    def _add(self, entry: dict[str, Any]) -> None:
        """Add up one transfer. A reader without an address is a client, or the scheduler on its behalf."""
        size = int(entry.get("total") or 0)
        if entry.get("who"):
            self.worker_bytes += size
        else:
            self.client_bytes += size
        self.n_transfers += 1
        item = (size, float(entry["start"]), float(entry["stop"]), str(entry.get("who") or ""))
        if len(self.largest) < MOST_TRANSFERS:
            heapq.heappush(self.largest, item)
        elif item > self.largest[0]:
            heapq.heapreplace(self.largest, item)


class ShuffledBytes:
    """Bytes that shuffles of the worker at an address send to others; a process may run several workers."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._n_bytes = 0
        self._following = follow_sent_shards(self._add)

    @property
    def n_bytes(self) -> int | None:
        """None if unknown: an unsupported Dask, or another program has replaced the hook."""
        return self._n_bytes if self._following is not None and self._following.whole else None

    def stop(self) -> None:
        if self._following is not None:
            self._following.stop()

    def _add(self, source: str, target: str, n_bytes: int) -> None:
        if source == self._address != target:
            self._n_bytes += n_bytes


MOST_READINGS = 600


class WorkerRecorder(WorkerPlugin):
    """Records one worker, as a plugin of this name."""

    def __init__(self, name: str) -> None:
        self.name = name

    def setup(self, worker: Worker) -> None:
        self._worker = worker
        self._incoming = TransferSums(worker, "incoming")
        self._outgoing = TransferSums(worker, "outgoing")
        self._shuffles = ShuffledBytes(worker.address)
        self._written = disk_traffic_bytes(worker, "disk-write")
        self._read = disk_traffic_bytes(worker, "disk-read")
        self._rmm: list[dict[str, Any]] = []
        self._imports = ImportTimes(lambda: task_threads(worker))
        self._machine_times = psutil.cpu_times()
        self._process_times = psutil.Process().cpu_times()
        self._read_monitor()
        self._n_readings = n_readings(worker) - 1

    def teardown(self, worker: Worker) -> None:
        for part in (self._incoming, self._outgoing, self._shuffles, self._imports):
            part.stop()

    def _read_monitor(self) -> None:
        """Take a reading now: a short cell may fall between two of the monitor's own."""
        try:
            take_reading(self._worker)
        except Exception:
            # The device's driver has failed; the monitor's own readings fail, too, and are shown as absent.
            return

    def begin(self) -> None:
        """Start measuring now: the recorder's own imports are done."""
        self._imports.begin()
        self._machine_times = psutil.cpu_times()
        self._process_times = psutil.Process().cpu_times()

    async def read_rmm(self) -> None:
        read: Any = metric(self._worker, "rmm")
        if read is None:
            return
        try:
            value = read(self._worker)
            if inspect.isawaitable(value):
                value = await value
        except Exception:
            # As in the heartbeat itself: a figure that cannot be read is absent.
            return
        if isinstance(value, dict):
            self._rmm.append(value)

    def collect(self) -> dict[str, Any]:
        """Return everything, in plain types."""
        worker = self._worker
        self._read_monitor()
        history = readings_since(worker, self._n_readings)
        delay, process = clock_delay(worker), psutil.Process().cpu_times()
        readings: dict[str, list[Any]] = {"time": [moment + delay for moment in history["time"] if moment is not None]}
        for name, source in (
            ("cpu", "cpu"),
            ("memory", "memory"),
            ("gpu_utilization", "gpu_utilization"),
            ("vram_used", "gpu_memory_used"),
        ):
            if source in history:
                readings[name] = history[source]
        return {
            "name": str(worker.name),
            "n_readings": len(readings["time"]),
            "readings": thinned(readings, MOST_READINGS),
            "rmm": self._rmm,
            "machine": socket.gethostname(),
            "n_cores": n_cores(),
            "cpu_seconds": process.user + process.system - self._process_times.user - self._process_times.system,
            "import_seconds": self._imports.seconds(),
            "import_seconds_between_tasks": self._imports.seconds_between_tasks(),
            "machine_busy_share": _busy_share(self._machine_times, psutil.cpu_times()),
            "vram_total_bytes": gpu_memory_bytes(worker),
            "memory_limit_bytes": memory_limit_bytes(worker),
            "sent_bytes": self._outgoing.worker_bytes if self._outgoing.whole else None,
            "client_bytes": self._outgoing.client_bytes if self._outgoing.whole else None,
            "received_bytes": self._incoming.worker_bytes if self._incoming.whole else None,
            "n_received": self._incoming.n_transfers if self._incoming.whole else None,
            "shuffled_bytes": self._shuffles.n_bytes,
            "transfers": sorted((start, stop, size, who) for size, start, stop, who in self._incoming.largest),
            "client_transfers": sorted(
                (start, stop, size) for size, start, stop, who in self._outgoing.largest if not who
            ),
            "written_bytes": disk_traffic_bytes(worker, "disk-write") - self._written,
            "read_bytes": disk_traffic_bytes(worker, "disk-read") - self._read,
            # With DeviceHostFile, Dask does not count movements between the tiers.
            "counts_spilling": not has_device_tiers(worker),
        }


def _busy_share(before: Any, after: Any) -> float | None:
    """Return the share of time in which the cores of this machine were busy, with any program."""
    spent = {name: getattr(after, name) - getattr(before, name) for name in after._fields}
    # Linux counts guest time twice.
    total = sum(spent.values()) - spent.get("guest", 0.0) - spent.get("guest_nice", 0.0)
    idle: float = spent["idle"] + spent.get("iowait", 0.0)
    return 1 - idle / total if total > 0 else None


def thinned(readings: dict[str, list[Any]], most: int) -> dict[str, list[Any]]:
    """Reduce the number of readings: the maximum of each group for memory, the mean for utilization."""
    count = len(readings["time"])
    if count <= most:
        return readings
    edges = [round(place * count / most) for place in range(most + 1)]

    def group(name: str, values: list[Any]) -> Any:
        known = [value for value in values if value is not None]
        if not known:
            return None
        if name == "time":
            return known[-1]
        return sum(known) / len(known) if name in ("cpu", "gpu_utilization") else max(known)

    return {name: [group(name, values[low:high]) for low, high in pairwise(edges)] for name, values in readings.items()}


async def begin(name: str, dask_worker: Any) -> None:
    """Read what is not in the monitor's history, at the start."""
    recorder: WorkerRecorder | None = plugin(dask_worker, name)
    if recorder is not None:
        await recorder.read_rmm()
        recorder.begin()


async def finish(name: str, dask_worker: Any) -> dict[str, Any] | None:
    recorder: WorkerRecorder | None = plugin(dask_worker, name)
    if recorder is None:
        return None
    await recorder.read_rmm()
    return recorder.collect()


def process_facts() -> tuple[str, dict[str, str]]:
    """Return the machine of this process, and the environment variables that Nsight Systems sets."""
    names = ("NSYS_PROFILING_SESSION_ID", "LD_PRELOAD", "CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH")
    return socket.gethostname(), {name: os.environ[name] for name in names if name in os.environ}

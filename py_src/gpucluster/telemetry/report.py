"""One worker's row, made for each heartbeat.

RMM has three states: not used, a pool without a count, a count. A worker allocates through a chain of memory resources,
each on top of the next: adaptors that count or limit, a pool, CUDA itself. A counter below the pool counts the pool,
not what is used of it.

Dask keeps the total of results sent. For results received it only keeps a log of the last ones, and for shuffles
nothing.
"""

from __future__ import annotations

import logging
import os
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from ..dask_internals.periodic_callbacks import heartbeat_seconds_of
from ..dask_internals.workers import memory
from ..dask_internals.workers.following import follow_received_shards, follow_sent_shards, follow_transfers, sent_bytes
from ..dask_internals.workers.worker_state import has_nanny, recent_readings, rmm_pool_maximum, task_counts
from .columns import COLUMNS, MANY_SECONDS, RATE_DIGITS, VERSION, coarse, rounded, size
from .device import BackgroundReading, ClusterProcesses, DeviceReader, first_device

AT_REST = {
    "after_seconds": 5.0,
    "profile_seconds": 0.5,
    "memory_seconds": 0.5,
    "figures_seconds": 1.0,
    "tick_seconds": 1.0,
}
"""Intervals of a worker's measurements while it has nothing to do. They are nearly all of its work at rest: 1.4 % of a
core for a CPU worker, and a class has thirty. Longer intervals of a site stay.

Figures are measured as often as heartbeats report them. Dask complains of an event loop that is three seconds late; for
workers that are not the cluster's own processes it measures 50 times a second, which was 1 % of a core."""


class Transfers:
    """Counts the transfers of one worker from now on."""

    def __init__(self, worker: Any) -> None:
        self._worker = worker
        self._address = worker.address
        self._received = self._sent_shards = self._received_shards = 0
        self._results = follow_transfers(worker, "incoming", self._add_received)
        shards = [follow_sent_shards(self._add_sent_shards), follow_received_shards(worker, self._add_received_shards)]
        self._counts_shuffles = None not in shards
        self._following = [self._results, *(one for one in shards if one is not None)]

    def figures(self) -> dict[str, int | None]:
        """Return both counters; bytes received are unknown once the worker's log was replaced."""
        sent, received = sent_bytes(self._worker), self._received
        if self._counts_shuffles:
            sent += self._sent_shards
            received += max(0, self._received_shards)
        return {"sent_bytes": sent, "received_bytes": received if self._results.whole else None}

    def stop(self) -> None:
        for following in self._following:
            following.stop()

    def _add_received(self, entry: dict[str, Any]) -> None:
        self._received += int(entry.get("total") or 0)

    def _add_sent_shards(self, source: str, target: str, n_bytes: int) -> None:
        if source != self._address:
            return  # Several workers may be threads of one process.
        if target == self._address:
            self._received_shards -= n_bytes  # It will be counted as received, but has not moved.
        else:
            self._sent_shards += n_bytes

    def _add_received_shards(self, n_bytes: int) -> None:
        self._received_shards += n_bytes


_LONGEST_CHAIN = 32


def rmm_figures(worker: Any) -> dict[str, int | None]:
    """Return used, pool and maximum bytes; nothing if the worker has not imported RMM."""
    rmm = sys.modules.get("rmm")
    if rmm is None:
        return {}
    used: int | None = None
    pool: int | None = None
    maximum: int | None = None
    for resource in _chain(rmm.mr.get_current_device_resource()):
        kind = type(resource).__name__
        if kind == "PoolMemoryResource":
            pool = int(resource.pool_size())
            maximum = maximum if maximum is not None else _pool_maximum(worker)
        elif kind == "LimitingResourceAdaptor":
            maximum = int(resource.get_allocation_limit())
        if pool is None:
            # The lowest counter has counted the longest: one added later misses earlier allocations.
            allocated = _allocated(resource)
            used = used if allocated is None else allocated
    return {"rmm_used_bytes": size(used), "rmm_pool_bytes": size(pool), "rmm_maximum_bytes": size(maximum)}


def _chain(resource: Any) -> Iterator[Any]:
    for _ in range(_LONGEST_CHAIN):
        if resource is None:
            return
        yield resource
        upstream = getattr(resource, "get_upstream", None)
        resource = upstream() if callable(upstream) else getattr(resource, "upstream_mr", None)


def _allocated(resource: Any) -> int | None:
    """Return the bytes that this resource has allocated, if it counts them."""
    if hasattr(resource, "get_allocated_bytes"):
        return int(resource.get_allocated_bytes())
    counts = getattr(resource, "allocation_counts", None)
    if counts is None:
        return None
    # A data class since RMM 24.06, a mapping before.
    current = counts["current_bytes"] if isinstance(counts, dict) else counts.current_bytes
    return int(current)


def _pool_maximum(worker: Any) -> int | None:
    with suppress(TypeError, ValueError):
        return int(rmm_pool_maximum(worker))
    return None


class Tiers:
    def __init__(self, worker: Any) -> None:
        self._worker = worker
        self._files: dict[str, int] = {}

    def figures(self) -> dict[str, int | None]:
        figures = self._with_device() if memory.has_device_tiers(self._worker) else self._host_only()
        return {column: size(value) for column, value in figures.items()} | _cudf_spilled()

    def _host_only(self) -> dict[str, float | None]:
        known = memory.managed_bytes(self._worker)
        spilled = memory.spilled_bytes(self._worker)
        if spilled is None:
            # No spilling: all results are in host memory, or in a store that reports nothing.
            held = known if memory.keeps_in_memory(self._worker) else None
            return {"managed_bytes": known, "tier_host_bytes": held, "tier_disk_bytes": None}
        held = max(0, known - spilled.memory)
        return {"managed_bytes": held, "tier_host_bytes": held, "tier_disk_bytes": spilled.disk}

    def _with_device(self) -> dict[str, float | None]:
        host = memory.tier_bytes(self._worker, "host")
        return {
            "managed_bytes": host,
            "tier_device_bytes": memory.tier_bytes(self._worker, "device"),
            "tier_device_limit_bytes": memory.device_tier_limit_bytes(self._worker),
            "tier_host_bytes": host,
            "tier_disk_bytes": self._disk_bytes(),
        }

    def _disk_bytes(self) -> int | None:
        """Return the total size of the files with spilled results. Files never change, so each is checked once."""
        paths = memory.spilled_files(self._worker)
        if paths is None:
            return None
        for gone in self._files.keys() - paths:
            del self._files[gone]
        for new in paths - self._files.keys():
            with suppress(OSError):  # It was read back, and deleted, meanwhile.
                self._files[new] = os.stat(new).st_size
        return sum(self._files.values())


def _cudf_spilled() -> dict[str, int | None]:
    """Return the bytes that cuDF itself has moved out of GPU memory and not yet back."""
    module = sys.modules.get("cudf.core.buffer.spill_manager")
    manager = module.get_global_manager() if module is not None else None
    if manager is None:
        return {}
    # Not its statistics, which still count what was deleted while in host memory.
    return {"cudf_spilled_bytes": size(sum(buffer.size for buffer in manager.buffers() if buffer.is_spilled))}


logger = logging.getLogger("gpucluster.telemetry")


class WorkerReport:
    """The metric that a worker calls for each heartbeat. ``devices``: whether workers of this cluster have GPUs."""

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
        figures: dict[str, Any] = {}
        for name, part in self._parts.items():
            try:
                figures |= part()
            except Exception as error:
                # A failure must not affect the other figures; it is logged once.
                if name not in self._failing:
                    self._failing.add(name)
                    logger.warning("The metrics of '%s' cannot be read (%s: %s)", name, type(error).__name__, error)
        if self._device is not None:
            figures |= await self._device.latest()
        if is_one_of_many(self._worker):
            figures = coarse(figures)
        return [VERSION, *map(figures.get, COLUMNS)]

    def close(self) -> None:
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
    """Whether the scheduler has set this worker's heartbeats to be as rare as in a large cluster."""
    seconds = heartbeat_seconds_of(worker)
    return seconds is not None and seconds > MANY_SECONDS

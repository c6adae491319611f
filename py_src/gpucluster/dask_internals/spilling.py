"""Where a worker holds its results: in GPU memory, in host memory, on disk.

With dask-cuda's ``DeviceHostFile`` Dask's own figures are wrong: they count results in GPU memory as host memory, and
show nothing as spilled, ever.
"""

from __future__ import annotations

import os
from typing import Any, Literal, NamedTuple


class SpilledBytes(NamedTuple):
    """What is on disk: as it was in memory, and as it lies there."""

    memory: int
    disk: int


def managed_bytes(worker: Any) -> int:
    """Return the bytes of all results of a worker, wherever they are.

    Relies on ``Worker.state.nbytes`` (2022.6).
    """
    return int(worker.state.nbytes)


def spilled_bytes(worker: Any) -> SpilledBytes | None:
    """Return what a worker of Dask has spilled; None where it does not spill, or into a store of somebody else's.

    Relies on ``Worker.data`` being a ``distributed.spill.SpillBuffer`` with ``spilled_total`` (2022.2).
    """
    found = getattr(worker.data, "spilled_total", None)
    return None if found is None else SpilledBytes(int(found.memory), int(found.disk))


def keeps_in_memory(worker: Any) -> bool:
    """Whether a worker keeps all results in host memory: its ``data`` is a plain dictionary (2021.1)."""
    return isinstance(worker.data, dict)


def disk_traffic_bytes(worker: Any, action: Literal["disk-write", "disk-read"]) -> float:
    """Return the bytes that spilling has written or read since the worker's start; a shuffle's own files do not count.

    Relies on ``Server.digests_total``, a dictionary in which spilling has keys ``(…, action, "bytes")`` and shuffles
    have keys that begin with ``"p2p"`` (2023.9).
    """
    total = 0.0
    for key, value in list(worker.digests_total.items()):
        if isinstance(key, tuple) and key[0] != "p2p" and action in key and key[-1] == "bytes":
            total += value
    return total


def has_device_tiers(worker: Any) -> bool:
    """Whether a worker's results are in a ``DeviceHostFile`` (its ``device_buffer`` and ``host_buffer``, 24.02)."""
    return hasattr(worker.data, "device_buffer") and hasattr(worker.data, "host_buffer")


def tier_bytes(worker: Any, tier: Literal["device", "host"]) -> float | None:
    """Return the bytes of results in one tier of a ``DeviceHostFile``; None where it does not tell.

    Relies on a tier being either a dictionary, of whose keys ``Worker.state.tasks`` knows the sizes, or a zict buffer
    whose ``fast`` counts in ``total_weight`` (dask-cuda 24.02, zict 3).
    """
    buffer = getattr(worker.data, f"{tier}_buffer", None)
    if isinstance(buffer, dict):
        tasks = worker.state.tasks
        return sum(tasks[key].nbytes or 0 for key in list(buffer) if key in tasks)
    weight: float | None = getattr(getattr(buffer, "fast", None), "total_weight", None)
    return weight


def device_tier_limit_bytes(worker: Any) -> float | None:
    """Return how much of a device results may take: ``DeviceHostFile.device_buffer.n`` (zict 3)."""
    limit: float | None = getattr(worker.data.device_buffer, "n", None)
    return limit


def spilled_files(worker: Any) -> set[str] | None:
    """Return the paths of the files that hold spilled results of a ``DeviceHostFile``; None where it writes none.

    Relies on ``DeviceHostFile.disk``, a zict file with ``filenames``, and ``DeviceHostFile.disk_func_path``
    (dask-cuda 24.02, zict 3).
    """
    data = worker.data
    if data.disk is None:
        return None
    return {os.path.join(data.disk_func_path, name) for name in list(data.disk.filenames.values())}


class _SpillLimit(int):
    """A number of bytes that remembers whether what it was compared with last was more."""

    refused = False

    def __lt__(self, other: int) -> bool:
        self.refused = int(self) < other
        return self.refused

    __hash__ = int.__hash__


def bound_spilling(worker: Any, limit_bytes: int | None) -> bool:
    """Let a worker have no more than so many bytes on disk; returns whether it spills in a way that can be bounded.

    What is beyond it stays in memory; Dask says so in the log, and pauses the worker when its memory is almost full.
    Relies on ``SpillBuffer.disk`` being a zict cache over ``distributed.spill.Slow``, whose ``max_weight`` is what
    ``distributed.worker.memory.max-spill`` says, a number or ``False``, and which asks for each result whether what
    would be on disk then is ``> max_weight`` (2022.2, zict 3).
    """
    slow = getattr(getattr(worker.data, "disk", None), "data", None)
    if slow is None or not hasattr(slow, "max_weight"):
        return False
    slow.max_weight = False if limit_bytes is None else _SpillLimit(limit_bytes)
    return True


def spills_no_more(worker: Any) -> bool:
    """Whether the last result that a worker wanted to spill did not fit into what ``bound_spilling`` allows."""
    slow = getattr(getattr(worker.data, "disk", None), "data", None)
    limit = getattr(slow, "max_weight", None)
    return isinstance(limit, _SpillLimit) and limit.refused

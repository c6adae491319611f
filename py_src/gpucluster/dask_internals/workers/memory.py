"""A worker's memory: where its results are (GPU memory, host memory, disk), and lower limits while it runs.

With dask-cuda's ``DeviceHostFile`` Dask's own figures are wrong: they count results in GPU memory as host memory, and
never show anything as spilled. A memory limit is stored in four places: the cluster's plan of future workers, the
nanny, the worker, the scheduler."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ..spec_cluster import made, uncounted

if TYPE_CHECKING:
    from distributed import Scheduler, SpecCluster, Worker


class SpilledBytes(NamedTuple):
    """Spilled results: their size in memory, and on disk."""

    memory: int
    disk: int


def managed_bytes(worker: Any) -> int:
    """Return the bytes of all results of a worker, wherever they are: ``Worker.state.nbytes`` (2022.6)."""
    return int(worker.state.nbytes)


def spilled_bytes(worker: Any) -> SpilledBytes | None:
    """Return what a worker of Dask has spilled; None if it does not spill, or to another kind of store.

    Relies on ``Worker.data`` being a ``distributed.spill.SpillBuffer`` with ``spilled_total`` (2022.2).
    """
    found = getattr(worker.data, "spilled_total", None)
    return None if found is None else SpilledBytes(int(found.memory), int(found.disk))


def keeps_in_memory(worker: Any) -> bool:
    """Whether a worker keeps all results in host memory: its ``data`` is a plain dictionary (2021.1)."""
    return isinstance(worker.data, dict)


def disk_traffic_bytes(worker: Any, action: Literal["disk-write", "disk-read"]) -> float:
    """Return the bytes that spilling has written or read since the worker's start, without the files of shuffles.

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
    """Return the bytes of results in one tier of a ``DeviceHostFile``; None if unknown.

    Relies on a tier being either a dictionary, of whose keys ``Worker.state.tasks`` knows the sizes, or a zict buffer
    whose ``fast`` counts in ``total_weight`` (dask-cuda 24.02, zict 3).
    """
    buffer = getattr(worker.data, f"{tier}_buffer", None)
    if isinstance(buffer, dict):
        tasks = worker.state.tasks
        return sum(tasks[key].nbytes or 0 for key in list(buffer) if key in tasks)
    return getattr(getattr(buffer, "fast", None), "total_weight", None)


def device_tier_limit_bytes(worker: Any) -> float | None:
    """Return how many bytes of a device results may take: ``DeviceHostFile.device_buffer.n`` (zict 3)."""
    return getattr(worker.data.device_buffer, "n", None)


def spilled_files(worker: Any) -> set[str] | None:
    """Return the paths of the files that hold spilled results of a ``DeviceHostFile``; None if it writes none.

    Relies on ``DeviceHostFile.disk``, a zict file with ``filenames``, and ``DeviceHostFile.disk_func_path``
    (dask-cuda 24.02, zict 3).
    """
    data = worker.data
    if data.disk is None:
        return None
    return {os.path.join(data.disk_func_path, name) for name in list(data.disk.filenames.values())}


_GUARD = "gpucluster_spill_guard"
_PAUSE = "memory_pause_fraction"
_FRACTIONS = ("memory_target_fraction", "memory_spill_fraction", _PAUSE)


class _SpillLimit(int):
    """A number of bytes that remembers whether the last value compared with it was larger."""

    refused = False
    compared = 0
    guard: _Guard | None = None

    def __lt__(self, other: int) -> bool:
        self.compared = other
        self.refused = int(self) < other
        return self.refused

    __hash__ = int.__hash__

    def __reduce__(self) -> tuple[type[int], tuple[int]]:
        return int, (int(self),)


class _Guard:
    """Pauses a worker that can spill nothing more while it has memory left to read and send results.

    Reading takes up to twice the size of a result. Dask pauses at 80 % of the memory, and running tasks continue: with
    large results a worker exceeds 95 %, and its nanny ends it. So while scratch is nearly full, a worker spills and
    pauses earlier, depending on the size of its results.

    Relies on ``WorkerMemoryManager._maybe_pause_or_unpause(worker, memory)``, called at each memory check and
    before it spills; on ``memory_limit`` and the fractions ``memory_target_fraction``, ``memory_spill_fraction`` and
    ``memory_pause_fraction``, read at each check; on ``SpillBuffer.fast`` being a zict LRU that asks its ``weight`` for
    the size of each new result, and evicts ``next(iter(heavy or order))``; on ``SpillBuffer.evict()``, which
    returns -1 if nothing could be evicted; on ``SpillBuffer.slow_to_fast(key)``, by which results come back, into
    ``fast`` before others are evicted; and on ``Worker.monitor.get_process_memory()`` (2024.1, zict 3).
    """

    def __init__(self, worker: Any, slow: Any) -> None:
        import dask

        self._worker, self._slow = worker, slow
        self._data, self._manager = worker.data, worker.memory_manager
        self._usual = {name: getattr(self._manager, name) for name in _FRACTIONS}
        self._terminate: float = dask.config.get("distributed.worker.memory.terminate") or 1.0
        self._largest = 0  # Bytes of a large result; decays slowly.
        self._looks_soon = False
        self._unfit: tuple[Any, int] | None = None  # The result that did not fit on disk, and the bytes it needs there.
        self.limit: _SpillLimit | None = None
        self._weigh, self._evict = self._data.fast.weight, self._data.evict
        self._pause_or_unpause = self._manager._maybe_pause_or_unpause
        self._data.fast.weight, self._data.evict = self._note, self._evict_what_fits
        self._restore, self._data.slow_to_fast = self._data.slow_to_fast, self._read
        self._manager._maybe_pause_or_unpause = self._look

    @property
    def _on_disk(self) -> int:
        return int(self._slow.total_weight.disk)

    def lacks(self, size: int) -> bool:
        """Whether that many bytes may not fit on the disk."""
        return self.limit is not None and self._on_disk + size > int(self.limit)

    @property
    def is_full(self) -> bool:
        """Whether the next result may not fit."""
        return self.lacks(self._largest)

    @property
    def _bytes_at_work(self) -> int:
        """Bytes of results that are being computed, read and sent, and of the one that did not fit."""
        return self._largest * (int(self._worker.state.nthreads) + 3)

    def _note(self, key: Any, value: Any) -> int:
        size: int = self._weigh(key, value)
        self._largest = max(size, int(0.9 * self._largest))
        if self.is_full and not self._looks_soon:  # Dask checks ten times a second.
            self._looks_soon = True
            self._worker.loop.add_callback(self._look_now)
        return size

    def _look_now(self) -> None:
        self._looks_soon = False
        self._manager._maybe_pause_or_unpause(self._worker, self._worker.monitor.get_process_memory())

    def _look(self, worker: Any, memory: int) -> None:
        at_work, limit = self._bytes_at_work, self._manager.memory_limit
        earlier = max(0.01, self._terminate - at_work / limit)
        soon_full = self.lacks(2 * at_work)
        for name, usual in self._usual.items():
            soon = self.is_full if name == _PAUSE else soon_full
            setattr(self._manager, name, min(usual, earlier) if usual and soon and self._data.fast else usual)
        self._pause_or_unpause(worker, memory)

    def _read(self, key: Any) -> Any:
        """Read a result from the disk, and leave it there if another one would have to be spilled for it.

        In Dask this fails if that does not fit, or the disk is full, and the result counts as lost.
        """
        if self.lacks(2 * self._bytes_at_work):
            return self._data.slow[key]
        try:
            return self._restore(key)
        except Exception:
            if key in self._data.fast:
                return self._data.fast[key]
            raise

    def _evict_what_fits(self) -> int:
        """Evict as usual, but do not pickle again what did not fit, as that takes memory, too."""
        fast = self._data.fast
        key = next(iter(fast.heavy or fast.order), None)
        if self._unfit is not None and self._unfit[0] == key and self.lacks(self._unfit[1]):
            return -1
        self._unfit = None
        size: int = self._evict()
        if size == -1 and self.limit is not None and self.limit.refused:
            self._unfit = (key, self.limit.compared - self._on_disk)
        return size


def bound_spilling(worker: Any, limit_bytes: int | None) -> bool:
    """Limit a worker's bytes on disk; returns whether it spills in a way that can be limited.

    Results beyond the limit stay in memory; Dask logs that, and the worker is paused while it still has memory to
    send its results to others. Relies on ``SpillBuffer.disk`` being a zict cache over ``distributed.spill.Slow``, whose
    ``max_weight`` is the setting ``distributed.worker.memory.max-spill``, a number or ``False``, and which checks for
    each result whether the new total on disk would be ``> max_weight`` (2022.2, zict 3).
    """
    slow = getattr(getattr(worker.data, "disk", None), "data", None)
    if slow is None or not hasattr(slow, "max_weight"):
        return False
    limit = None if limit_bytes is None else _SpillLimit(limit_bytes)
    slow.max_weight = False if limit is None else limit
    guard: _Guard | None = getattr(worker, _GUARD, None)
    manager = getattr(worker, "memory_manager", None)
    if guard is None and manager is not None:
        guard = _Guard(worker, slow)
        setattr(worker, _GUARD, guard)
    if guard is not None:
        guard.limit = limit
        if limit is not None:
            limit.guard = guard
    return True


def spills_no_more(worker: Any) -> bool:
    """Whether the last result that a worker wanted to spill exceeded its limit, or the next one may."""
    slow = getattr(getattr(worker.data, "disk", None), "data", None)
    limit = getattr(slow, "max_weight", None)
    if not isinstance(limit, _SpillLimit):
        return False
    return limit.refused or (limit.guard is not None and limit.guard.is_full)


CALM_SHARE = 0.8  # A nanny gets its new limit when its worker uses less than this fraction of it.


def lower_planned_limit(cluster: SpecCluster, limit_bytes: int) -> None:
    """Set a lower limit for workers that start from now on.

    Relies on ``SpecCluster.new_spec`` and ``SpecCluster.worker_spec``, whose ``options`` are the arguments of the nanny
    (2021.1).
    """
    for spec in (cluster.new_spec, *cluster.worker_spec.values()):
        spec["options"]["memory_limit"] = limit_bytes


def lower_known_limits(scheduler: Scheduler, limit_bytes: int) -> None:
    """Update the limits that the scheduler knows, which workers report only when they connect.

    Relies on ``WorkerState.memory_limit`` and ``Scheduler.total_memory``, the sum of them (2021.1).
    """
    for worker in scheduler.workers.values():
        if worker.memory_limit > limit_bytes:
            scheduler.total_memory -= worker.memory_limit - limit_bytes
            worker.memory_limit = limit_bytes


def lower_nanny_limits(cluster: SpecCluster, limit_bytes: int, resident: Callable[[int], int]) -> bool:
    """Lower the limit at which nannies end their worker, unless it still uses too much; return whether all are lowered.

    The next process that any of these nannies starts has the new limit.

    Relies on ``NannyMemoryManager.memory_limit``, on ``Nanny.process.process.pid`` (2022.6), and on ``Nanny.process``
    being restarted with its ``worker_kwargs``, which have the limit from when it was made.

    `resident`: returns the memory of a process; raises ``OSError`` when it has ended.
    """
    all_low = True
    for nanny in (*made(cluster).values(), *uncounted(cluster)):
        manager = getattr(nanny, "memory_manager", None)
        if manager is None or not manager.memory_limit:
            continue
        if (arguments := getattr(nanny.process, "worker_kwargs", None)) is not None:
            arguments["memory_limit"] = min(arguments["memory_limit"] or limit_bytes, limit_bytes)
        if manager.memory_limit <= limit_bytes:
            continue
        try:
            used = resident(nanny.process.process.pid)
        except (OSError, AttributeError, TypeError):  # There is no process.
            used = 0
        if used < CALM_SHARE * limit_bytes:
            manager.memory_limit = limit_bytes
        else:
            all_low = False
    return all_low


def lower_worker_limit(worker: Worker, limit_bytes: int) -> None:
    """Lower the limit for a worker's spilling, pausing and transfers; does nothing where it is lower already.

    Relies on ``WorkerMemoryManager.memory_limit`` and ``memory_target_fraction``, read at each memory check; on
    the ``n`` of ``Worker.data`` where that is a ``SpillBuffer``, a zict buffer; on the ``host_buffer`` of dask-cuda's
    ``DeviceHostFile``, whose ``n`` is the limit; on ``Worker.state.transfer_incoming_bytes_limit`` (2023.6, zict 3).
    """
    host_buffer: Any = getattr(worker.data, "host_buffer", None)
    if hasattr(host_buffer, "n"):  # It may have the old limit even if the worker itself has the new one.
        host_buffer.n = min(host_buffer.n, limit_bytes)
    manager = worker.memory_manager
    before = manager.memory_limit
    if not before or before <= limit_bytes:
        return
    manager.memory_limit = limit_bytes
    worker.state.transfer_incoming_bytes_limit *= limit_bytes / before
    if hasattr(worker.data, "evict") and hasattr(worker.data, "n"):
        worker.data.n = int(worker.data.n * limit_bytes / before)

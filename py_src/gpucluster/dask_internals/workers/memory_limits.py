"""Lower the memory limit of running workers.

A limit is stored in four places: the cluster's plan of future workers, the nanny, the worker, the scheduler.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..spec_cluster import made, uncounted

if TYPE_CHECKING:
    from distributed import Scheduler, SpecCluster, Worker

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

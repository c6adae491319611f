"""``distributed.SpecCluster``: the workers that it should have, those that it has made, and how it gets there.

The fields are those of ``distributed.deploy.spec`` since 2021.1; they are attributes without documentation.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from .statuses import has_failed, has_not_started, is_closed

if TYPE_CHECKING:
    from distributed import Scheduler, SpecCluster


def use_scheduler_class(cluster: SpecCluster, cls: type[Scheduler]) -> None:
    """Set the scheduler class of a cluster that has not started: ``SpecCluster.scheduler_spec["cls"]``."""
    cluster.scheduler_spec["cls"] = cls


def scheduler_of(cluster: SpecCluster) -> Scheduler:
    """Return the scheduler of a started cluster, which runs in this process: ``SpecCluster.scheduler``."""
    scheduler: Scheduler | None = cluster.scheduler
    assert scheduler is not None
    return scheduler


def planned(cluster: SpecCluster) -> list[Any]:
    """Return the keys of the workers that the cluster should have, oldest first: ``SpecCluster.worker_spec``."""
    return list(cluster.worker_spec)


def remove_from_plan(cluster: SpecCluster, names: Iterable[str]) -> None:
    """Remove workers from the plan by name; they stay until ``reconcile``: ``SpecCluster.worker_spec``."""
    leaving = set(names)
    for key in [key for key in cluster.worker_spec if str(key) in leaving]:
        del cluster.worker_spec[key]


def made(cluster: SpecCluster) -> dict[Any, Any]:
    """Return the workers (nannies) that the cluster counts as its own, by key: ``SpecCluster.workers``."""
    return dict(cluster.workers)


def uncount(cluster: SpecCluster, key: Any) -> Any:
    """Remove a worker (nanny) from those that the cluster counts, and return it, or None: ``SpecCluster.workers``."""
    return cluster.workers.pop(key, None)


def uncounted(cluster: SpecCluster) -> list[Any]:
    """Return the workers (nannies) that were made and are not closed, but that the cluster does not count yet.

    Relies on ``SpecCluster._created``, all that were ever made, and on ``SpecCluster.workers`` being filled only when
    all that were made together have started, or failed to.
    """
    counted = set(map(id, cluster.workers.values()))
    return [worker for worker in list(cluster._created) if id(worker) not in counted and not is_closed(worker)]


def coming(cluster: SpecCluster) -> list[Any]:
    """Return the uncounted workers that may still arrive."""
    return [worker for worker in uncounted(cluster) if not has_failed(worker)]


def count_all(cluster: SpecCluster) -> None:
    """Let ``cluster.close`` also close the workers that a cancelled start has made but not yet counted.

    Relies on ``SpecCluster.close`` closing what is in ``SpecCluster.workers`` and not in ``worker_spec``.
    """
    for worker in uncounted(cluster):
        cluster.workers.setdefault(worker.name, worker)


def failed(cluster: SpecCluster) -> dict[Any, BaseException]:
    """Return workers that could not start, with the reasons: ``Server.__startup_exc`` (2022.6), mangled, not logged."""
    failures: dict[Any, BaseException] = {}
    for key, worker in made(cluster).items():
        if has_failed(worker):
            error = getattr(worker, "_Server__startup_exc", None)
            failures[key] = error or RuntimeError("the worker process exited during startup; see the log")
    return failures


def reconcile(cluster: SpecCluster) -> asyncio.Future[Any]:
    """Let the cluster start and close workers until it has those that it should have.

    Relies on ``SpecCluster._correct_state()``, which returns a task, and the same one until that has begun.
    """
    return cluster._correct_state()


def decisions_of(adaptive: Any) -> list[tuple[float, dict[str, Any]]]:
    """Return the decisions of adaptive scaling, oldest first: when, and how many workers or which.

    Relies on ``Adaptive.log`` holding times and dictionaries with ``status``, ``n`` and ``workers`` (2021.1).
    """
    return [(float(at), dict(what)) for at, what in list(adaptive.log)]


def stop_adapting(cluster: SpecCluster) -> None:
    """End adaptive scaling, if it is active: ``Cluster._adaptive`` (2021.1; otherwise only ``scale`` ends it)."""
    adaptive = getattr(cluster, "_adaptive", None)
    if adaptive is not None:
        adaptive.stop()


def clusters_named(name: str) -> set[SpecCluster]:
    """Return this process's clusters of a name, even half-made: ``SpecCluster._instances``, a weak set."""
    from distributed import SpecCluster

    return {cluster for cluster in set(SpecCluster._instances) if getattr(cluster, "name", None) == name}


class WaitsForScheduler:
    """Base, before a ``SpecCluster``, of a cluster that starts and closes no workers before it has a scheduler.

    Some clusters, such as dask-cuda's, request workers in their constructor; with ``asynchronous=True`` that fails, and
    every task that awaits the cluster would get this error. Relies on ``SpecCluster._correct_state`` being the only
    method that starts and closes workers, and on its result being awaited.
    """

    def _correct_state(self) -> Any:
        if has_not_started(self):
            nothing_yet = asyncio.get_running_loop().create_future()
            nothing_yet.set_result(None)
            return nothing_yet
        return super()._correct_state()  # type: ignore[misc]  # of SpecCluster, which comes after this

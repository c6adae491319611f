"""Scheduler and workers as a handle shows them: what is known here of what lives in other processes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn

from ..dask_internals.statuses import status_named
from ..protocol.models import ClusterModel, WorkerModel

if TYPE_CHECKING:
    from .dask_cluster import DaskCluster

_PENDING = "pending-"


def dask_name(name: str) -> int | str:
    """Return a worker's name as Dask has it: local workers are numbered, and their names are numbers there."""
    return int(name) if name.isdecimal() and str(int(name)) == name else name


def planned_names(model: ClusterModel) -> set[int | str]:
    """Return the names of the workers that a cluster is to have; one that has not come is ``pending-1`` and so on."""
    there = connected_names(model)
    if model.state.ended:
        return there
    missing = max(model.n_pending, (model.wanted.n_workers or 0) - len(there))
    return there | {f"{_PENDING}{number}" for number in range(1, missing + 1)}


def connected_names(model: ClusterModel) -> set[int | str]:
    """Return the names of the workers that are connected."""
    return {dask_name(worker.name) for worker in model.workers}


def worker_specs(model: ClusterModel) -> Mapping[int | str, Mapping[str, Any]]:
    """Return for each worker that a cluster is to have what it is made of, as ``SpecCluster.worker_spec`` does."""
    known = {dask_name(worker.name): worker for worker in model.workers}
    usual = model.workers[0] if model.workers else None
    return MappingProxyType({name: _worker_spec(known.get(name, usual), model) for name in planned_names(model)})


def _worker_spec(worker: WorkerModel | None, model: ClusterModel) -> Mapping[str, Any]:
    threads = worker.n_threads if worker is not None else model.spec.threads_per_worker
    limit = worker.memory_limit_bytes if worker is not None else None
    options = MappingProxyType({"nthreads": threads, "memory_limit": limit})
    return MappingProxyType({"cls": "distributed.Nanny", "options": options})


@dataclass(frozen=True)
class WorkerView:
    """One connected worker, which lives in another process: what is known of it here."""

    name: int | str
    address: str | None
    pid: int | None
    nthreads: int
    memory_limit: int | None
    """Bytes; ``None``: no limit."""
    device: str | None
    """UUID or index of its GPU; ``None`` on CPU workers."""

    @property
    def worker_address(self) -> str | None:
        """Its address: a nanny's word."""
        return self.address

    @property
    def status(self) -> Any:
        """``Status.running``: others are not listed."""
        return status_named("running")

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(
            f"The worker lives in another process, which is not asked for its '{name}' here. Run a function on it: "
            "client.run(lambda dask_worker: …, workers=[worker.address])."
        )


def worker_views(model: ClusterModel) -> Mapping[int | str, WorkerView]:
    """Return the connected workers by name."""
    views = (
        WorkerView(
            name=dask_name(worker.name),
            address=worker.address,
            pid=worker.pid,
            nthreads=worker.n_threads,
            memory_limit=worker.memory_limit_bytes,
            device=worker.device,
        )
        for worker in model.workers
    )
    return MappingProxyType({view.name: view for view in views})


class SchedulerView:
    """The scheduler, which lives in another process: what is known of it here.

    Parameters
    ----------
    cluster : DaskCluster
        A handle on its cluster.
    """

    def __init__(self, cluster: DaskCluster) -> None:
        self._cluster = cluster

    @property
    def address(self) -> str:
        """Where it listens."""
        return self._cluster.scheduler_address

    @property
    def status(self) -> Any:
        """That of the cluster."""
        return self._cluster.status

    @property
    def workers(self) -> Mapping[str | None, WorkerView]:
        """The connected workers by address."""
        return MappingProxyType({worker.address: worker for worker in self._cluster.workers.values()})

    @property
    def identity(self) -> Callable[..., Any]:
        """What it says of itself and its workers, when called."""
        return lambda **_: self._cluster.scheduler_info

    def __repr__(self) -> str:
        return f"<Scheduler of '{self._cluster.name}', in another process>"

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(
            f"The scheduler lives in another process, which is not asked for its '{name}' here. Run a function in it: "
            "client.run_on_scheduler(lambda dask_scheduler: …)."
        )

"""Who takes part in a cluster right now, and in which versions."""

from __future__ import annotations

import importlib.metadata
import platform
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from .. import __version__
from ..backends.backend import Backend
from ..backends.starting import scheduler_of
from ..protocol.models import Versions, WorkerModel
from .idle import connected_clients

if TYPE_CHECKING:
    from distributed.deploy.spec import SpecCluster


def members(cluster: SpecCluster, backend: Backend[Any]) -> dict[str, Any]:
    """Return the fields ``n_workers``, ``n_pending``, ``workers`` and ``n_clients`` of the cluster's model."""
    scheduler = scheduler_of(cluster)
    workers = [
        WorkerModel(
            name=str(worker.name),
            address=worker.address,
            pid=worker.pid or None,
            n_threads=worker.nthreads,
            memory_limit_bytes=worker.memory_limit or None,
            device=backend.device_of(cluster, worker),
        )
        for worker in scheduler.workers.values()
    ]
    workers.sort(key=lambda worker: (len(worker.name), worker.name))
    known = {str(name) for name in cluster.worker_spec}
    pending = len(known - {worker.name for worker in workers})
    return {"n_workers": len(workers), "n_pending": pending, "workers": workers,
            "n_clients": connected_clients(scheduler)}  # fmt: skip


def versions() -> Versions:
    """Return the versions in this Python environment."""
    dask_cuda: str | None = None
    with suppress(importlib.metadata.PackageNotFoundError):
        dask_cuda = importlib.metadata.version("dask-cuda")
    return Versions(
        gpucluster=__version__,
        python=platform.python_version(),
        distributed=importlib.metadata.version("distributed"),
        dask_cuda=dask_cuda,
    )

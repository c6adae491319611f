"""The processes of this machine that clusters have."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from ..protocol.models import ClusterModel, WorkerModel


def names_of_clusters(models: Sequence[ClusterModel]) -> dict[int, str]:
    """Return the names of living clusters, by the ids of their supervisors."""
    return {model.pid: model.name for model in models if model.pid and not model.state.ended}


def names_of_workers(models: Sequence[ClusterModel]) -> dict[int, str]:
    """Return the names of the workers on this machine, by their process ids."""
    return {
        worker.pid: worker.name
        for model in models
        for worker in model.workers
        if worker.pid and not model.state.ended and _is_here(worker)
    }


def _is_here(worker: WorkerModel) -> bool:
    """Whether a worker's process id means a process of this machine."""
    host = urlsplit(worker.address or "").hostname or ""
    return host in {"127.0.0.1", "localhost", "::1"}

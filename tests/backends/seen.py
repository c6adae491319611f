"""What tests of several kinds see of a cluster."""

from __future__ import annotations

from typing import Any

import gpucluster
from gpucluster.protocol.models import ClusterModel


def names(model: ClusterModel) -> set[str]:
    """Return the names of a cluster's workers."""
    return {worker.name for worker in model.workers}


def messages(cluster: Any) -> str:
    """Return what a cluster's activity says, a line for each entry."""
    return "\n".join(entry.message for entry in cluster.activity())


def with_workers(site: Any, name: str, n: int) -> gpucluster.Cluster:
    """Return a cluster with so many workers, whatever a test before has left."""
    site.control.patch(name, {"n_workers": n})
    site.wait_for(name, lambda model: (model.n_workers, model.n_pending) == (n, 0))
    return gpucluster.connect(name)

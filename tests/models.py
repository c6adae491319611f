"""Models made by hand, for tests that need many of them or broken ones."""

from __future__ import annotations

from gpucluster.backends.local import LocalSpec
from gpucluster.protocol.models import ClusterModel, ClusterState, Idle, TelemetrySample, Wanted


def cluster_model(id: str = "00000001", **changes) -> ClusterModel:
    """A running cluster with one worker, except for the changes."""
    fields = {
        "id": id,
        "name": f"cluster-{id}",
        "backend": "local",
        "state": ClusterState.RUNNING,
        "wanted": Wanted(n_workers=1),
        "idle": Idle(),
        "python": "/usr/bin/python3",
        "created_at": "2026-11-21T08:00:00.000Z",
        "spec": LocalSpec(n_workers=1),
    }
    return ClusterModel(**{**fields, **changes})


def sample(cluster_id: str = "00000001", at: str = "2026-11-21T08:00:00.000Z") -> TelemetrySample:
    return TelemetrySample(id=cluster_id, at=at, workers=["0"], memory_bytes=180_000_000, cpu_percent=2.0)

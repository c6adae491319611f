"""Who takes part in a cluster right now, and who is on the way."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ..backends.deployment import Deployment, SlotState
from ..protocol.models import WorkerModel


def observed(deployment: Deployment) -> dict[str, Any]:
    """Return the fields of the cluster's model that say which workers and clients there are."""
    members = deployment.scheduler.members()
    workers = [
        WorkerModel(
            name=worker.name,
            address=worker.address,
            pid=worker.pid,
            n_threads=worker.n_threads,
            memory_limit_bytes=worker.memory_limit_bytes,
            device=deployment.device_of(worker.name),
        )
        for worker in members.workers
    ]
    workers.sort(key=lambda worker: (len(worker.name), worker.name))
    pending = [slot for slot in deployment.slots() if slot.state is SlotState.PENDING]
    reasons = Counter(slot.why for slot in pending if slot.why is not None)
    return {
        "n_workers": len(workers),
        "n_pending": len(pending),
        "pending_reason": reasons.most_common(1)[0][0] if reasons else None,
        "workers": workers,
        "n_clients": members.n_clients,
        "kernels": list(members.kernels),
    }

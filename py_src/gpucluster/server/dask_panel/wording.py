"""Clusters in the words of dask-labextension, and what its panel sends in ours. Nothing here does input or output."""

from __future__ import annotations

import json
from typing import Any

from ...protocol.errors import InvalidRequest
from ...protocol.models import ClusterModel, ClusterState
from ...protocol.sizes import format_size
from ...protocol.spec import ClusterPatch, parse_patch


def shown(model: ClusterModel) -> bool:
    """Whether the panel, which knows no states, lists this cluster."""
    return not (model.state.ended or model.wanted.stopped)


def panel_model(model: ClusterModel, base_url: str) -> dict[str, Any]:
    """Return the cluster as the panel knows clusters.

    The address has a scheme of ours, because the code that the panel makes of it has no place for credentials:
    ``Client("gpucluster://name")`` finds them itself.
    """
    limits = [worker.memory_limit_bytes for worker in model.workers]
    known = [limit for limit in limits if limit is not None]
    starting = " (starting)" if model.state is ClusterState.STARTING else ""
    found: dict[str, Any] = {
        "id": model.id,
        "name": model.name + starting,
        "scheduler_address": f"gpucluster://{model.name}",
        "dashboard_link": base_url + model.dashboard_path if model.dashboard_path is not None else "",
        "workers": model.n_workers,
        "memory": "no limit" if len(known) < len(limits) else format_size(sum(known)),
        "cores": sum(worker.n_threads for worker in model.workers),
    }
    adapt = model.wanted.adapt
    if adapt is not None:
        found["adapt"] = {"minimum": adapt.minimum, "maximum": adapt.maximum}
    return found


def wanted_change(body: bytes) -> ClusterPatch:
    """Read what the panel's scaling dialog sends: the whole cluster, of which two entries count.

    Raises
    ------
    InvalidRequest
        With a sentence.
    """
    try:
        request = json.loads(body)
    except (ValueError, RecursionError):
        raise InvalidRequest("The request is not JSON.") from None
    if not isinstance(request, dict):
        raise InvalidRequest("The request must be a JSON object with 'workers' or 'adapt'.")
    if request.get("adapt") is not None:
        return parse_patch({"adapt": request["adapt"]})
    if "workers" not in request:
        raise InvalidRequest("The request must have 'workers' or 'adapt'.")
    return parse_patch({"n_workers": request["workers"]})

"""End everything of a cluster in Kubernetes, known by its name and its labels; also after its supervisor's death."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import time
from typing import Any

from ...protocol.errors import OperationTimedOut
from .api import DASK, Kubernetes, KubernetesRefused
from .manifest import CLUSTER_LABEL, INSTANCE, resource_name
from .pods import is_leaving, name_of

LOOK_SECONDS = 0.3


class NotEnded(OperationTimedOut):
    """Something that Kubernetes was requested to delete is still there."""

    code = "kubernetes_not_ended"


def selector(cluster_id: str, component: str | None = None) -> str:
    chosen = f"{CLUSTER_LABEL}={resource_name(cluster_id)},{INSTANCE}={cluster_id}"
    return chosen if component is None else f"{chosen},dask.org/component={component}"


async def end_cluster(kubernetes: Kubernetes, cluster_id: str, patience: float, *, secret: bool) -> list[str]:
    """Delete a cluster and wait until its pods are gone; return the names of the deleted objects."""
    name = resource_name(cluster_id)
    ended: dict[str, None] = {}
    deadline = time.monotonic() + patience
    while True:
        cluster = await _find(kubernetes, name, cluster_id)
        if cluster is not None and not is_leaving(cluster):
            await kubernetes.delete(f"daskclusters/{name}", version=DASK)
            ended[name] = None
            if secret:
                await kubernetes.delete(f"secrets/{name}")
        # The garbage collector would do this, too, but later.
        deployments = await kubernetes.items("deployments", version="apps/v1", labelSelector=selector(cluster_id))
        for deployment in deployments:
            if not is_leaving(deployment):
                await kubernetes.delete(f"deployments/{name_of(deployment)}", version="apps/v1")
                ended[name_of(deployment)] = None
        pods = await kubernetes.items("pods", labelSelector=selector(cluster_id))
        if cluster is None and not deployments and not pods:
            return list(ended)
        if time.monotonic() > deadline:
            left = [name_of(thing) for thing in (*deployments, *pods)]
            if left:
                raise NotEnded(f"Kubernetes has not ended {', '.join(left)}")
            raise NotEnded(
                f"Its pods are gone, but Dask's operator keeps the DaskCluster {name}: does the operator run?"
            )
        await asyncio.sleep(LOOK_SECONDS)


def commands_to_remove(name: str, namespace: str, kubeconfig: str | None, context: str | None) -> list[str]:
    """Return commands that remove a cluster and its dependents, even without a running operator."""
    kubectl = ["kubectl", "--namespace", namespace]
    if kubeconfig is not None and kubeconfig != os.environ.get("KUBECONFIG"):
        kubectl += ["--kubeconfig", kubeconfig]
    if context is not None:
        kubectl += ["--context", context]
    no_finalizers = json.dumps({"metadata": {"finalizers": None}})
    return [
        shlex.join([*kubectl, "delete", "--wait=false", "daskcluster", name]),
        shlex.join([*kubectl, "patch", "daskcluster", name, "--type=merge", "--patch", no_finalizers]),
    ]


async def _find(kubernetes: Kubernetes, name: str, cluster_id: str) -> dict[str, Any] | None:
    """Return the ``DaskCluster``, if it is ours."""
    try:
        found = await kubernetes.ask("GET", f"daskclusters/{name}", version=DASK)
    except KubernetesRefused as error:
        if error.absent:
            return None
        raise
    return found if found["metadata"].get("labels", {}).get(INSTANCE) == cluster_id else None

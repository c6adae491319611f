"""Whether this Kubernetes can have a cluster, found out before anything is made."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from ...protocol.errors import PreflightFailed
from ...protocol.plain_text import printable
from .api import DASK, Kubernetes, KubernetesRefused

Right = tuple[str, str, str]
"""Group, resource and verb."""
_GROUP = "kubernetes.dask.org"
_ALWAYS: tuple[Right, ...] = (
    *((_GROUP, "daskclusters", verb) for verb in ("create", "get", "delete")),
    *((_GROUP, "daskworkergroups", verb) for verb in ("get", "patch")),
    *(("apps", "deployments", verb) for verb in ("list", "delete")),
    ("", "pods", "list"),
    ("", "services", "get"),
    ("", "events", "list"),
)
_SECRET: tuple[Right, ...] = tuple(("", "secrets", verb) for verb in ("create", "delete"))
_FORWARD: tuple[Right, ...] = tuple(("", "pods/portforward", verb) for verb in ("get", "create"))


def rights(*, secret: bool, forward: bool) -> tuple[Right, ...]:
    """Return what a user must be allowed to do in the namespace.

    Parameters
    ----------
    secret : bool
        Whether there is a secret.
    forward : bool
        Whether the scheduler is reached through Kubernetes, as from outside.
    """
    return _ALWAYS + (_SECRET if secret else ()) + (_FORWARD if forward else ())


async def must_take(kubernetes: Kubernetes, manifest: Mapping[str, Any], needed: tuple[Right, ...]) -> None:
    """Refuse what this Kubernetes would not take.

    Raises
    ------
    PreflightFailed
    KubernetesSilent
    """
    await _must_have_operator(kubernetes)
    await _must_have_namespace(kubernetes)
    await _must_be_allowed(kubernetes, needed)
    try:
        await kubernetes.ask("POST", "daskclusters", version=DASK, body=manifest, params={"dryRun": "All"})
    except KubernetesRefused as error:
        raise PreflightFailed(f"Kubernetes would not take such a cluster: {error.message}.") from error


async def _must_have_operator(kubernetes: Kubernetes) -> None:
    try:
        told = await kubernetes.ask("GET", DASK, version="", base="/apis", namespaced=False)
    except KubernetesRefused as error:
        if not error.absent:
            raise PreflightFailed(f"{error.message}.") from error
        told = {}
    if not any(resource.get("name") == "daskclusters" for resource in told.get("resources", ())):
        raise PreflightFailed(
            "Dask's operator is not installed in this Kubernetes. An administrator can: helm install --repo "
            "https://helm.dask.org --create-namespace -n dask-operator --generate-name dask-kubernetes-operator"
        )


async def _must_have_namespace(kubernetes: Kubernetes) -> None:
    try:
        await kubernetes.ask("GET", f"namespaces/{kubernetes.namespace}", namespaced=False)
    except KubernetesRefused as error:
        if error.absent:
            raise PreflightFailed(
                f"namespace: this Kubernetes has no namespace '{kubernetes.namespace}'. 'kubectl get namespaces' shows "
                "those that there are."
            ) from error
        if error.status != 403:
            raise  # Many may not look at namespaces and use one all the same.


async def _must_be_allowed(kubernetes: Kubernetes, needed: tuple[Right, ...]) -> None:
    answers = await asyncio.gather(*(_may(kubernetes, right) for right in needed))
    missing = [right for right, allowed in zip(needed, answers, strict=True) if not allowed]
    if missing:
        listed = ", ".join(f"{verb} {resource}{f'.{group}' if group else ''}" for group, resource, verb in missing)
        raise PreflightFailed(
            f"Kubernetes does not let you do what a cluster needs in the namespace '{kubernetes.namespace}': "
            f"{printable(listed, 500)}. Ask an administrator for a role with these rights."
        )


async def _may(kubernetes: Kubernetes, right: Right) -> bool:
    group, resource, verb = right
    resource, _, part = resource.partition("/")
    attributes = {"namespace": kubernetes.namespace, "group": group, "resource": resource, "verb": verb}
    if part:
        attributes["subresource"] = part
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": attributes},
    }
    try:
        told = await kubernetes.ask(
            "POST", "selfsubjectaccessreviews", version="authorization.k8s.io/v1", body=review, namespaced=False
        )
    except KubernetesRefused as error:
        if error.status != 403:
            raise
        return True  # Who may not even ask is told by what follows.
    return bool(told.get("status", {}).get("allowed"))

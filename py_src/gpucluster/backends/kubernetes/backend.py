"""The kind ``kubernetes``. Neither Dask nor dask-kubernetes is imported until a cluster is looked at."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Any, ClassVar

from ...protocol.errors import FieldError, PreflightFailed, StartFailed
from ...protocol.models import Network, Submission
from ...protocol.plain_text import printable
from ...protocol.spec_base import MAX_WORKERS, SpecBase
from ...protocol.traits import Needs, Traits
from ..backend import Backend, Plan, ReapContext, Remembered, StartContext
from ..deployment import Deployment
from . import api
from .api import DASK, Access, Kubernetes, KubernetesRefused, KubernetesSilent
from .manifest import dask_cluster, manifest_text, needs_secret, require_dask_kubernetes, resource_name
from .pods import commands_to_remove, end_cluster
from .spec import KubernetesSpec

DEFAULT_WORKERS = 1
START_SECONDS = 1800.0  # Pulling an image for GPUs takes many minutes, and a node may have to be added first.
REAP_SECONDS = 90.0
IN_FLIGHT_SECONDS = 2.0


class KubernetesBackend(Backend[KubernetesSpec]):
    """Scheduler and workers as pods, made by Dask's operator."""

    name: ClassVar[str] = "kubernetes"
    title: ClassVar[str] = "Kubernetes"
    needs: ClassVar[Needs] = Needs(packages=("dask_kubernetes",), extra="kubernetes")
    spec: ClassVar[type[SpecBase]] = KubernetesSpec
    traits: ClassVar[Traits] = Traits(this_machine=False, queues=True, default_workers=DEFAULT_WORKERS)

    @classmethod
    def faults(cls, spec: KubernetesSpec) -> list[FieldError]:
        """Check that the kubeconfig can be read and has the context."""
        return api.faults_of_kubeconfig(spec.kubeconfig, spec.context)

    async def preflight(self, spec: KubernetesSpec, context: StartContext) -> Plan:
        """Log in, and check that Kubernetes would accept such a cluster."""
        context.report("preflight", "Checking the cluster with Kubernetes (dry run)")
        n_workers = DEFAULT_WORKERS if spec.n_workers is None else spec.n_workers
        inside = await asyncio.to_thread(api.is_inside)
        api.private_keys_in(context.scratch_directory)
        kubernetes, _ = await _accepted(spec, context.cluster_id, n_workers, inside=inside)
        await kubernetes.close()
        remark = (
            "This cluster does not use TLS: anyone who reaches one of its pods, or this machine's port, can run code "
            "in all of them."
        )
        return Plan(
            n_workers=n_workers,
            maximum_workers=MAX_WORKERS,
            maximum_reason="the most pods per cluster",
            network=Network.of(spec.protocol),
            options={"spec": spec, "inside": inside},
            threads_per_worker=spec.threads_per_worker,
            memory_limit_bytes=spec.memory_limit if isinstance(spec.memory_limit, int) else 0,
            ready_workers=0,
            has_gpus=bool(spec.gpus_per_worker),
            start_timeout=START_SECONDS,
            remarks=(remark,) if spec.protocol == "tcp" else (),
        )

    async def preview(self, spec: KubernetesSpec) -> Submission:
        """Return the manifest, after Kubernetes has checked it."""
        n_workers = DEFAULT_WORKERS if spec.n_workers is None else spec.n_workers
        async with api.private_folder():
            kubernetes, manifest = await _accepted(spec, "id", n_workers, inside=api.is_inside())
            await kubernetes.close()
        note = f"Kubernetes ({kubernetes.server}) would accept it; nothing was created."
        return Submission(text=manifest_text(manifest), notes=[note])

    async def start(self, plan: Plan, context: StartContext) -> Deployment:
        from .deployment import KubernetesDeployment

        spec: KubernetesSpec = plan.options["spec"]
        access = Access.of(spec)
        try:
            kubernetes = await Kubernetes.connect(access)
            return await KubernetesDeployment.start(spec, plan, context, kubernetes, access)
        except KubernetesRefused as error:
            raise StartFailed(f"{error.message}.") from error

    async def reap(self, remembered: Remembered, context: ReapContext) -> None:
        """Delete everything with the cluster's name and labels."""
        if remembered["name"] != resource_name(context.cluster_id):
            raise ValueError("The saved state belongs to another cluster")
        logging.getLogger("httpx").setLevel(logging.WARNING)
        access = Access(remembered["kubeconfig"], remembered["context"], str(remembered["namespace"]))
        secret = bool(remembered["secret"])
        async with api.private_folder():
            kubernetes = await Kubernetes.connect(access)
            patience = min(REAP_SECONDS, context.seconds - 2 * IN_FLIGHT_SECONDS)
            ended = await end_cluster(kubernetes, context.cluster_id, patience, secret=secret)
            await asyncio.sleep(IN_FLIGHT_SECONDS)  # Kubernetes may just have been accepting it.
            ended += await end_cluster(kubernetes, context.cluster_id, patience, secret=secret)
            await kubernetes.close()
        if ended:
            context.report(f"Left over in Kubernetes from a process that died, and deleted: {', '.join(ended)}")

    def left_behind(self, remembered: Remembered) -> str:
        name, namespace = str(remembered["name"]), remembered["namespace"]
        commands = commands_to_remove(name, namespace, remembered["kubeconfig"], remembered["context"])
        return f"It is the DaskCluster {name} in the namespace {namespace}. By hand: {' && '.join(commands)}"


async def _accepted(
    spec: KubernetesSpec, cluster_id: str, n_workers: int, *, inside: bool
) -> tuple[Kubernetes, dict[str, object]]:
    """Return the Kubernetes that would accept such a cluster, and the manifest."""
    require_dask_kubernetes()
    logging.getLogger("httpx").setLevel(logging.WARNING)  # It would log every request.
    try:
        kubernetes = await Kubernetes.connect(Access.of(spec))
        manifest = dask_cluster(spec, cluster_id, kubernetes.namespace, n_workers)
        await require_accepted(kubernetes, manifest, rights(secret=needs_secret(spec), forward=not inside))
    except KubernetesSilent as error:
        raise PreflightFailed(error.message) from error
    except KubernetesRefused as error:
        raise PreflightFailed(f"{error.message}.") from error
    return kubernetes, manifest


Right = tuple[str, str, str]  # Group, resource and verb.
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
    """Return the rights that the user needs in the namespace."""
    return _ALWAYS + (_SECRET if secret else ()) + (_FORWARD if forward else ())


async def require_accepted(kubernetes: Kubernetes, manifest: Mapping[str, Any], needed: tuple[Right, ...]) -> None:
    """Raise `PreflightFailed` if this Kubernetes would refuse the cluster, or `KubernetesSilent`."""
    await _require_operator(kubernetes)
    await _require_namespace(kubernetes)
    await _require_rights(kubernetes, needed)
    try:
        await kubernetes.ask("POST", "daskclusters", version=DASK, body=manifest, params={"dryRun": "All"})
    except KubernetesRefused as error:
        raise PreflightFailed(f"Kubernetes would reject this cluster: {error.message}.") from error


async def _require_operator(kubernetes: Kubernetes) -> None:
    try:
        found = await kubernetes.ask("GET", DASK, version="", base="/apis", namespaced=False)
    except KubernetesRefused as error:
        if not error.absent:
            raise PreflightFailed(f"{error.message}.") from error
        found = {}
    if not any(resource.get("name") == "daskclusters" for resource in found.get("resources", ())):
        raise PreflightFailed(
            "Dask's operator is not installed in this Kubernetes cluster. Ask an administrator to run: helm install "
            "--repo https://helm.dask.org --create-namespace -n dask-operator --generate-name dask-kubernetes-operator"
        )


async def _require_namespace(kubernetes: Kubernetes) -> None:
    try:
        await kubernetes.ask("GET", f"namespaces/{kubernetes.namespace}", namespaced=False)
    except KubernetesRefused as error:
        if error.absent:
            raise PreflightFailed(
                f"namespace: this Kubernetes cluster has no namespace '{kubernetes.namespace}'. 'kubectl get "
                "namespaces' lists them."
            ) from error
        if error.status != 403:
            raise  # Users may use a namespace without the right to read it.


async def _require_rights(kubernetes: Kubernetes, needed: tuple[Right, ...]) -> None:
    answers = await asyncio.gather(*(_may(kubernetes, right) for right in needed))
    missing = [right for right, allowed in zip(needed, answers, strict=True) if not allowed]
    if missing:
        listed = ", ".join(f"{verb} {resource}{f'.{group}' if group else ''}" for group, resource, verb in missing)
        raise PreflightFailed(
            f"You lack Kubernetes permissions for a cluster in the namespace '{kubernetes.namespace}': "
            f"{printable(listed, 500)}. Ask an administrator for a role with these permissions."
        )


async def _may(kubernetes: Kubernetes, right: Right) -> bool:
    group, resource, verb = right
    resource, _, part = resource.partition("/")
    attributes = {"namespace": kubernetes.namespace, "group": group, "resource": resource, "verb": verb}
    if part:
        attributes["subresource"] = part
    v1 = "authorization.k8s.io/v1"
    review = {"apiVersion": v1, "kind": "SelfSubjectAccessReview", "spec": {"resourceAttributes": attributes}}
    try:
        answer = await kubernetes.ask("POST", "selfsubjectaccessreviews", version=v1, body=review, namespaced=False)
    except KubernetesRefused as error:
        if error.status != 403:
            raise
        return True  # Missing rights are then reported by the next requests.
    return bool(answer.get("status", {}).get("allowed"))

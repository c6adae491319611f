"""What is submitted to Kubernetes: a ``DaskCluster`` of Dask's operator, and a secret with its credentials."""

from __future__ import annotations

import base64
import importlib.metadata
import json
import platform
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import yaml  # type: ignore[import-untyped]

from ...operating_system.files import read_own_file
from ...protocol.errors import MissingPackage
from ..workers import worker_arguments
from .spec import KubernetesSpec, toleration

MANAGED_BY = "app.kubernetes.io/managed-by"
INSTANCE = "app.kubernetes.io/instance"
CLUSTER_LABEL = "dask.org/cluster-name"
SECRETS = PurePosixPath("/var/run/gpucluster")  # Where the pods find their credentials.
GRACE_SECONDS = 5  # Time for a pod to end; its results were moved before.
DEATH_TIMEOUT_SECONDS = 60
_PREFIX = "GPUCLUSTER_DASHBOARD_PREFIX"
_TLS_FILES = ("ca.pem", "cert.pem", "key.pem")


def require_dask_kubernetes() -> None:
    try:
        import dask_kubernetes.operator.kubecluster  # noqa: F401
    except ImportError as error:
        raise MissingPackage(
            "Kubernetes clusters need the package dask-kubernetes in the cluster's Python environment: "
            "pip install 'gpucluster[kubernetes]'."
        ) from error


def resource_name(cluster_id: str) -> str:
    """Return the name of the ``DaskCluster``, which is not a prefix of another cluster's."""
    return f"gpucluster-{cluster_id}"


def usual_image() -> str:
    """Return Dask's own image, with the versions of this environment."""
    python = ".".join(platform.python_version_tuple()[:2])
    return f"ghcr.io/dask/dask:{importlib.metadata.version('dask')}-py{python}"


def labels(cluster_id: str) -> dict[str, str]:
    """Return the labels of a cluster, which the operator passes on to the objects that it makes."""
    return {MANAGED_BY: "gpucluster", INSTANCE: cluster_id}


def needs_secret(spec: KubernetesSpec) -> bool:
    """Whether there are credentials or variables that must be kept secret."""
    return spec.protocol == "tls" or bool(spec.env)


def dask_cluster(spec: KubernetesSpec, cluster_id: str, namespace: str, n_workers: int) -> dict[str, Any]:
    """Return the manifest, which refers to secrets but has none. Raises `MissingPackage`."""
    require_dask_kubernetes()
    from dask_kubernetes.operator import make_cluster_spec

    name = resource_name(cluster_id)
    manifest: dict[str, Any] = make_cluster_spec(name, image=spec.image or usual_image(), n_workers=n_workers)
    manifest["metadata"] |= {"namespace": namespace, "labels": labels(cluster_id)}
    scheduler, worker = manifest["spec"]["scheduler"], manifest["spec"]["worker"]
    _fill_scheduler(scheduler["spec"], spec)
    _fill_worker(worker["spec"], spec, f"{spec.protocol}://{name}-scheduler.{namespace}.svc:8786")
    for pod in (scheduler["spec"], worker["spec"]):
        _fill_pod(pod, spec, name)
    return manifest


def secret(
    spec: KubernetesSpec,
    cluster_id: str,
    owner: Mapping[str, Any],
    *,
    tls_directory: Path | None,
    dashboard_prefix: str,
    variables: Mapping[str, str],
) -> dict[str, Any]:
    """Return the secret, which is deleted with the ``DaskCluster``."""
    values = {f"env.{name}": value.encode() for name, value in variables.items()}
    if spec.protocol == "tls" and tls_directory is not None:
        values |= {file: read_own_file(tls_directory / file) for file in _TLS_FILES}
        values["dashboard-prefix"] = dashboard_prefix.encode()
    found = owner["metadata"]
    reference = {name: owner[name] for name in ("apiVersion", "kind")} | {name: found[name] for name in ("name", "uid")}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": resource_name(cluster_id), "labels": labels(cluster_id), "ownerReferences": [reference]},
        "type": "Opaque",
        "data": {name: base64.b64encode(value).decode("ascii") for name, value in values.items()},
    }


def manifest_text(manifest: Mapping[str, Any]) -> str:
    """Return a manifest as YAML for ``kubectl create -f``."""
    plain = json.loads(json.dumps(manifest))  # Without YAML's references.
    text: str = yaml.safe_dump(plain, sort_keys=False, width=120)
    return text


def _fill_scheduler(pod: dict[str, Any], spec: KubernetesSpec) -> None:
    (container,) = pod["containers"]
    memory = str(spec.scheduler_memory)
    container["args"] = ["dask", "scheduler", "--host", "0.0.0.0", "--port", "8786", "--dashboard-address", ":8787"]  # noqa: S104
    requests = {"cpu": str(spec.scheduler_cores), "memory": memory}
    container["resources"] = {"requests": requests, "limits": {"memory": memory}}
    container["env"] = []
    if spec.protocol == "tls":
        container["args"] += ["--protocol", "tls", "--dashboard-prefix", f"$({_PREFIX})"]
        for option, file in zip(("--tls-ca-file", "--tls-cert", "--tls-key"), _TLS_FILES, strict=True):
            container["args"] += [option, str(SECRETS / file)]
        container["env"].append((_PREFIX, "dashboard-prefix"))
        # All pages are below the prefix, also that of its health.
        for probe in ("readinessProbe", "livenessProbe"):
            del container[probe]["httpGet"]
            container[probe]["tcpSocket"] = {"port": "http-dashboard"}


def _fill_worker(pod: dict[str, Any], spec: KubernetesSpec, scheduler: str) -> None:
    (container,) = pod["containers"]
    arguments = worker_arguments(
        spec,
        gpu=spec if spec.gpus_per_worker else None,
        name="$(DASK_WORKER_NAME)",
        tls_directory=SECRETS if spec.protocol == "tls" else None,
        death_timeout_seconds=DEATH_TIMEOUT_SECONDS,
    )
    container["args"] = ["dask", *(["cuda"] if spec.gpus_per_worker else []), "worker", *arguments]
    container["env"] = [{"name": "DASK_SCHEDULER_ADDRESS", "value": scheduler}]
    container["env"] += [{"name": name, "value": value} for name, value in spec.worker_environment().items()]
    container.pop("ports", None)
    requests: dict[str, str] = {"cpu": str(spec.cores or spec.threads_per_worker)}
    limits: dict[str, str] = {} if spec.cores is None else {"cpu": str(spec.cores)}
    if isinstance(spec.memory_limit, int) and spec.memory_limit:
        requests["memory"] = limits["memory"] = str(spec.memory_limit)
    if spec.gpus_per_worker:
        limits[spec.gpu_resource] = str(spec.gpus_per_worker)
        requests[spec.gpu_resource] = str(spec.gpus_per_worker)
    container["resources"] = {"requests": requests, **({"limits": limits} if limits else {})}
    tolerations = [toleration(taint) for taint in spec.tolerations]
    if spec.gpus_per_worker:
        tolerations.append({"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"})
    if tolerations:
        pod["tolerations"] = tolerations
    if spec.local_directory is not None:
        pod["volumes"] = [{"name": "scratch", "emptyDir": {}}]
        container["volumeMounts"] = [{"name": "scratch", "mountPath": spec.local_directory}]


def _fill_pod(pod: dict[str, Any], spec: KubernetesSpec, name: str) -> None:
    (container,) = pod["containers"]
    keys = [item for item in container["env"] if isinstance(item, tuple)]
    keys += [(variable, f"env.{variable}") for variable in spec.env or ()]
    container["env"] = [item for item in container["env"] if isinstance(item, dict)]
    container["env"] += [
        {"name": variable, "valueFrom": {"secretKeyRef": {"name": name, "key": key}}} for variable, key in keys
    ]
    container["terminationMessagePolicy"] = "FallbackToLogsOnError"  # To learn why it ended.
    pod["terminationGracePeriodSeconds"] = GRACE_SECONDS
    pod["automountServiceAccountToken"] = spec.service_account is not None
    if spec.protocol == "tls":
        items = [{"key": file, "path": file} for file in _TLS_FILES]
        pod.setdefault("volumes", []).append({"name": "credentials", "secret": {"secretName": name, "items": items}})
        mount = {"name": "credentials", "mountPath": str(SECRETS), "readOnly": True}
        container.setdefault("volumeMounts", []).append(mount)
        container["env"].append({"name": "DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION", "value": "true"})
    if spec.node_selector:
        pod["nodeSelector"] = dict(spec.node_selector)
    if spec.service_account is not None:
        pod["serviceAccountName"] = spec.service_account
    if spec.image_pull_secret is not None:
        pod["imagePullSecrets"] = [{"name": spec.image_pull_secret}]

"""The options of clusters of Kubernetes pods."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, ConfigDict, Field, WithJsonSchema, field_validator, model_validator

from ...protocol.machine_spec import GPUSpec, NodeSpec
from ...protocol.plain_text import printable
from ...protocol.sizes import MemorySize, MemorySizeOrAuto
from ...protocol.spec_base import WorkerCountOrZero, advanced, matching, not_shown, number_of_workers, option, pairs

DNSName = Annotated[
    str,
    matching(
        r"[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?",
        "must be lowercase letters, digits, '-' and '.', and begin and end with a letter or digit",
    ),
]
Image = Annotated[
    str,
    matching(
        r"[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,511}",
        "must be the name of an image, such as 'ghcr.io/dask/dask:2026.7.1-py3.11'",
    ),
]
_CONTEXT = re.compile(r"[^\s\0]{1,253}")
_LABEL = re.compile(r"([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")
_VALUE = re.compile(r"([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?")
_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,199}")
_MOST = 50
_shown = partial(option, "Kubernetes")
_advanced = partial(advanced, "Kubernetes")


def _parse_selector(value: Any) -> dict[str, str]:
    """Read labels of nodes: a mapping, or the same as text."""
    if isinstance(value, str):
        value = pairs(value, "'disk=ssd,zone=a'")
    if not isinstance(value, Mapping) or len(value) > _MOST:
        raise ValueError(f"must be at most {_MOST} node labels, such as 'disk=ssd,zone=a'")
    for name, given in value.items():
        if not isinstance(name, str) or not _LABEL.fullmatch(name):
            raise ValueError(f"{printable(str(name), 40)!r} is not a valid label name")
        if not isinstance(given, str) or not _VALUE.fullmatch(given):
            raise ValueError(f"the label {printable(name, 40)} cannot have the value {printable(str(given), 40)!r}")
    return dict(value)


def _parse_tolerations(value: Any) -> list[str]:
    """Read taints that pods tolerate, a list or text with commas or line ends between them."""
    if isinstance(value, str):
        value = [part.strip() for part in re.split(r"[,\n]", value) if part.strip()]
    if not isinstance(value, list) or len(value) > _MOST or not all(isinstance(one, str) for one in value):
        raise ValueError(f"must be at most {_MOST} taints, such as 'nvidia.com/gpu=present:NoSchedule'")
    for one in value:
        toleration(one)
    return value


def toleration(text: str) -> dict[str, str]:
    """Return the entry of a pod's ``tolerations`` for a taint in the notation of ``kubectl taint``."""
    label, _, effect = text.partition(":")
    key, equals, value = label.partition("=")
    if not _LABEL.fullmatch(key) or not _VALUE.fullmatch(value) or (":" in text and effect not in _EFFECTS):
        raise ValueError(
            f"{printable(text, 60)!r} is not a taint: write 'key', 'key:NoSchedule' or 'key=value:NoSchedule'; the "
            f"effects are {', '.join(_EFFECTS)}"
        )
    found = {"key": key, "operator": "Equal" if equals else "Exists"}
    if equals:
        found["value"] = value
    if effect:
        found["effect"] = effect
    return found


Selector = Annotated[dict[str, str], BeforeValidator(_parse_selector), WithJsonSchema({"type": ["string", "object"]})]
Tolerations = Annotated[list[str], BeforeValidator(_parse_tolerations)]


class KubernetesSpec(NodeSpec, GPUSpec):
    """Scheduler and workers as pods, which Dask's operator makes."""

    model_config = ConfigDict(json_schema_extra=not_shown("interface"))

    backend: Literal["kubernetes"] = Field(
        "kubernetes", title="Kind", description="Scheduler and workers as Kubernetes pods, created by Dask's operator."
    )
    n_workers: WorkerCountOrZero | None = number_of_workers("one")
    image: Image | None = _shown(
        "Image",
        None,
        "Container image for scheduler and workers, with the same Python and Dask as here. Default: Dask's "
        "own, 'ghcr.io/dask/dask', of these versions. Workers with a GPU need one with dask-cuda.",
    )
    namespace: DNSName | None = _shown("Namespace", None, "The pods' namespace. Default: the context's, or this pod's.")
    gpus_per_worker: Annotated[int, Field(strict=True, ge=0, le=1)] = _shown(
        "GPUs per worker", 0, "1: each worker has a GPU (dask-cuda); the scheduler has none. 0: CPU workers."
    )
    cores: Annotated[int, Field(strict=True, ge=1, le=1024)] | None = _shown(
        "Cores per worker", None, "Of its pod, as request and limit. Default: one per thread as request, no limit."
    )
    memory_limit: MemorySizeOrAuto | None = option(
        "Memory",
        "Host memory per worker",
        "auto",
        "Host memory of a worker's pod, as request and limit: a size ('2 GiB'), 'auto' for the namespace's default, or "
        "none (or 0): as 'auto', without a limit in Dask.",
    )
    node_selector: Selector = _advanced(
        "Node selector", dict, "Labels of nodes for all pods, as 'disk=ssd,zone=a'; in Python and JSON also a mapping."
    )
    tolerations: Tolerations = _advanced(
        "Tolerations",
        list,
        "Node taints that the workers tolerate, such as 'nvidia.com/gpu=present:NoSchedule'. With GPUs, "
        "'nvidia.com/gpu' need not be named.",
    )
    context: str | None = _advanced("Context", None, "Context of the kubeconfig. Default: the current one.")
    kubeconfig: str | None = _advanced(
        "Kubeconfig", None, "Its absolute path. Default: KUBECONFIG, ~/.kube/config, or in a pod its service account."
    )
    service_account: DNSName | None = _advanced("Service account", None, "For the pods. Default: the namespace's.")
    image_pull_secret: DNSName | None = _advanced(
        "Image pull secret", None, "Name of a secret of the namespace with the login for the image's registry."
    )
    gpu_resource: str = _advanced(
        "GPU resource name", "nvidia.com/gpu", "As Kubernetes calls it here; for a MIG slice 'nvidia.com/mig-1g.10gb'."
    )
    scheduler_cores: Annotated[int, Field(strict=True, ge=1, le=64)] = _advanced(
        "Scheduler cores", 1, "CPU cores that the scheduler's pod requests."
    )
    scheduler_memory: MemorySize = advanced(
        "Memory", "Scheduler memory", 2 * 2**30, "Memory of the scheduler's pod, as request and limit, such as '4 GiB'."
    )
    protocol: Literal["tls", "tcp"] = advanced(
        "Network",
        "Network",
        "tls",
        "'tls' encrypts, and lets only you connect; it needs permission to create a secret. 'tcp' is the operator's "
        "default and open: anyone who can reach one of the pods can run code in all of them.",
    )

    @field_validator("context")
    @classmethod
    def _context(cls, value: str | None) -> str | None:
        if value is not None and not (_CONTEXT.fullmatch(value) and value.isprintable()):
            raise ValueError("must be the name of a context, without spaces")
        return value

    @field_validator("gpu_resource")
    @classmethod
    def _resource(cls, value: str) -> str:
        if "/" not in value or not _LABEL.fullmatch(value):
            raise ValueError("must be the name of a resource, such as 'nvidia.com/gpu'")
        return value

    @field_validator("kubeconfig")
    @classmethod
    def _path(cls, value: str | None) -> str | None:
        if value is not None and ":" in value:
            raise ValueError("must be the absolute path of one file")
        return cls._absolute(value)

    @field_validator("env")
    @classmethod
    def _variables(cls, value: dict[str, str] | None) -> dict[str, str] | None:
        if wrong := [name for name in value or () if not _VARIABLE.fullmatch(name)]:
            raise ValueError(f"{printable(wrong[0], 40)!r} is not a valid environment variable name for a pod")
        return value

    @field_validator("scheduler_memory")
    @classmethod
    def _size(cls, value: Any) -> Any:
        if isinstance(value, float):
            raise ValueError("must be a size, such as '2 GiB'")
        return value

    @model_validator(mode="after")
    def _combinations(self) -> Self:
        if self.interface is not None:
            raise ValueError("interface is for workers that connect to this machine; omit it for the kind 'kubernetes'")
        if self.gpus_per_worker and self.image is None:
            raise ValueError(
                "image: workers with a GPU need an image that has dask-cuda, such as "
                "'rapidsai/base:26.10-cuda13-py3.11'"
            )
        if not self.gpus_per_worker and (chosen := self.chosen_gpu_options()):
            raise ValueError(f"{chosen[0]} is for workers with a GPU: set gpus_per_worker=1")
        if self.cores is not None and self.cores < self.threads_per_worker:
            raise ValueError(
                f"cores is {self.cores}, but the worker has {self.threads_per_worker} threads; request more cores"
            )
        return self

"""What a user can ask for: one model per kind of cluster.

These models validate REST bodies, magics, the command line and presets, draw the creation form
(JSON Schema) and are the help texts of every face.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator, model_validator

from .errors import invalid_request
from .gpu_spec import GPUSpec
from .kinds import parse_spec
from .machine_spec import MachineSpec
from .node_spec import NodeSpec
from .scratch_spec import ScratchSpec
from .spec_base import (
    MAX_WORKERS,
    MOST_SECONDS,
    Interface,
    SpecBase,
    UnknownSpec,
    WorkerCount,
    WorkerCountOrZero,
    number_of_workers,
    shown_in,
)

__all__ = [
    "MAX_WORKERS",
    "Adapt",
    "AutoSpec",
    "ClusterPatch",
    "CudaSpec",
    "Device",
    "GPUSpec",
    "LocalSpec",
    "MachineSpec",
    "NodeSpec",
    "ScratchSpec",
    "SpecBase",
    "UnknownSpec",
    "parse_patch",
    "parse_spec",
    "shown_in",
]

_DEVICE = re.compile(r"(GPU|MIG)-[0-9A-Za-z/-]{4,80}")


def _parse_device(value: Any) -> int | str:
    known = (isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 1023) or (
        isinstance(value, str) and _DEVICE.fullmatch(value)
    )
    if not known:
        raise ValueError(f"{str(value)[:40]!r} is neither a GPU index nor a UUID such as 'GPU-…' or 'MIG-…'")
    device: int | str = value
    return device


# One validator for the union: pydantic would report what is wrong with each of its members.
Device = Annotated[int | str, BeforeValidator(_parse_device)]


class _EverywhereSpec(ScratchSpec):
    # What needs no GPU: 'ucx' is for workers that have one.
    protocol: Literal["unix", "tls", "tcp"] = Field(
        "unix",
        title="Network",
        description="'unix' opens no port: sockets in a private folder let only you connect. 'tls' encrypts, for "
        "programs without gpucluster. 'tcp' is open: anyone on this machine can run code as you.",
        json_schema_extra=shown_in("Network", advanced=True),
    )


class LocalSpec(_EverywhereSpec):
    """CPU workers on this machine."""

    backend: Literal["local"] = Field("local", title="Kind", description="CPU workers on this machine.")
    n_workers: WorkerCountOrZero | None = number_of_workers("one per core, up to four")


class AutoSpec(_EverywhereSpec):
    """GPU workers where a usable GPU is, else CPU workers."""

    backend: Literal["auto"] = Field(
        "auto", title="Kind", description="GPU workers where a usable GPU is, else CPU workers."
    )
    n_workers: WorkerCountOrZero | None = number_of_workers("one per GPU, or one per core up to four on CPU")
    wait_in_line: bool = Field(
        True,
        title="Wait in line",
        description="Where the site gives out slots of GPUs and none is free: wait in line; else fail at once.",
        json_schema_extra=shown_in("GPUs", advanced=True),
    )


class CudaSpec(GPUSpec, ScratchSpec):
    """One worker per GPU on this machine (dask-cuda)."""

    backend: Literal["cuda"] = Field("cuda", title="Kind", description="One worker per GPU of this machine.")
    n_workers: WorkerCountOrZero | None = number_of_workers("one per GPU")
    devices: list[Device] | None = Field(
        None,
        title="GPUs",
        description="GPUs to use, by index or UUID ('GPU-…', 'MIG-…'). Left out: all visible ones, idle ones first.",
        json_schema_extra=shown_in("GPUs"),
    )
    wait_in_line: bool = Field(
        True,
        title="Wait in line",
        description="Where the site gives out slots of GPUs and none is free: wait in line; else fail at once.",
        json_schema_extra=shown_in("GPUs", advanced=True),
    )
    protocol: Literal["unix", "tls", "tcp", "ucx"] = Field(
        "unix",
        title="Network",
        description="'unix' opens no port: sockets in a private folder let only you connect. 'tls' encrypts, for "
        "programs without gpucluster. 'ucx' (NVLink, InfiniBand) and 'tcp' are open: anyone who can reach the address "
        "can run code as you.",
        json_schema_extra=shown_in("Network", advanced=True),
    )
    interface: Interface | None = Field(
        None,
        title="Network interface",
        description="Interface of this machine that the cluster listens on, such as 'ib0': for UCX, and for workers on "
        "other machines. Left out: this machine only, or the one that leads to them.",
        json_schema_extra=shown_in("Network", advanced=True),
    )
    enable_tcp_over_ucx: bool | None = Field(
        None, title="TCP over UCX", description="Whether UCX uses TCP. Left out: UCX decides.",
        json_schema_extra=shown_in("Network", advanced=True),
    )  # fmt: skip
    enable_infiniband: bool | None = Field(
        None, title="InfiniBand", description="Whether UCX uses InfiniBand. Left out: UCX decides.",
        json_schema_extra=shown_in("Network", advanced=True),
    )  # fmt: skip
    enable_nvlink: bool | None = Field(
        None, title="NVLink", description="Whether UCX uses NVLink. Left out: UCX decides.",
        json_schema_extra=shown_in("Network", advanced=True),
    )  # fmt: skip
    enable_rdmacm: bool | None = Field(
        None, title="RDMA connection manager", description="Whether UCX uses RDMACM. Left out: UCX decides.",
        json_schema_extra=shown_in("Network", advanced=True),
    )  # fmt: skip

    @field_validator("devices")
    @classmethod
    def _devices(cls, value: list[int | str] | None) -> list[int | str] | None:
        if value is None:
            return None
        if not value:
            raise ValueError("must name at least one GPU, or be left out for all")
        if len(set(value)) != len(value):
            raise ValueError("names a GPU twice; one worker per GPU")
        return value

    @model_validator(mode="after")
    def _combinations(self) -> Self:
        switches = {
            "enable_tcp_over_ucx": self.enable_tcp_over_ucx, "enable_infiniband": self.enable_infiniband,
            "enable_nvlink": self.enable_nvlink, "enable_rdmacm": self.enable_rdmacm,
        }  # fmt: skip
        chosen = [name for name, value in switches.items() if value is not None]
        if chosen and self.protocol != "ucx":
            raise ValueError(f"{chosen[0]} needs protocol 'ucx'")
        if self.enable_nvlink and self.rmm_managed_memory:
            raise ValueError("enable_nvlink and rmm_managed_memory exclude each other; choose one")
        if self.interface is not None and self.protocol in {"unix", "tls"}:
            raise ValueError(
                f"interface is for protocol 'ucx' or 'tcp'; with '{self.protocol}' the cluster stays on this machine"
            )
        if self.devices is not None and self.n_workers is not None and self.n_workers > len(self.devices):
            raise ValueError(
                f"n_workers is {self.n_workers} but only {len(self.devices)} GPUs are named; one worker per GPU"
            )
        if self.devices is not None and len({isinstance(device, str) for device in self.devices}) > 1:
            raise ValueError("devices must be all indices or all UUIDs, not a mixture")
        return self


class Adapt(BaseModel):
    """Let the number of workers follow the load."""

    # Most say the bounds and leave the rest to Dask.
    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_serialization_defaults_required=False)

    minimum: WorkerCountOrZero = Field(description="Fewest workers.")
    maximum: WorkerCount = Field(description="Most workers.")
    interval_seconds: Annotated[float, Field(strict=True, ge=0.01, le=3600)] | None = Field(
        None, description="Seconds between two looks at the load; none: Dask's own setting, a second."
    )
    wait_count: Annotated[int, Field(strict=True, ge=1, le=100_000)] | None = Field(
        None, description="How many looks in a row must find a worker unneeded before it goes; none: Dask's own, 3."
    )
    target_duration_seconds: Annotated[float, Field(strict=True, ge=0.001, le=86400)] | None = Field(
        None,
        description="Seconds that what is waiting should take: the less, the more workers are started; none: Dask's "
        "own, 5.",
    )

    @model_validator(mode="after")
    def _order(self) -> Self:
        if self.minimum > self.maximum:
            raise ValueError(f"minimum ({self.minimum}) must not be larger than maximum ({self.maximum})")
        return self


class ClusterPatch(BaseModel):
    """A change to a living cluster: exactly one of the fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    n_workers: WorkerCountOrZero | None = Field(None, description="Scale to this number of workers.")
    adapt: Adapt | None = Field(None, description="Let the number of workers follow the load.")
    idle_timeout_seconds: Annotated[int, Field(strict=True, ge=0, le=MOST_SECONDS)] | None = Field(
        None, description="Seconds of idleness after which the cluster stops itself; 0 turns it off."
    )

    @model_validator(mode="before")
    @classmethod
    def _one(cls, value: Any) -> Any:
        if isinstance(value, dict):
            for field in value:
                if field in cls.model_fields and value[field] is None:
                    raise ValueError(f"{field} must not be empty")
            known = [field for field in value if field in cls.model_fields]
            if len(known) != 1 and not (set(value) - set(known)):
                raise ValueError("give exactly one of n_workers, adapt and idle_timeout_seconds")
        return value


def parse_patch(value: Any) -> ClusterPatch:
    """Validate a change to a living cluster.

    Raises
    ------
    InvalidRequest
        With a sentence per field; the state of the cluster is unchanged.
    """
    try:
        if isinstance(value, (bytes, str)):
            return ClusterPatch.model_validate_json(value)
        return ClusterPatch.model_validate(value)
    except ValidationError as error:
        raise invalid_request(error) from None

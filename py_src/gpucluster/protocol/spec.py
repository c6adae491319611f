"""What a user can ask for: ``ClusterSpec``, one model per backend.

These models validate REST bodies, magics, the command line and presets, draw the creation form
(JSON Schema) and are the help texts of every face. A bound is written here and nowhere else.

``json_schema_extra`` keys read by the form: ``group`` (the section a field belongs to) and ``advanced``.
"""

from __future__ import annotations

import os
import re
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    field_validator,
    model_validator,
)

from .errors import invalid_request
from .sizes import MemorySize, MemorySizeOrAuto

MAX_WORKERS = 256
"""Most workers one cluster of this machine may have."""

NAME_PATTERN = r"[A-Za-z0-9][A-Za-z0-9_.-]{0,62}"
_MODULE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
_DEVICE = re.compile(r"(GPU|MIG)-[0-9A-Za-z/-]{4,80}")

WorkerCount = Annotated[int, Field(strict=True, ge=1, le=MAX_WORKERS)]
WorkerCountOrZero = Annotated[int, Field(strict=True, ge=0, le=MAX_WORKERS)]


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


def _extra(group: str, *, advanced: bool = False) -> dict[str, Any]:
    return {"group": group, "advanced": advanced}


class SpecBase(BaseModel):
    """Options that every kind of cluster has."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        use_attribute_docstrings=True,
        allow_inf_nan=False,
        json_schema_serialization_defaults_required=True,
    )

    name: str | None = Field(
        None,
        title="Name",
        description="Name of the cluster: letters, digits, '.', '_' and '-'. Chosen for you when left out.",
        json_schema_extra=_extra("Cluster"),
    )
    n_workers: WorkerCount | None = Field(
        None,
        title="Workers",
        description="Number of worker processes. Left out: one per GPU, or up to four on CPU.",
        json_schema_extra=_extra("Cluster"),
    )
    threads_per_worker: Annotated[int, Field(strict=True, ge=1, le=128)] = Field(
        1,
        title="Threads per worker",
        description="Tasks that one worker runs at the same time.",
        json_schema_extra=_extra("Cluster"),
    )
    memory_limit: MemorySizeOrAuto | None = Field(
        "auto",
        title="Host memory per worker",
        description="Host memory of one worker: a size ('2 GiB'), a share of this machine ('20%'), "
        "'auto' for an equal share, or none for no limit.",
        json_schema_extra=_extra("Memory"),
    )
    idle_timeout_seconds: Annotated[int, Field(strict=True, ge=1, le=30 * 86400)] | None = Field(
        3600,
        title="Stop when idle for",
        description="Seconds after which a cluster that nobody is connected to and that computes nothing "
        "stops itself; none: never.",
        json_schema_extra=_extra("Cluster"),
    )
    local_directory: str | None = Field(
        None,
        title="Scratch directory",
        description="Absolute path of a directory on local disk for spilled data. A private folder is made inside.",
        json_schema_extra=_extra("Memory", advanced=True),
    )
    kernel_name: str | None = Field(
        None,
        title="Environment",
        description="Name of the Jupyter kernel whose Python environment the workers use. Left out: the caller's own.",
        json_schema_extra=_extra("Cluster", advanced=True),
    )

    def process_environment(self) -> dict[str, str]:
        """Return environment variables that the cluster's process needs before it imports anything."""
        return {}

    @field_validator("name")
    @classmethod
    def _name(cls, value: str | None) -> str | None:
        if value is not None and not re.fullmatch(NAME_PATTERN, value):
            raise ValueError("must start with a letter or digit and have at most 63 letters, digits, '.', '_' or '-'")
        if value is not None and re.fullmatch(r"[0-9a-f]{8}", value):
            raise ValueError("must not look like the id of a cluster (eight hexadecimal digits)")
        return value

    @field_validator("local_directory")
    @classmethod
    def _absolute(cls, value: str | None) -> str | None:
        if value is not None and (not os.path.isabs(value) or not value.isprintable()):
            raise ValueError("must be an absolute path")
        return value

    @field_validator("kernel_name")
    @classmethod
    def _kernel(cls, value: str | None) -> str | None:
        if value is not None and not re.fullmatch(r"[A-Za-z0-9._-]{1,100}", value):
            raise ValueError("must be the name of an installed Jupyter kernel")
        return value


class LocalSpec(SpecBase):
    """CPU workers on this machine."""

    backend: Literal["local"] = Field("local", title="Kind", description="CPU workers on this machine.")
    protocol: Literal["tls", "tcp"] = Field(
        "tls",
        title="Network",
        description="'tls' encrypts and lets only you connect. 'tcp' is unencrypted: anyone on this machine "
        "can run code as you.",
        json_schema_extra=_extra("Network", advanced=True),
    )


class AutoSpec(SpecBase):
    """GPU workers where a usable GPU is, else CPU workers."""

    backend: Literal["auto"] = Field(
        "auto", title="Kind", description="GPU workers where a usable GPU is, else CPU workers."
    )


class CudaSpec(SpecBase):
    """One worker per GPU on this machine (dask-cuda)."""

    backend: Literal["cuda"] = Field("cuda", title="Kind", description="One worker per GPU of this machine.")
    devices: list[Device] | None = Field(
        None,
        title="GPUs",
        description="GPUs to use, by index or UUID ('GPU-…', 'MIG-…'). Left out: all visible ones, idle ones first.",
        json_schema_extra=_extra("GPUs"),
    )
    device_memory_limit: MemorySizeOrAuto | None = Field(
        "auto",
        title="GPU memory before spilling",
        description="GPU memory that a worker's stored results may use before they move to host memory: "
        "a size, a share of the GPU, 'auto' (80%), or none for no limit.",
        json_schema_extra=_extra("GPU memory"),
    )
    rmm_pool_size: MemorySize | None = Field(
        None,
        title="RMM pool",
        description="GPU memory that each worker takes at the start as a pool, a size or a share of the GPU.",
        json_schema_extra=_extra("GPU memory"),
    )
    rmm_maximum_pool_size: MemorySize | None = Field(
        None,
        title="RMM pool, at most",
        description="Size that the pool (or the asynchronous allocator) may grow to.",
        json_schema_extra=_extra("GPU memory", advanced=True),
    )
    rmm_async: bool = Field(
        False,
        title="Asynchronous allocator",
        description="Use CUDA's stream-ordered allocator. It keeps its own pool, so leave 'rmm_pool_size' out.",
        json_schema_extra=_extra("GPU memory", advanced=True),
    )
    rmm_managed_memory: bool = Field(
        False,
        title="Managed memory",
        description="Let GPU memory page to host memory (slow, but does not run out). Not with 'rmm_async'.",
        json_schema_extra=_extra("GPU memory", advanced=True),
    )
    rmm_release_threshold: MemorySize | None = Field(
        None,
        title="Release threshold",
        description="Unused memory above this is given back by the asynchronous allocator.",
        json_schema_extra=_extra("GPU memory", advanced=True),
    )
    rmm_track_allocations: bool = Field(
        True,
        title="Track allocations",
        description="Measure how much of the pool is used, for the gauges. Costs a little on each allocation.",
        json_schema_extra=_extra("GPU memory", advanced=True),
    )
    rmm_allocator_external_lib_list: list[Literal["cupy", "torch"]] = Field(
        default_factory=list,
        title="Libraries that use RMM",
        description="Libraries whose GPU memory comes from the same pool.",
        json_schema_extra=_extra("GPU memory", advanced=True),
    )
    rmm_log_directory: str | None = Field(
        None,
        title="Allocation log",
        description="Absolute path of a directory where each worker logs its allocations.",
        json_schema_extra=_extra("GPU memory", advanced=True),
    )
    enable_cudf_spill: bool = Field(
        False,
        title="cuDF spilling",
        description="Let cuDF move its own data frames to host memory when the GPU is full. Best for ETL.",
        json_schema_extra=_extra("GPU memory"),
    )
    cudf_spill_stats: Annotated[int, Field(strict=True, ge=0, le=2)] = Field(
        0,
        title="cuDF spill statistics",
        description="0: none, 1: bytes and time, 2: also where each spill came from. Needs cuDF spilling.",
        json_schema_extra=_extra("GPU memory", advanced=True),
    )
    protocol: Literal["tls", "tcp", "ucx"] = Field(
        "tls",
        title="Network",
        description="'tls' encrypts and lets only you connect. 'ucx' (NVLink, InfiniBand) and 'tcp' are unencrypted: "
        "anyone who can reach the address can run code as you.",
        json_schema_extra=_extra("Network", advanced=True),
    )
    interface: str | None = Field(
        None,
        title="Network interface",
        description="Interface that UCX listens on, such as 'ib0'. Left out: this machine only.",
        json_schema_extra=_extra("Network", advanced=True),
    )
    enable_tcp_over_ucx: bool | None = Field(
        None, title="TCP over UCX", description="Force TCP in UCX; leave out for automatic choice.",
        json_schema_extra=_extra("Network", advanced=True),
    )  # fmt: skip
    enable_infiniband: bool | None = Field(
        None, title="InfiniBand", description="Force InfiniBand in UCX; leave out for automatic choice.",
        json_schema_extra=_extra("Network", advanced=True),
    )  # fmt: skip
    enable_nvlink: bool | None = Field(
        None, title="NVLink", description="Force NVLink in UCX; leave out for automatic choice.",
        json_schema_extra=_extra("Network", advanced=True),
    )  # fmt: skip
    enable_rdmacm: bool | None = Field(
        None, title="RDMA connection manager", description="Force RDMACM in UCX; leave out for automatic choice.",
        json_schema_extra=_extra("Network", advanced=True),
    )  # fmt: skip
    pre_import: list[str] = Field(
        default_factory=list,
        title="Import at start",
        description="Modules that each worker imports before its first task, such as 'cudf'.",
        json_schema_extra=_extra("Cluster", advanced=True),
    )

    def process_environment(self) -> dict[str, str]:
        """Return what makes workers report how much cuDF has spilled: read when distributed is imported."""
        return {"DASK_DISTRIBUTED__DIAGNOSTICS__CUDF": "True"} if self.cudf_spill_stats else {}

    @field_validator("rmm_log_directory")
    @classmethod
    def _absolute_log(cls, value: str | None) -> str | None:
        return cls._absolute(value)

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

    @field_validator("pre_import")
    @classmethod
    def _modules(cls, value: list[str]) -> list[str]:
        for module in value:
            if not _MODULE.fullmatch(module):
                raise ValueError(f"{module[:40]!r} is not the name of a Python module")
        return value

    @field_validator("interface")
    @classmethod
    def _interface(cls, value: str | None) -> str | None:
        if value is not None and not re.fullmatch(r"[A-Za-z0-9_.:-]{1,32}", value):
            raise ValueError("must be the name of a network interface, such as 'ib0'")
        return value

    @model_validator(mode="after")
    def _combinations(self) -> Self:
        if self.rmm_async and self.rmm_managed_memory:
            raise ValueError("rmm_async and rmm_managed_memory exclude each other; choose one")
        if self.rmm_async and self.rmm_pool_size is not None:
            raise ValueError("rmm_async keeps its own pool; leave rmm_pool_size out or turn rmm_async off")
        if self.rmm_release_threshold is not None and not self.rmm_async:
            raise ValueError("rmm_release_threshold has an effect only with rmm_async; turn it on or leave it out")
        if self.rmm_maximum_pool_size is not None and self.rmm_pool_size is None and not self.rmm_async:
            raise ValueError("rmm_maximum_pool_size needs rmm_pool_size or rmm_async")
        pool, most = self.rmm_pool_size, self.rmm_maximum_pool_size
        if pool is not None and most is not None and type(pool) is type(most) and most < pool:
            raise ValueError("rmm_maximum_pool_size must not be smaller than rmm_pool_size")
        switches = {
            "enable_tcp_over_ucx": self.enable_tcp_over_ucx, "enable_infiniband": self.enable_infiniband,
            "enable_nvlink": self.enable_nvlink, "enable_rdmacm": self.enable_rdmacm,
        }  # fmt: skip
        chosen = [name for name, value in switches.items() if value is not None]
        if chosen and self.protocol != "ucx":
            raise ValueError(f"{chosen[0]} needs protocol 'ucx'")
        if self.enable_nvlink and self.rmm_managed_memory:
            raise ValueError("enable_nvlink and rmm_managed_memory exclude each other; choose one")
        if self.interface is not None and self.protocol == "tls":
            raise ValueError("interface is for protocol 'ucx' or 'tcp'; with 'tls' the cluster stays on this machine")
        if self.cudf_spill_stats and not self.enable_cudf_spill:
            raise ValueError("cudf_spill_stats needs enable_cudf_spill")
        if self.devices is not None and self.n_workers is not None and self.n_workers > len(self.devices):
            raise ValueError(
                f"n_workers is {self.n_workers} but only {len(self.devices)} GPUs are named; one worker per GPU"
            )
        if self.devices is not None and len({isinstance(device, str) for device in self.devices}) > 1:
            raise ValueError("devices must be all indices or all UUIDs, not a mixture")
        return self


ClusterSpec: TypeAlias = Annotated[LocalSpec | CudaSpec | AutoSpec, Field(discriminator="backend")]
"""What is wanted: a union of one model per backend, told apart by ``backend``."""

CLUSTER_SPEC: TypeAdapter[LocalSpec | CudaSpec | AutoSpec] = TypeAdapter(ClusterSpec)


def parse_spec(value: Any) -> LocalSpec | CudaSpec | AutoSpec:
    """Validate a wished-for cluster.

    Parameters
    ----------
    value : dict, bytes, str or spec
        A mapping, or JSON text. ``backend`` may be left out and is then ``"auto"``.

    Raises
    ------
    InvalidRequest
        With a sentence per field.
    """
    if isinstance(value, SpecBase):
        return value  # type: ignore[return-value]
    try:
        if isinstance(value, (bytes, str)):
            value = TypeAdapter(dict[str, Any]).validate_json(value)
        if isinstance(value, dict) and "backend" not in value:
            value = {**value, "backend": "auto"}
        return CLUSTER_SPEC.validate_python(value)
    except ValidationError as error:
        raise invalid_request(error) from None


class Adapt(BaseModel):
    """Let the number of workers follow the load."""

    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_serialization_defaults_required=True)

    minimum: WorkerCountOrZero = Field(description="Fewest workers.")
    maximum: WorkerCount = Field(description="Most workers.")

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
    idle_timeout_seconds: Annotated[int, Field(strict=True, ge=0, le=30 * 86400)] | None = Field(
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

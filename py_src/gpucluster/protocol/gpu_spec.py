"""The options of kinds with GPU workers: those of dask-cuda."""

from __future__ import annotations

import re
from functools import partial
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, field_validator, model_validator

from .machine_spec import MODULE_NAME, MachineSpec
from .sizes import MemorySize, MemorySizeOrAuto, zero_means_none
from .spec_base import shown_in

_DEVICE = re.compile(r"(GPU|MIG)-[0-9A-Za-z/-]{4,80}")


def _parse_device(value: Any) -> int | str:
    known = (isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 1023) or (
        isinstance(value, str) and _DEVICE.fullmatch(value)
    )
    if not known:
        raise ValueError(f"{str(value)[:40]!r} is neither a GPU index nor a UUID such as 'GPU-…' or 'MIG-…'")
    device: int | str = value
    return device


_memory_option = partial(Field, json_schema_extra=shown_in("GPU memory", advanced=True))

# One validator for the union: pydantic would report the fault of each of its members.
Device = Annotated[int | str, BeforeValidator(_parse_device)]


class GPUSpec(MachineSpec):
    """Options of workers that have a GPU each (dask-cuda)."""

    device_memory_limit: MemorySizeOrAuto | None = _memory_option(
        "auto",
        title="GPU memory before spilling",
        description="GPU memory that a worker's stored results may use before they move to host memory: "
        "a size, a fraction of the GPU, 'auto' (80%), or none (also 0) for no limit.",
    )
    rmm_pool_size: MemorySize | None = _memory_option(
        None,
        title="RMM pool",
        description="GPU memory that each worker allocates as a pool when it starts: a size or a fraction of the GPU.",
    )
    rmm_maximum_pool_size: MemorySize | None = _memory_option(
        None, title="RMM pool limit", description="Size that the pool (or the asynchronous allocator) may grow to."
    )
    rmm_async: bool = _memory_option(
        False,
        title="Asynchronous allocator",
        description="Use CUDA's stream-ordered allocator. It has its own pool, so leave 'rmm_pool_size' empty.",
    )
    rmm_managed_memory: bool = _memory_option(
        False,
        title="Managed memory",
        description="Let GPU memory page to host memory (slow, but does not run out). Not with 'rmm_async'.",
    )
    rmm_release_threshold: MemorySize | None = _memory_option(
        None,
        title="Release threshold",
        description="The asynchronous allocator releases unused memory above this size.",
    )
    rmm_track_allocations: bool = _memory_option(
        True,
        title="Track allocations",
        description="Measure how much of the pool is used, for the gauges. Adds a small cost to each allocation.",
    )
    rmm_allocator_external_lib_list: list[Literal["cupy", "torch"]] = _memory_option(
        default_factory=list,
        title="Libraries that use RMM",
        description="Libraries whose GPU memory comes from the same pool.",
    )
    rmm_log_directory: str | None = _memory_option(
        None, title="Allocation log", description="Absolute path of a directory where each worker logs its allocations."
    )
    enable_cudf_spill: bool = _memory_option(
        False,
        title="cuDF spilling",
        description="Let cuDF move its own data frames to host memory when the GPU is full. Best for ETL.",
    )
    cudf_spill_stats: Annotated[int, Field(strict=True, ge=0, le=2)] = _memory_option(
        0,
        title="cuDF spill statistics",
        description="0: none, 1: bytes and time, 2: also where each spill came from. Needs cuDF spilling.",
    )
    pre_import: list[str] = Field(
        default_factory=list,
        title="Import at start",
        description="Modules that each worker imports before its first task, such as 'cudf'.",
        json_schema_extra=shown_in("Cluster", advanced=True),
    )

    def chosen_gpu_options(self) -> list[str]:
        """Return the options of this model that differ from their default: they require a GPU."""
        fields = GPUSpec.model_fields
        return [
            name
            for name in fields
            if name not in MachineSpec.model_fields
            and getattr(self, name) != fields[name].get_default(call_default_factory=True)
        ]

    def allocates_with_rmm(self) -> bool:
        """Whether workers get their own RMM allocator."""
        return self.rmm_pool_size is not None or self.rmm_async or self.rmm_managed_memory

    def worker_environment(self) -> dict[str, str]:
        """Return the variable that lets workers report what cuDF has spilled; read when distributed is imported."""
        return {"DASK_DISTRIBUTED__DIAGNOSTICS__CUDF": "True"} if self.cudf_spill_stats else {}

    def process_environment(self) -> dict[str, str]:
        """Return the variables of the cluster's processes, including the workers'."""
        return {**self.worker_environment(), **super().process_environment()}

    _never_spills = field_validator("device_memory_limit", mode="before")(zero_means_none)
    _absolute_log = field_validator("rmm_log_directory")(MachineSpec._absolute)

    @field_validator("pre_import")
    @classmethod
    def _modules(cls, value: list[str]) -> list[str]:
        for module in value:
            if not MODULE_NAME.fullmatch(module):
                raise ValueError(f"{module[:40]!r} is not the name of a Python module")
        return value

    @model_validator(mode="after")
    def _of_memory(self) -> Self:
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
        if self.cudf_spill_stats and not self.enable_cudf_spill:
            raise ValueError("cudf_spill_stats needs enable_cudf_spill")
        return self

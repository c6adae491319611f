"""Options of the kinds that start their workers' processes themselves, beside those of every kind, and of dask-cuda."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BeforeValidator, Field, WithJsonSchema, field_validator, model_validator

from .plain_text import printable
from .sizes import MemorySize, MemorySizeOrAuto, zero_means_none
from .spec_base import MOST_SECONDS, AbsolutePath, Interface, SpecBase, advanced, option, pairs
from .version import GIVEN_VARIABLES

MODULE_NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
_VARIABLE = re.compile(r"[^=\0\s]{1,200}")
_RESOURCE = re.compile(r"[^\s,=\0]{1,100}")  # Dask's command line, for other machines, splits at spaces, ',' and '='.
_MOST_ENTRIES = 200
HIDDEN = "…"  # Replaces the value of a variable, which may be a password, in a record.


def _pairs(value: Any, example: str) -> dict[Any, Any]:
    """Read a mapping, or the same as text: ``NAME=value,OTHER=value``."""
    if isinstance(value, str):
        value = pairs(value, example)
    if not isinstance(value, Mapping):
        raise ValueError(f"must be a mapping of names to values, or text like {example}")
    if len(value) > _MOST_ENTRIES:
        raise ValueError(f"may have at most {_MOST_ENTRIES} entries")
    return dict(value)


def _parse_environment(value: Any) -> dict[str, str]:
    found = {}
    for name, given in _pairs(value, "'NAME=value,OTHER=value'").items():
        if not isinstance(name, str) or not _VARIABLE.fullmatch(name):
            raise ValueError(f"{str(name)[:40]!r} is not a valid environment variable name")
        if not isinstance(given, (str, int, float)):
            raise ValueError(f"the value of {printable(name, 40)} must be text or a number")
        text = str(given)
        try:
            fits = "\0" not in text and os.fsencode(name + text)
        except UnicodeEncodeError:
            fits = False
        if not fits:
            raise ValueError(f"the value of {printable(name, 40)} is not allowed in an environment variable")
        found[name] = text
    return found


def _parse_resources(value: Any) -> dict[str, float]:
    found = {}
    for name, given in _pairs(value, "'GPU=2,MEMORY=4e9'").items():
        if not isinstance(name, str) or not _RESOURCE.fullmatch(name) or not name.isprintable():
            raise ValueError(
                f"'{printable(str(name), 40)}' is not a valid resource name: use at most 100 letters, digits and other "
                "characters, without spaces, ',' and '='"
            )
        try:
            amount = math.nan if isinstance(given, bool) else float(given)
        except (OverflowError, TypeError, ValueError):
            amount = math.nan
        if not math.isfinite(amount) or amount < 0:
            raise ValueError(f"the amount of {name[:40]} must be a number of at least 0")
        found[name] = amount
    return found


def _parse_preload(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


READ_WHEN_LOADED = (
    "LD_", "PYTHON", "DASK_", "CUDA_", "NVIDIA_", "UCX_", "RAPIDS_", "CUDF_", "RMM_", "OMP_", "MKL_",
    "OPENBLAS_", "MALLOC_", "NUMBA_", "NUMEXPR_",
)  # fmt: skip
"""Prefixes of variables that programs and libraries read when loaded; forked workers have loaded them already."""
_TEXT_OR_OBJECT = WithJsonSchema({"type": ["string", "object"]})
Environment = Annotated[dict[str, str], BeforeValidator(_parse_environment), _TEXT_OR_OBJECT]
Resources = Annotated[dict[str, float], BeforeValidator(_parse_resources), _TEXT_OR_OBJECT]
Lifetime = Annotated[int, Field(strict=True, ge=1, le=MOST_SECONDS)]


class MachineSpec(SpecBase):
    """Options of kinds that start their workers' processes themselves, on this machine unless they say otherwise."""

    forked: ClassVar[bool] = True  # Whether workers are forked from the process that starts them.
    env: Environment | None = advanced(
        "Cluster",
        "Environment variables",
        None,
        "Environment variables of the workers, as 'NAME=value,OTHER=value'; in Python and "
        "JSON also a mapping. The values are not stored.",
        empty="none",
    )
    resources: Resources | None = advanced(
        "Cluster",
        "Resources",
        None,
        "Abstract resources of each worker, as 'GPU=2,MEMORY=4e9'; in Python and JSON also a mapping.",
        empty="none",
    )
    preload: Annotated[list[str], BeforeValidator(_parse_preload)] = advanced(
        "Cluster",
        "Preload",
        list,
        "Modules, or absolute paths of Python files, that each worker runs when it starts; their "
        "'dask_setup(worker)' is called.",
    )
    lifetime_seconds: Lifetime | None = advanced(
        "Cluster", "Worker lifetime", None, "Seconds until a worker hands over its results and restarts; none: never."
    )
    lifetime_stagger_seconds: Lifetime | None = advanced(
        "Cluster",
        "Lifetime jitter",
        None,
        "Random difference between the lifetimes of workers, in seconds, so that they do not all restart at once.",
    )

    def process_environment(self) -> dict[str, str]:
        """Return the variables, packed for the workers, so that they do not affect the process that starts them.

        If workers are forked from that process, it gets the variables that are read when libraries are loaded.
        """
        given = self.env or {}
        own = {name: value for name, value in given.items() if self.forked and name.startswith(READ_WHEN_LOADED)}
        packed = {name: value for name, value in given.items() if name not in own}
        return {**super().process_environment(), **own, **({GIVEN_VARIABLES: json.dumps(packed)} if packed else {})}

    def written_down(self) -> SpecBase:
        """Return the spec without the values of variables; the processes have them from their environment."""
        return self if not self.env else self.model_copy(update={"env": dict.fromkeys(self.env, HIDDEN)})

    @field_validator("preload")
    @classmethod
    def _preloads(cls, value: list[str]) -> list[str]:
        for name in value:
            is_file = os.path.isabs(name) and name.endswith(".py") and name.isprintable()
            if not is_file and not MODULE_NAME.fullmatch(name):
                raise ValueError(
                    f"{name[:60]!r} is neither the name of a module nor the absolute path of a Python file; nothing "
                    "is downloaded"
                )
        return value


class ScratchSpec(MachineSpec):
    """Options of kinds whose workers spill to a disk of this machine."""

    scratch_limit: MemorySizeOrAuto | None = advanced(
        "Memory",
        "Scratch limit",
        "auto",
        "Limit on what all workers together spill to disk: a size ('20 GiB'), a percentage of the disk "
        "('10%'), 'auto' for half of what is free when the cluster starts (or of what the site leaves you, if that is "
        "less), or none for no limit, which a site may reject. What does not fit stays in memory.",
    )


listens_on = partial(
    advanced,
    "Network",
    "Network interface",
    None,
    "Interface of this machine that the cluster listens on, such as 'ib0': for UCX, and for workers on other machines. "
    "Default: this machine only, or the one that leads to them.",
)


class NodeSpec(MachineSpec):
    """Options of kinds that start workers on other machines; the scheduler is on this one."""

    forked: ClassVar[bool] = False

    memory_limit: MemorySizeOrAuto | None = option(
        "Memory",
        "Host memory per worker",
        "auto",
        "Host memory of one worker: a size ('2 GiB'), 'auto' for its share of the memory where it runs, or none "
        "(also 0) for no limit.",
    )
    local_directory: str | None = advanced(
        "Memory",
        "Scratch directory",
        None,
        "Absolute path of a directory on a local disk of the workers' machines, for spilled data. A private folder is "
        "created inside.",
    )
    interface: Interface | None = listens_on()
    protocol: Literal["tls", "tcp"] = advanced(
        "Network",
        "Network",
        "tls",
        "'tls' encrypts, and lets only you connect. 'tcp' is open: anyone who can reach one of these "
        "machines can run code as you.",
    )

    @field_validator("memory_limit")
    @classmethod
    def _absolute_size(cls, value: Any) -> Any:
        if isinstance(value, float):
            raise ValueError("must be a size, such as '2 GiB', not a percentage: machines differ")
        return value


_DEVICE = re.compile(r"(GPU|MIG)-[0-9A-Za-z/-]{4,80}")


def _parse_device(value: Any) -> int | str:
    is_index = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 1023
    if not is_index and not (isinstance(value, str) and _DEVICE.fullmatch(value)):
        raise ValueError(f"{str(value)[:40]!r} is neither a GPU index nor a UUID such as 'GPU-…' or 'MIG-…'")
    device: int | str = value
    return device


_memory_option = partial(advanced, "GPU memory")

# One validator for the union: pydantic would report the fault of each of its members.
Device = Annotated[int | str, BeforeValidator(_parse_device)]


class GPUSpec(MachineSpec):
    """Options of workers that have a GPU each (dask-cuda)."""

    device_memory_limit: MemorySizeOrAuto | None = _memory_option(
        "GPU memory before spilling",
        "auto",
        "GPU memory that a worker's stored results may use before they move to host memory: "
        "a size, a fraction of the GPU, 'auto' (80%), or none (also 0) for no limit.",
    )
    rmm_pool_size: MemorySize | None = _memory_option(
        "RMM pool", None, "GPU memory that a worker allocates as a pool at its start: a size or a fraction of the GPU."
    )
    rmm_maximum_pool_size: MemorySize | None = _memory_option(
        "RMM pool limit", None, "Size that the pool (or the asynchronous allocator) may grow to."
    )
    rmm_async: bool = _memory_option(
        "Asynchronous allocator", False, "CUDA's stream-ordered one, with its own pool: leave 'rmm_pool_size' empty."
    )
    rmm_managed_memory: bool = _memory_option(
        "Managed memory", False, "Let GPU memory page to host memory (slow, but never runs out). Not with 'rmm_async'."
    )
    rmm_release_threshold: MemorySize | None = _memory_option(
        "Release threshold", None, "The asynchronous allocator releases unused memory above this size."
    )
    rmm_track_allocations: bool = _memory_option(
        "Track allocations",
        True,
        "Measure how much of the pool is used, for the gauges, at a small cost per allocation.",
    )
    rmm_allocator_external_lib_list: list[Literal["cupy", "torch"]] = _memory_option(
        "Libraries that use RMM", list, "Libraries whose GPU memory comes from the same pool."
    )
    rmm_log_directory: AbsolutePath | None = _memory_option(
        "Allocation log", None, "Absolute path of a directory where each worker logs its allocations."
    )
    enable_cudf_spill: bool = _memory_option(
        "cuDF spilling", False, "Let cuDF move its own data frames to host memory when the GPU is full. Best for ETL."
    )
    cudf_spill_stats: Annotated[int, Field(strict=True, ge=0, le=2)] = _memory_option(
        "cuDF spill statistics", 0, "0: none, 1: bytes and time, 2: also where spills came from. Needs cuDF spilling."
    )
    pre_import: list[str] = advanced(
        "Cluster", "Import at start", list, "Modules that each worker imports before its first task, such as 'cudf'."
    )

    def chosen_gpu_options(self) -> list[str]:
        """Return the options of this model that differ from their default: they require a GPU."""
        own = {name: field for name, field in GPUSpec.model_fields.items() if name not in MachineSpec.model_fields}
        return [name for name in own if getattr(self, name) != own[name].get_default(call_default_factory=True)]

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
            raise ValueError("rmm_async and rmm_managed_memory cannot be combined; choose one")
        if self.rmm_async and self.rmm_pool_size is not None:
            raise ValueError("rmm_async keeps its own pool; omit rmm_pool_size or turn rmm_async off")
        if self.rmm_release_threshold is not None and not self.rmm_async:
            raise ValueError("rmm_release_threshold has an effect only with rmm_async; turn it on or omit it")
        if self.rmm_maximum_pool_size is not None and self.rmm_pool_size is None and not self.rmm_async:
            raise ValueError("rmm_maximum_pool_size needs rmm_pool_size or rmm_async")
        pool, most = self.rmm_pool_size, self.rmm_maximum_pool_size
        if pool is not None and most is not None and type(pool) is type(most) and most < pool:
            raise ValueError("rmm_maximum_pool_size must be at least rmm_pool_size")
        if self.cudf_spill_stats and not self.enable_cudf_spill:
            raise ValueError("cudf_spill_stats needs enable_cudf_spill")
        return self

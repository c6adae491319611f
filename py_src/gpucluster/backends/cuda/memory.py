"""GPU memory of a cluster in bytes, and whether it is available.

dask-cuda refers shares to the wrong GPU: to the first one for all, to the whole GPU for a MIG slice. So it gets bytes
only, computed from NVML's figures: a share refers to the smallest device.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...devices.selection import describe
from ...protocol.machine_spec import GPUSpec
from ...protocol.models import DeviceModel, DeviceProcess
from ...protocol.sizes import format_size
from .spec import importable, refused

DEFAULT_DEVICE_SHARE = 0.8
SLOT_POOL_SHARE = 0.9  # Of a slot: CUDA itself takes a few hundred MiB per process outside of any pool.
ALIGNMENT_BYTES = 256  # RMM accepts only multiples of this.


@dataclass(frozen=True)
class DeviceMemory:
    """Sizes in bytes; ``None``: not set."""

    device_memory_limit: int | None
    rmm_pool_size: int | None
    rmm_maximum_pool_size: int | None
    rmm_release_threshold: int | None


_SIZES = ("device_memory_limit", "rmm_pool_size", "rmm_maximum_pool_size", "rmm_release_threshold")
_SWITCHES = (
    "rmm_managed_memory", "rmm_async", "rmm_log_directory", "rmm_track_allocations", "enable_cudf_spill",
    "cudf_spill_stats",
)  # fmt: skip


def memory_options(spec: GPUSpec, memory: DeviceMemory | GPUSpec) -> dict[str, Any]:
    """Return arguments of dask-cuda's cluster and worker. `memory`: resolved, or the spec for its share of a GPU."""
    return {
        **{name: getattr(memory, name) for name in _SIZES},
        **{name: getattr(spec, name) for name in _SWITCHES},
        "rmm_allocator_external_lib_list": list(spec.rmm_allocator_external_lib_list) or None,
        "pre_import": list(spec.pre_import) or None,
    }


def resolve_memory(spec: GPUSpec, devices: Sequence[DeviceModel], first: int, *, parts: int = 1) -> DeviceMemory:
    """Turn shares into bytes and refuse what the devices do not have.

    * `devices`: every device the cluster may ever use.
    * `first`: how many of them are used at first: these must have the memory free now.
    * `parts`: number of slots of each device. Shares then refer to a slot's memory, and workers with RMM have a pool
      that cannot grow beyond it.

    Raises `PreflightFailed` with figures and, if memory is in use, the processes that use it.
    """
    smallest = min(devices, key=lambda device: device.memory_total_bytes or 0)
    total = smallest.memory_total_bytes
    if parts > 1 and total:
        total //= parts
        smallest = smallest.model_copy(update={"memory_total_bytes": total, "name": f"slot of 1/{parts}"})
        spec = _within_slot(spec)
    limit = spec.device_memory_limit
    if limit == "auto":
        limit = DEFAULT_DEVICE_SHARE if total else None
    sizes = {name: getattr(spec, name) for name in _SIZES} | {"device_memory_limit": limit}
    memory = DeviceMemory(**{name: _bytes(name, given, smallest) for name, given in sizes.items()})
    if not total and memory.device_memory_limit is not None:
        raise refused(
            "device_memory_limit",
            f"{describe(smallest)} has no separate memory to limit; set device_memory_limit to none.",
        )
    if not total and spec.enable_cudf_spill:
        raise refused("enable_cudf_spill", f"{describe(smallest)} has no separate memory to spill from.")
    _check_order(memory)
    if total and not spec.rmm_managed_memory:  # Managed memory may be larger than the GPU: that is its purpose.
        _check_total(memory, smallest, total)
        for device in devices[:first]:
            _check_free(memory.rmm_pool_size, device)
    return memory


def _within_slot(spec: GPUSpec) -> GPUSpec:
    """Return a spec whose workers stay within a slot, if they have RMM and use no other allocator."""
    if spec.rmm_async:
        bounds: dict[str, float] = {"rmm_maximum_pool_size": SLOT_POOL_SHARE}
    elif spec.rmm_managed_memory or not importable("rmm"):
        bounds = {}
    else:
        bounds = {"rmm_pool_size": SLOT_POOL_SHARE, "rmm_maximum_pool_size": SLOT_POOL_SHARE}
    open_sizes = {name: share for name, share in bounds.items() if getattr(spec, name) is None}
    if spec.device_memory_limit == "auto":
        # Of the pool: the rest is CUDA's own.
        open_sizes["device_memory_limit"] = DEFAULT_DEVICE_SHARE * SLOT_POOL_SHARE
    return spec.model_copy(update=open_sizes)


def _bytes(option: str, size: float | str | None, smallest: DeviceModel) -> int | None:
    if size is None:
        return None
    if isinstance(size, float):
        if not smallest.memory_total_bytes:
            raise refused(option, f"The memory of {describe(smallest)} is unknown; set {option} to a size.")
        size = size * smallest.memory_total_bytes
    return int(size) // ALIGNMENT_BYTES * ALIGNMENT_BYTES


def _check_order(memory: DeviceMemory) -> None:
    pool, most = memory.rmm_pool_size, memory.rmm_maximum_pool_size
    if pool is not None and most is not None and most < pool:
        raise refused(
            "rmm_maximum_pool_size",
            f"rmm_maximum_pool_size ({format_size(most)}) must be at least rmm_pool_size ({format_size(pool)}).",
        )


def _check_total(memory: DeviceMemory, smallest: DeviceModel, total: int) -> None:
    for option in ("rmm_pool_size", "rmm_maximum_pool_size", "device_memory_limit"):
        size = getattr(memory, option)
        if size is not None and size > total:
            raise refused(
                option,
                f"{option} is {format_size(size)}, but {describe(smallest)} has {format_size(total)} in total. Request "
                "less, such as '80%', or choose larger GPUs.",
            )


def _check_free(pool: int | None, device: DeviceModel) -> None:
    total, used = device.memory_total_bytes, device.memory_used_bytes
    if pool is None or total is None or used is None:
        return
    free = total - used - (device.memory_reserved_bytes or 0)
    if pool <= free:
        return
    users = ", ".join(_user(process) for process in device.processes[:4]) or "processes that are not visible here"
    raise refused(
        "rmm_pool_size",
        f"rmm_pool_size is {format_size(pool)}, but {describe(device)} has {format_size(free)} free of "
        f"{format_size(total)}; it is used by {users}. Choose a smaller pool or other GPUs.",
    )


def _user(process: DeviceProcess) -> str:
    facts = [f"process {process.pid}"]
    if process.user:
        facts.append(f"user {process.user}")
    if process.memory_used_bytes is not None:
        facts.append(format_size(process.memory_used_bytes))
    return f"{process.command or 'a program'} ({', '.join(facts)})"


_RMM_SIGNS = ("CUDARuntimeError", "RMM failure", "MemoryError", "bad_alloc", "out_of_memory")
_ALLOCATORS = ("rmm_pool_size", "rmm_async", "rmm_managed_memory", "rmm_track_allocations")


def explain(cause: str, options: Mapping[str, Any]) -> str:
    """Add the option that probably led to the cause, and what to do, if known."""
    chosen = [name for name in _ALLOCATORS if options.get(name)]
    if not chosen or not any(sign in cause for sign in _RMM_SIGNS):
        return cause
    option = chosen[0]
    size = f" ({format_size(options[option])})" if option == "rmm_pool_size" else ""
    advice = {
        "rmm_pool_size": "choose a smaller pool, or omit it",
        "rmm_async": "the GPU or driver may not support it; use rmm_pool_size instead",
        "rmm_managed_memory": "the GPU or driver may not support it; turn it off",
        "rmm_track_allocations": "turn it off, or see the log",
    }[option]
    return f"{cause}. The allocator requested by {option}{size} could not be set up: {advice}"

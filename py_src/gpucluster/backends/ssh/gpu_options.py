"""What is asked of GPUs, looked at against the GPUs of the hosts before anything starts there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...protocol.errors import FieldError, MissingPackage, PreflightFailed
from ...protocol.models import DeviceModel
from ...protocol.ssh_spec import SSHSpec
from ..cuda.memory import resolve_memory
from ..cuda.packages import needed_packages

if TYPE_CHECKING:
    from .host import Host


def needed_modules(spec: SSHSpec) -> list[str]:
    """Return the modules that the Python of each host with GPUs must have."""
    return [*(need.module for need in needed_packages(spec)), "cuda.bindings", *spec.pre_import]


def prepare_gpus(spec: SSHSpec, hosts: Sequence[Host]) -> None:
    """Resolve shares of GPU memory for each host; refuse what cannot be had.

    Raises
    ------
    PreflightFailed
        Naming the option, the host and what to do.
    """
    with_gpus = [host for host in hosts if host.gpus]
    chosen = spec.chosen_gpu_options()
    if not with_gpus:
        if chosen:
            message = f"{chosen[0]} is for workers with a GPU, and none of the hosts has one that can be used."
            raise PreflightFailed(message, fields=[FieldError(field=chosen[0], message=message)])
        return
    places = sum(len(host.gpus) for host in with_gpus)
    for host in with_gpus:
        _must_have_packages(spec, host)
        devices = host.devices()
        # Where only some of the GPUs get a worker, nobody knows yet which.
        all_at_once = spec.n_workers is None or spec.n_workers >= places
        host.gpu_options = _options(spec, devices, len(devices) if all_at_once else 0)


def _must_have_packages(spec: SSHSpec, host: Host) -> None:
    missing = host.facts.get("missing", [])
    for need in needed_packages(spec):
        if need.module in missing:
            raise need.refusal(f"is not installed on {host.name}")
    if "cuda.bindings" in missing:
        raise MissingPackage(
            f"{host.name}: dask-cuda lacks the package 'cuda-bindings' there: run pip install 'dask-cuda[cu13]'."
        )
    for module in spec.pre_import:
        if module in missing:
            message = (
                f"The module '{module}' of pre_import is not installed on {host.name}; install it, or leave it out."
            )
            raise MissingPackage(message, fields=[FieldError(field="pre_import", message=message)])


def _options(spec: SSHSpec, devices: list[DeviceModel], first: int) -> dict[str, Any]:
    """Return arguments of ``dask_cuda.CUDAWorker``; all sizes are bytes."""
    memory = resolve_memory(spec, devices, first)
    return {
        "device_memory_limit": memory.device_memory_limit,
        "rmm_pool_size": memory.rmm_pool_size,
        "rmm_maximum_pool_size": memory.rmm_maximum_pool_size,
        "rmm_managed_memory": spec.rmm_managed_memory,
        "rmm_async": spec.rmm_async,
        "rmm_release_threshold": memory.rmm_release_threshold,
        "rmm_allocator_external_lib_list": list(spec.rmm_allocator_external_lib_list) or None,
        "rmm_log_directory": spec.rmm_log_directory,
        "rmm_track_allocations": spec.rmm_track_allocations,
        "enable_cudf_spill": spec.enable_cudf_spill,
        "cudf_spill_stats": spec.cudf_spill_stats,
        "pre_import": list(spec.pre_import) or None,
    }

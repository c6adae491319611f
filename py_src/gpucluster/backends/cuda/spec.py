"""The options of GPU workers on this machine, and the packages that they need.

Packages are found without importing them: importing cudf or cupy takes seconds, and may initialize CUDA in a process
that must not.
"""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import dataclass
from functools import partial
from importlib.machinery import ModuleSpec, PathFinder
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from ...operating_system import LINUX
from ...protocol.errors import FieldError, GPUClusterError, MissingPackage, PreflightFailed
from ...protocol.machine_spec import Device, GPUSpec, ScratchSpec, listens_on
from ...protocol.spec_base import Interface, WorkerCountOrZero, advanced, number_of_workers, option

_advanced = partial(advanced, "Network")
queues_for_gpus = partial(
    advanced,
    "GPUs",
    "Queue for GPUs",
    True,
    "If the site assigns GPU slots and none is free: wait in the queue; otherwise fail immediately.",
)


class CudaSpec(GPUSpec, ScratchSpec):
    """One worker per GPU on this machine (dask-cuda)."""

    backend: Literal["cuda"] = Field("cuda", title="Kind", description="One worker per GPU of this machine.")
    n_workers: WorkerCountOrZero | None = number_of_workers("one per GPU")
    devices: list[Device] | None = option(
        "GPUs", "GPUs", None, "GPUs to use, by index or UUID ('GPU-…', 'MIG-…'). Default: all visible ones, idle first."
    )
    wait_in_line: bool = queues_for_gpus()
    protocol: Literal["unix", "tls", "tcp", "ucx"] = _advanced(
        "Network",
        "unix",
        "'unix' opens no port: sockets in a private folder let only you connect. 'tls' encrypts, for programs without "
        "gpucluster. 'ucx' (NVLink, InfiniBand) and 'tcp' are open: anyone who can reach the address can run code as "
        "you.",
    )
    interface: Interface | None = listens_on()
    enable_tcp_over_ucx: bool | None = _advanced("TCP over UCX", None, "Whether UCX uses TCP. Default: UCX decides.")
    enable_infiniband: bool | None = _advanced("InfiniBand", None, "Whether UCX uses InfiniBand. Default: UCX decides.")
    enable_nvlink: bool | None = _advanced("NVLink", None, "Whether UCX uses NVLink. Default: UCX decides.")
    enable_rdmacm: bool | None = _advanced(
        "RDMA connection manager", None, "Whether UCX uses RDMACM. Default: UCX decides."
    )

    @field_validator("devices")
    @classmethod
    def _devices(cls, value: list[int | str] | None) -> list[int | str] | None:
        if value is None:
            return None
        if not value:
            raise ValueError("must name at least one GPU; leave it empty for all")
        if len(set(value)) != len(value):
            raise ValueError("names a GPU twice; one worker per GPU")
        return value

    @model_validator(mode="after")
    def _combinations(self) -> Self:
        switches = ("enable_tcp_over_ucx", "enable_infiniband", "enable_nvlink", "enable_rdmacm")
        chosen = [name for name in switches if getattr(self, name) is not None]
        if chosen and self.protocol != "ucx":
            raise ValueError(f"{chosen[0]} needs protocol 'ucx'")
        if self.enable_nvlink and self.rmm_managed_memory:
            raise ValueError("enable_nvlink and rmm_managed_memory cannot be combined; choose one")
        if self.interface is not None and self.protocol in {"unix", "tls"}:
            raise ValueError(f"interface is for protocol 'ucx' or 'tcp'; '{self.protocol}' stays on this machine")
        if self.devices is not None and self.n_workers is not None and self.n_workers > len(self.devices):
            raise ValueError(f"n_workers is {self.n_workers}, but {len(self.devices)} GPUs are named; one worker each")
        if self.devices is not None and len({isinstance(device, str) for device in self.devices}) > 1:
            raise ValueError("devices must be all indices or all UUIDs, not a mixture")
        return self


GPU_EXTRA = "pip install 'gpucluster[gpu-cu13]'"


def refused(option: str, message: str, error: type[GPUClusterError] = PreflightFailed) -> GPUClusterError:
    return error(message, fields=[FieldError(field=option, message=message)])


def missing_module(module: str, where: str) -> GPUClusterError:
    """Return the error of a module of ``pre_import`` that is not installed somewhere."""
    message = f"The module '{module}' of pre_import is not installed {where}; install it, or omit it."
    return refused("pre_import", message, MissingPackage)


def importable(module: str) -> bool:
    """Whether a module can be found, without importing it or its parents."""
    if module in sys.modules:
        return sys.modules[module] is not None
    top, *rest = module.split(".")
    try:
        found: ModuleSpec | None = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return False
    name = top
    for part in rest:
        if found is None or found.submodule_search_locations is None:
            return False
        name = f"{name}.{part}"
        found = PathFinder.find_spec(name, list(found.submodule_search_locations))
    return found is not None


def check_platform() -> None:
    """Refuse a machine or an environment that cannot run dask-cuda."""
    if not LINUX:
        raise PreflightFailed("GPU workers need Linux; choose the kind 'local' for CPU workers.")
    for module, package in (("dask_cuda", "dask-cuda"), ("cuda.bindings", "cuda-bindings")):
        # dask-cuda without its extra lacks cuda-bindings and fails on import with an obscure message.
        if not importable(module):
            raise MissingPackage(f"GPU workers need the package '{package}', which is not installed: run {GPU_EXTRA}.")


def check_packages(spec: CudaSpec) -> None:
    """Refuse options whose packages are not installed: dask-cuda would start a cluster without workers."""
    needs = needed_packages(spec)
    if spec.protocol == "ucx":
        needs.append(Need("protocol", "distributed_ucxx", "distributed-ucxx", "pip install distributed-ucxx-cu13"))
    for need in needs:
        if not importable(need.module):
            raise need.refusal("is not installed")
    for module in spec.pre_import:
        if not importable(module):
            raise missing_module(module, f"in the cluster's Python environment ({sys.prefix})")


@dataclass(frozen=True)
class Need:
    """A package that an option needs."""

    option: str
    module: str
    package: str
    command: str  # What installs it.

    def refusal(self, where: str) -> GPUClusterError:
        """Return the error. `where`: 'is not installed', or the like."""
        return refused(
            self.option,
            f"{self.option} needs the package '{self.package}', which {where}: run {self.command}, or leave the option "
            "out.",
            MissingPackage,
        )


def needed_packages(spec: GPUSpec) -> list[Need]:
    """Return the packages that the GPU options of a worker need beside dask-cuda."""
    needs = []
    # Tracking, which is on by default, does not need RMM.
    if spec.allocates_with_rmm() or spec.rmm_allocator_external_lib_list:
        needs.append(Need(_rmm_option(spec), "rmm", "rmm", GPU_EXTRA))
    if spec.enable_cudf_spill:
        needs.append(Need("enable_cudf_spill", "cudf", "cudf", GPU_EXTRA))
    for library in spec.rmm_allocator_external_lib_list:
        command = f"pip install {_DISTRIBUTIONS[library]}"
        needs.append(Need("rmm_allocator_external_lib_list", library, library, command))
    return needs


_DISTRIBUTIONS = {"cupy": "cupy-cuda13x", "torch": "torch"}


def _rmm_option(spec: GPUSpec) -> str:
    chosen = {
        "rmm_pool_size": spec.rmm_pool_size is not None,
        "rmm_async": spec.rmm_async,
        "rmm_managed_memory": spec.rmm_managed_memory,
        "rmm_allocator_external_lib_list": True,
    }
    return next(name for name, given in chosen.items() if given)

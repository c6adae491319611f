"""The packages of this environment, found without importing them.

Importing cudf or cupy takes seconds, and may initialize CUDA in a process that must not.
"""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, PathFinder

from ...operating_system import LINUX
from ...protocol.errors import FieldError, GPUClusterError, MissingPackage, PreflightFailed
from ...protocol.machine_spec import GPUSpec
from .spec import CudaSpec

GPU_EXTRA = "pip install 'gpucluster[gpu-cu13]'"


def refused(option: str, message: str, error: type[GPUClusterError] = PreflightFailed) -> GPUClusterError:
    """Return the error of one option."""
    return error(message, fields=[FieldError(field=option, message=message)])


def missing_module(module: str, where: str) -> GPUClusterError:
    """Return the error of a module of ``pre_import`` that is not installed somewhere."""
    message = f"The module '{module}' of pre_import is not installed {where}; install it, or leave it out."
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

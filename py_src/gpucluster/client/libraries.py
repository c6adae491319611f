"""Which libraries Dask's collections are made of, for clusters with and without GPUs."""

from __future__ import annotations

import os
import sys
import warnings
from dataclasses import dataclass
from importlib.util import find_spec

_GPU_MODULES = ("cupy", "cudf", "dask_cudf")


@dataclass(frozen=True)
class Libraries:
    """What new Dask arrays and data frames of this kernel are made of."""

    arrays: str
    frames: str
    warning: str | None = None  # Why a GPU cluster gets CPU collections, in a sentence.


def libraries_for(*, has_gpus: bool) -> Libraries:
    """Choose the libraries for a cluster whose workers have GPUs or not, as far as this kernel can use them.

    Dask makes the first block of a collection in the kernel, so the kernel needs the library too.
    """
    if not has_gpus:
        return Libraries("numpy", "pandas")
    problem = _gpu_problem()
    if problem is None:
        return Libraries("cupy", "cudf")
    return Libraries(
        "numpy",
        "pandas",
        f"{problem}, so new Dask arrays and data frames are numpy and pandas here. The workers still have their GPUs. "
        "To create GPU collections, use a kernel whose environment has gpucluster[gpu-cu13] or gpucluster[gpu-cu12].",
    )


def use_libraries(libraries: Libraries) -> None:
    """Make Dask's collections of these libraries from now on, in this kernel."""
    import dask

    dask.config.set({"array.backend": libraries.arrays, "dataframe.backend": libraries.frames})


def let_cudf_spill() -> None:
    """Let cuDF in this kernel spill, as that of workers does that send it their data frames.

    Buffers of a process that spills can only be read by one that does, too: cuDF refuses them with "without a global
    spill manager". Where cuDF is not imported yet, its variable says so, which costs nothing. It stays so for this
    kernel: do not send its data frames to workers whose cuDF does not spill.
    """
    if "cudf" not in sys.modules:
        os.environ.setdefault("CUDF_SPILL", "on")
        return
    try:
        from cudf import set_option
        from cudf.core.buffer import spill_manager

        set_option("spill", True)
        if spill_manager.get_global_manager() is None:  # cuDF has decided already, and never asks again
            spill_manager.set_global_manager(spill_manager.SpillManager())
    except (ImportError, AttributeError) as error:  # not public: another version may have it elsewhere
        warnings.warn(
            f"cuDF spilling could not be enabled in this kernel ({error}). If data frames of this cluster cannot be "
            "read here, restart the kernel, and set CUDF_SPILL=on before cuDF is imported.",
            stacklevel=2,
        )


def _gpu_problem() -> str | None:
    missing = [module for module in _GPU_MODULES if find_spec(module) is None]
    if missing:
        return f"This kernel has no {' and no '.join(missing)}"
    try:
        import cupy

        # Neither this nor the import makes a CUDA context; cudf would, and is left to its first use.
        count = int(cupy.cuda.runtime.getDeviceCount())
    except Exception as error:
        # A driver can fail in many ways, each with a type of its own.
        return f"This kernel cannot use a GPU ({str(error).splitlines()[0] if str(error) else type(error).__name__})"
    return None if count else "This kernel sees no GPU"

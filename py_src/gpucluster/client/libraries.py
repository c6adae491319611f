"""Choose the libraries of Dask's collections, for clusters with and without GPUs."""

import os
import sys
import warnings
from dataclasses import dataclass
from importlib.util import find_spec

_GPU_MODULES = ("cupy", "cudf", "dask_cudf")


@dataclass(frozen=True)
class Libraries:
    """Libraries of new Dask arrays and data frames in this kernel."""

    arrays: str
    frames: str
    warning: str | None = None  # Why a GPU cluster gets CPU collections.


def libraries_for(*, has_gpus: bool) -> Libraries:
    """Choose libraries that this kernel can use, too: Dask makes the first block of a collection there."""
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
    """Use these libraries for new Dask collections in this kernel."""
    import dask

    dask.config.set({"array.backend": libraries.arrays, "dataframe.backend": libraries.frames})


def let_cudf_spill() -> None:
    """Enable spilling of cuDF in this kernel, as in the workers that send it data frames.

    Buffers of a process that spills can only be read by one that does, too: cuDF refuses them with "without a global
    spill manager". If cuDF is not imported yet, setting its variable is enough. Spilling stays enabled in this kernel:
    do not send its data frames to workers whose cuDF does not spill.
    """
    if "cudf" not in sys.modules:
        os.environ.setdefault("CUDF_SPILL", "on")
        return
    try:
        from cudf import set_option
        from cudf.core.buffer import spill_manager

        set_option("spill", True)
        if spill_manager.get_global_manager() is None:  # cuDF reads the option only once
            spill_manager.set_global_manager(spill_manager.SpillManager())
    except (ImportError, AttributeError) as error:  # not public: may move in another version
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

        # Neither this nor the import creates a CUDA context; importing cudf would.
        count = int(cupy.cuda.runtime.getDeviceCount())
    except Exception as error:
        # Drivers fail with many types of errors.
        return f"This kernel cannot use a GPU ({str(error).splitlines()[0] if str(error) else type(error).__name__})"
    return None if count else "This kernel sees no GPU"

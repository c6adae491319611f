"""``CudaSpec`` as constructor arguments of ``dask_cuda.LocalCUDACluster``."""

from __future__ import annotations

from typing import Any

from ...protocol.spec import CudaSpec
from ..host import protocol_option, worker_options
from .packages import importable
from .preflight import Checked


def constructor_options(spec: CudaSpec, checked: Checked, *, memory_limit: int) -> dict[str, Any]:
    """Return every argument that follows from the spec. All sizes are bytes, all devices UUIDs.

    Parameters
    ----------
    spec : CudaSpec
        What is wanted.
    checked : Checked
        The same, resolved on this machine.
    memory_limit : int
        Host memory of one worker in bytes, 0 for no limit, when every device has a worker.
    """
    memory = checked.memory
    return {
        "CUDA_VISIBLE_DEVICES": [device.uuid for device in checked.devices],
        "n_workers": checked.n_workers,
        "threads_per_worker": spec.threads_per_worker,
        "memory_limit": memory_limit or None,
        "device_memory_limit": memory.device_memory_limit,
        "enable_cudf_spill": spec.enable_cudf_spill,
        "cudf_spill_stats": spec.cudf_spill_stats,
        **protocol_option(spec.protocol),
        # With no interface, distributed listens on 127.0.0.1 only.
        **({"interface": spec.interface} if spec.interface is not None else {}),
        "enable_tcp_over_ucx": spec.enable_tcp_over_ucx,
        "enable_infiniband": spec.enable_infiniband,
        "enable_nvlink": spec.enable_nvlink,
        "enable_rdmacm": spec.enable_rdmacm,
        "rmm_pool_size": memory.rmm_pool_size,
        "rmm_maximum_pool_size": memory.rmm_maximum_pool_size,
        "rmm_managed_memory": spec.rmm_managed_memory,
        "rmm_async": spec.rmm_async,
        "rmm_release_threshold": memory.rmm_release_threshold,
        "rmm_allocator_external_lib_list": list(spec.rmm_allocator_external_lib_list) or None,
        "rmm_log_directory": spec.rmm_log_directory,
        # On by default, so it must not be what keeps workers without RMM from starting.
        "rmm_track_allocations": spec.rmm_track_allocations and importable("rmm"),
        "pre_import": list(spec.pre_import) or None,
        **worker_options(spec),
    }

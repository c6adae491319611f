"""The memory settings that a GPU cluster is proved with."""

from __future__ import annotations

from typing import Any

GIB = 2**30

SETTINGS: dict[str, dict[str, Any]] = {
    "plain": {},
    "pool": {"rmm_pool_size": 4 * GIB, "rmm_track_allocations": False},
    "tracked pool": {"rmm_pool_size": 4 * GIB},
    "growing pool": {"rmm_pool_size": GIB, "rmm_maximum_pool_size": 8 * GIB},
    "async": {"rmm_async": True},
    "async with a limit": {"rmm_async": True, "rmm_maximum_pool_size": 8 * GIB},
    # No more than the card has: paging managed memory can hang it.
    "managed": {"rmm_managed_memory": True, "rmm_pool_size": 4 * GIB},
    "cuDF spill": {"enable_cudf_spill": True, "cudf_spill_stats": 1},
    "device limit": {"device_memory_limit": 2 * GIB},
    "preset gpu": {"device_memory_limit": "auto"},
    "preset gpu-ml": {"rmm_pool_size": 0.8, "rmm_allocator_external_lib_list": ["cupy"]},
    "preset gpu-etl": {"enable_cudf_spill": True, "cudf_spill_stats": 1, "rmm_async": True},
}
"""Options of `gpucluster.create`, by the name that the results have."""

WITHOUT_RAPIDS = ("plain", "device limit", "preset gpu")
"""Those that need neither RMM nor cuDF, so that they also start where the GPU is simulated."""

"""What RMM has allocated, if the worker uses it. Three honest states: no RMM, a pool that keeps no count, a count.

A worker allocates through a chain of memory resources, each on top of the next: adaptors that count or limit, a pool,
CUDA itself. What a counter below the pool counts is the pool, not what is used of it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from ..dask_internals.worker_state import rmm_pool_maximum
from .rounding import size

_LONGEST_CHAIN = 32


def rmm_figures(worker: Any) -> dict[str, int | None]:
    """Return used, pool and maximum bytes; nothing where the worker has not imported RMM."""
    rmm = sys.modules.get("rmm")
    if rmm is None:
        return {}
    used: int | None = None
    pool: int | None = None
    maximum: int | None = None
    for resource in _chain(rmm.mr.get_current_device_resource()):
        kind = type(resource).__name__
        if kind == "PoolMemoryResource":
            pool = int(resource.pool_size())
            maximum = maximum if maximum is not None else _pool_maximum(worker)
        elif kind == "LimitingResourceAdaptor":
            maximum = int(resource.get_allocation_limit())
        if pool is None:
            # The lowest counter has counted for longest: one put on top later misses what was there before.
            allocated = _allocated(resource)
            used = used if allocated is None else allocated
    return {"rmm_used_bytes": size(used), "rmm_pool_bytes": size(pool), "rmm_maximum_bytes": size(maximum)}


def _chain(resource: Any) -> Iterator[Any]:
    for _ in range(_LONGEST_CHAIN):
        if resource is None:
            return
        yield resource
        upstream = getattr(resource, "get_upstream", None)
        resource = upstream() if callable(upstream) else getattr(resource, "upstream_mr", None)


def _allocated(resource: Any) -> int | None:
    """Return what this resource has handed out, if it keeps count."""
    if hasattr(resource, "get_allocated_bytes"):
        return int(resource.get_allocated_bytes())
    counts = getattr(resource, "allocation_counts", None)
    if counts is None:
        return None
    # A data class since RMM 24.06, a mapping before.
    current = counts["current_bytes"] if isinstance(counts, dict) else counts.current_bytes
    return int(current)


def _pool_maximum(worker: Any) -> int | None:
    with suppress(TypeError, ValueError):
        return int(rmm_pool_maximum(worker))
    return None

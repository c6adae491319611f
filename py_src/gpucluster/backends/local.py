"""CPU workers on this machine: ``distributed.LocalCluster``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, ClassVar

import psutil

from ..protocol.errors import PreflightFailed
from ..protocol.sizes import format_size
from ..protocol.spec import MAX_WORKERS, LocalSpec
from .backend import Backend, Plan, StartContext
from .openfiles import bounded_by_open_files
from .starting import host_memory_limit, start_cluster

if TYPE_CHECKING:
    from distributed.deploy.spec import SpecCluster

WORKER_FOOTPRINT_BYTES = 100 * 2**20
"""Host memory of one idle CPU worker, roughly."""
DEFAULT_WORKERS = 4


def usable_cpus() -> int:
    """Return the CPUs this process may use: the affinity mask, or the control group's quota if smaller."""
    from dask.system import CPU_COUNT

    return max(1, int(CPU_COUNT or os.cpu_count() or 1))


class LocalBackend(Backend[LocalSpec]):
    """CPU workers of this machine, as forked processes."""

    name: ClassVar[str] = "local"

    async def preflight(self, spec: LocalSpec, context: StartContext) -> Plan:
        """Choose the number of workers and their memory; refuse what this machine cannot hold."""
        context.report("preflight", "Looking at this machine")
        n_workers = spec.n_workers or min(DEFAULT_WORKERS, usable_cpus())
        available = psutil.virtual_memory().available
        if n_workers * WORKER_FOOTPRINT_BYTES > available:
            raise PreflightFailed(
                f"{n_workers} workers need about {format_size(n_workers * WORKER_FOOTPRINT_BYTES)} of memory, "
                f"and {format_size(available)} is free. Ask for fewer workers."
            )
        maximum = max(n_workers, min(MAX_WORKERS, available // WORKER_FOOTPRINT_BYTES))
        maximum, reason = bounded_by_open_files(
            n_workers, maximum, f"this machine has memory for about {maximum} workers"
        )
        return Plan(
            n_workers=n_workers,
            maximum_workers=maximum,
            maximum_reason=reason,
            encrypted=spec.protocol == "tls",
            options={
                "threads_per_worker": spec.threads_per_worker,
                "memory_limit": host_memory_limit(spec.memory_limit, workers=max(n_workers, usable_cpus())),
                "protocol": spec.protocol,
            },
        )

    async def start(self, plan: Plan, context: StartContext) -> SpecCluster:
        """Start a ``LocalCluster``."""
        from distributed import LocalCluster

        def make(**options: Any) -> SpecCluster:
            return LocalCluster(n_workers=plan.n_workers, processes=True, **options, **plan.options)

        return await start_cluster(make, plan, context)

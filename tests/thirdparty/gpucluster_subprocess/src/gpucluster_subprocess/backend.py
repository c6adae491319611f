"""The kind ``subprocess``. Nothing of Dask is imported until a cluster is started."""

from __future__ import annotations

from typing import Any, ClassVar

from gpucluster.backends.backend import Backend, Plan, StartContext
from gpucluster.protocol.spec import SpecBase
from gpucluster.protocol.traits import Traits

from .spec import SubprocessSpec

MAXIMUM_WORKERS = 8


class SubprocessBackend(Backend[SubprocessSpec]):
    """Workers as processes of their own, which wait in a queue."""

    name: ClassVar[str] = "subprocess"
    title: ClassVar[str] = "Queued workers"
    spec: ClassVar[type[SpecBase]] = SubprocessSpec
    traits: ClassVar[Traits] = Traits(queues=True, default_workers=2)

    async def preflight(self, spec: SubprocessSpec, context: StartContext) -> Plan:
        """Choose the number of workers."""
        return Plan(
            n_workers=spec.n_workers or 2,
            maximum_workers=MAXIMUM_WORKERS,
            maximum_reason=f"the queue takes {MAXIMUM_WORKERS} workers of one cluster",
            encrypted=True,
            options={"queue": spec.queue, "queue_seconds": spec.queue_seconds},
            threads_per_worker=spec.threads_per_worker,
        )

    async def start(self, plan: Plan, context: StartContext) -> Any:
        """Start scheduler and workers."""
        raise NotImplementedError

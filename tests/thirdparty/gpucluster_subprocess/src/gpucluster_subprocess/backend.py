"""The kind ``subprocess``. Dask is not imported before a cluster is started."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from gpucluster.backends.backend import Backend, Plan, ReapContext, Remembered, StartContext
from gpucluster.protocol.models import Network
from gpucluster.protocol.spec import SpecBase
from gpucluster.protocol.traits import Traits

from .spec import SubprocessSpec

if TYPE_CHECKING:
    from gpucluster.backends.deployment import Deployment

MAXIMUM_WORKERS = 8


class SubprocessBackend(Backend[SubprocessSpec]):
    """Workers as separate processes, which wait in a queue."""

    name: ClassVar[str] = "subprocess"
    title: ClassVar[str] = "Queued"
    spec: ClassVar[type[SpecBase]] = SubprocessSpec
    traits: ClassVar[Traits] = Traits(queues=True, default_workers=2)

    async def preflight(self, spec: SubprocessSpec, context: StartContext) -> Plan:
        """Choose the number of workers."""
        return Plan(
            n_workers=2 if spec.n_workers is None else spec.n_workers,
            maximum_workers=MAXIMUM_WORKERS,
            maximum_reason=f"the queue takes {MAXIMUM_WORKERS} workers of one cluster",
            network=Network.TLS,
            options={"queue": spec.queue, "queue_seconds": spec.queue_seconds, "nannies": spec.nannies},
            threads_per_worker=spec.threads_per_worker,
            ready_workers=0,
        )

    async def start(self, plan: Plan, context: StartContext) -> Deployment:
        """Start the scheduler's job and submit the workers' jobs to the queue."""
        from .deployment import SubprocessDeployment

        directory = Path(tempfile.mkdtemp(prefix=f"gpucluster-jobs-{context.cluster_id}-"))
        return await SubprocessDeployment.start(plan, context, directory)

    async def reap(self, remembered: Remembered, context: ReapContext) -> None:
        """End the remaining jobs."""
        from . import job

        directory = Path(remembered["directory"])
        found = await asyncio.to_thread(job.cancel, directory, list(remembered["jobs"]))
        if job.processes(directory, list(remembered["jobs"])):
            raise RuntimeError("Some jobs do not end")
        shutil.rmtree(directory, ignore_errors=True)
        if found:
            context.report(f"Jobs left over from a process that died were stopped: {', '.join(remembered['jobs'])}")

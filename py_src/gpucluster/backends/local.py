"""CPU workers on this machine: ``distributed.LocalCluster``."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import psutil
from pydantic import Field

from ..protocol.capacity import DEFAULT_CPU_WORKERS, default_workers
from ..protocol.errors import PreflightFailed
from ..protocol.machine_spec import ScratchSpec
from ..protocol.models import Network
from ..protocol.sizes import format_size
from ..protocol.spec_base import MAX_WORKERS, SpecBase, WorkerCountOrZero, advanced, number_of_workers
from ..protocol.traits import Traits
from .backend import Backend, Plan, StartContext
from .deployment import Deployment
from .workers import bounded_by_open_files, host_memory_limit, protocol_option, shared_machine, worker_options

WORKER_FOOTPRINT_BYTES = 100 * 2**20  # Host memory of one idle CPU worker, roughly.


class HostSpec(ScratchSpec):
    """What needs no GPU: ``ucx`` is for workers that have one."""

    protocol: Literal["unix", "tls", "tcp"] = advanced(
        "Network",
        "Network",
        "unix",
        "'unix' opens no port: sockets in a private folder let only you connect. 'tls' encrypts, for programs without "
        "gpucluster. 'tcp' is open: anyone on this machine can run code as you.",
    )


class LocalSpec(HostSpec):
    """CPU workers on this machine."""

    backend: Literal["local"] = Field("local", title="Kind", description="CPU workers on this machine.")
    n_workers: WorkerCountOrZero | None = number_of_workers("one per core, up to four")


class LocalBackend(Backend[LocalSpec]):
    """CPU workers of this machine, as forked processes."""

    name: ClassVar[str] = "local"
    title: ClassVar[str] = "CPU"
    spec: ClassVar[type[SpecBase]] = LocalSpec
    traits: ClassVar[Traits] = Traits(default_workers=DEFAULT_CPU_WORKERS)

    async def preflight(self, spec: LocalSpec, context: StartContext) -> Plan:
        """Choose the number of workers and their memory; refuse what this machine cannot hold."""
        context.report("preflight", "Checking this machine")
        machine = shared_machine()
        would_be = context.left.lowered(spec, default_workers(machine))
        n_workers = would_be if spec.n_workers is None else spec.n_workers
        memory_limit = host_memory_limit(spec.memory_limit, machine, workers=n_workers)
        memory_limit = context.left.memory_limit(spec, memory_limit, n_workers or would_be)
        available = psutil.virtual_memory().available
        if n_workers * WORKER_FOOTPRINT_BYTES > available:
            raise PreflightFailed(
                f"{n_workers} workers need about {format_size(n_workers * WORKER_FOOTPRINT_BYTES)} of memory, but only "
                f"{format_size(available)} is free. Request fewer workers."
            )
        maximum = max(n_workers, min(MAX_WORKERS, available // WORKER_FOOTPRINT_BYTES))
        reason = f"this machine has memory for about {maximum} workers"
        maximum, reason = bounded_by_open_files(n_workers, maximum, reason)
        return Plan(
            n_workers=n_workers,
            maximum_workers=maximum,
            maximum_reason=reason,
            network=Network.of(spec.protocol),
            options={
                "threads_per_worker": spec.threads_per_worker,
                "memory_limit": memory_limit,
                **protocol_option(spec.protocol),
                **worker_options(spec),
            },
            machine=machine,
            threads_per_worker=spec.threads_per_worker,
            memory_limit_bytes=memory_limit,
            shares_memory=spec.memory_limit == "auto",
        )

    async def start(self, plan: Plan, context: StartContext) -> Deployment:
        from distributed import LocalCluster

        from .spec_deployment import SpecDeployment

        def make(**options: Any) -> LocalCluster:
            return LocalCluster(n_workers=plan.n_workers, processes=True, **options, **plan.options)

        return await SpecDeployment.start(make, plan, context)

"""The kind ``mpi``. Neither Dask nor dask-mpi is imported until a cluster is started."""

from __future__ import annotations

import asyncio
import shlex
import sys
from typing import ClassVar

from ...devices.host import host_devices, usable
from ...protocol.capacity import default_workers
from ...protocol.errors import PreflightFailed
from ...protocol.models import Network, Submission
from ...protocol.plain_text import counted
from ...protocol.spec_base import MAX_WORKERS, SpecBase
from ...protocol.traits import Needs, Traits
from ..backend import Backend, Plan, ReapContext, Remembered, StartContext
from ..cuda.packages import check_platform, importable, needed_packages
from ..deployment import Deployment
from ..host import shared_machine
from ..nodes import scheduler_address
from .ending import end_processes, remove_scratch
from .launcher import (
    Family,
    Launcher,
    allocated_cpus,
    allocated_gpus,
    command,
    find_launcher,
    find_library,
    pmi_options,
)
from .spec import MPISpec


class MPIBackend(Backend[MPISpec]):
    """Workers as the ranks of one MPI program; the scheduler is in the supervisor."""

    name: ClassVar[str] = "mpi"
    title: ClassVar[str] = "MPI"
    where: ClassVar[str] = "MPI"
    needs: ClassVar[Needs] = Needs(packages=("dask_mpi", "mpi4py"), extra="mpi")
    spec: ClassVar[type[SpecBase]] = MPISpec
    traits: ClassVar[Traits] = Traits(this_machine=False)

    async def preflight(self, spec: MPISpec, context: StartContext) -> Plan:
        """Find the launcher, and check that it belongs to mpi4py's MPI."""
        context.report("preflight", "Looking for a launcher of MPI")
        if spec.gpus_per_rank and spec.rank_python is None:
            _must_have_packages(spec)
        launcher, words, remarks = await _look(spec, context.cluster_id)
        n_workers = _number(spec, launcher)
        return Plan(
            n_workers=n_workers,
            maximum_workers=n_workers,
            maximum_reason="an MPI program keeps the ranks that it was started with",
            network=Network.of(spec.port_protocol),
            options={"spec": spec, "launcher": launcher, "command": words, "host": scheduler_address(spec.interface)},
            threads_per_worker=spec.threads_per_worker,
            memory_limit_bytes=spec.memory_limit if isinstance(spec.memory_limit, int) else 0,
            has_gpus=bool(spec.gpus_per_rank),
            remarks=remarks,
        )

    async def preview(self, spec: MPISpec) -> Submission:
        _, words, remarks = await _look(spec, "ID")
        return Submission(text=shlex.join(words) + "\n", notes=list(remarks))

    async def start(self, plan: Plan, context: StartContext) -> Deployment:
        from .deployment import MPIDeployment

        return await MPIDeployment.start(plan.options["spec"], plan, context, plan.options["host"])

    async def reap(self, remembered: Remembered, context: ReapContext) -> None:
        """End what is left on this machine; the ranks elsewhere end when the launcher's input does."""
        if remembered["id"] != context.cluster_id:
            raise ValueError("The saved state belongs to another cluster")
        ended = await asyncio.to_thread(end_processes, context.cluster_id)
        await asyncio.to_thread(remove_scratch, context.cluster_id, remembered["local_directory"])
        if ended:
            context.report(f"{counted(ended, 'process', 'processes')} left behind by its dead process were stopped.")


def _must_have_packages(spec: MPISpec) -> None:
    check_platform()
    for need in needed_packages(spec):
        if not importable(need.module):
            raise need.refusal("is not installed")


async def _look(spec: MPISpec, cluster_id: str) -> tuple[Launcher, list[str], tuple[str, ...]]:
    library = await find_library(spec.rank_python or sys.executable)
    launcher = await find_launcher(spec, library)
    pmi = await pmi_options(launcher, spec, library)
    words = command(launcher, spec, _number(spec, launcher), f"gpucluster-{cluster_id}", pmi)
    remarks: tuple[str, ...] = ()
    if launcher.family is Family.SLURM:
        remarks = ("The workers run within this allocation of Slurm, and end with it.",)
    if spec.protocol == "mpi":
        remarks += ("What ranks hand each other goes by MPI and is not encrypted; all else is.",)
    return launcher, words, remarks


def _number(spec: MPISpec, launcher: Launcher) -> int:
    """Return the number of ranks: that of the spec, or as many as there is room for."""
    if spec.n_workers is not None:
        return spec.n_workers
    if spec.gpus_per_rank:
        gpus = allocated_gpus() if launcher.family is Family.SLURM else sum(map(usable, host_devices().devices))
        if not gpus:
            raise PreflightFailed(
                "n_workers: pass the number of ranks, one per GPU of their hosts; no GPU is known here."
            )
        return min(MAX_WORKERS, gpus)
    cpus = allocated_cpus() if launcher.family is Family.SLURM else None
    if cpus is not None:
        return min(MAX_WORKERS, max(1, cpus // spec.threads_per_worker))
    return default_workers(shared_machine())

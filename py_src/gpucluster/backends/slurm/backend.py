"""The kind ``slurm``. Neither Dask nor dask-jobqueue is imported until a cluster is started."""

from __future__ import annotations

import asyncio
import os
import re
from datetime import datetime
from pathlib import Path
from typing import ClassVar

from ...protocol.errors import PreflightFailed
from ...protocol.models import Network, Submission
from ...protocol.needs import Needs
from ...protocol.plaintext import printable
from ...protocol.slurmspec import SlurmSpec
from ...protocol.specbase import MAX_WORKERS, SpecBase
from ...protocol.traits import Traits
from ..backend import Backend, Plan, ReapContext, Remembered, StartContext
from ..deployment import Deployment
from . import commands, site
from .folder import JobFolder, base_folder
from .jobs import clock

DEFAULT_WORKERS = 1
REAP_SECONDS = 20.0
_EXPECTED = re.compile(r"to start at (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)")


class SlurmBackend(Backend[SlurmSpec]):
    """Workers in jobs of Slurm; the scheduler is in the supervisor, on this node."""

    name: ClassVar[str] = "slurm"
    title: ClassVar[str] = "Slurm"
    spec: ClassVar[type[SpecBase]] = SlurmSpec
    needs: ClassVar[Needs] = commands.NEEDS
    traits: ClassVar[Traits] = Traits(this_machine=False, queues=True, default_workers=DEFAULT_WORKERS)

    async def preflight(self, spec: SlurmSpec, context: StartContext) -> Plan:
        """Look whether this site has what is asked for, and when Slurm expects to start it."""
        from .script import batch_script

        context.report("preflight", "Asking Slurm what there is")
        commands.must_have_slurm()
        folder = JobFolder(base_folder(spec.shared_directory), context.cluster_id)
        script = batch_script(spec, folder, context.cluster_id)
        try:
            _, expected = await asyncio.gather(_must_be_there(spec), expected_start(spec, script))
        except commands.SlurmSilent as error:
            raise PreflightFailed(error.message) from error
        await asyncio.to_thread(folder.must_be_usable)
        together = spec.workers_in_job
        n_workers = together if spec.n_workers is None else spec.n_workers
        now = datetime.now()
        if expected is not None and expected > now:
            context.tell("state", f"Slurm expects to start a job at {clock(expected, now)}")
        return Plan(
            n_workers=n_workers,
            maximum_workers=MAX_WORKERS - MAX_WORKERS % together,
            maximum_reason="a cluster may have so many",
            network=Network.of(spec.protocol),
            options={"spec": spec, "folder": folder},
            threads_per_worker=spec.threads_per_worker,
            memory_limit_bytes=spec.memory_limit if isinstance(spec.memory_limit, int) else 0,
            ready_workers=0,
            has_gpus=bool(spec.gpus_per_node),
            workers_together=together,
            remarks=_remarks(),
        )

    async def preview(self, spec: SlurmSpec) -> Submission:
        """Return the batch script of a job, and when Slurm expects to start one."""
        from .script import batch_script

        commands.must_have_slurm()
        script = batch_script(spec, JobFolder(base_folder(spec.shared_directory), "ID"), "ID")
        try:
            _, expected = await asyncio.gather(_must_be_there(spec), expected_start(spec, script))
        except commands.SlurmSilent as error:
            raise PreflightFailed(error.message) from error
        now = datetime.now()
        when = "at once" if expected is not None and expected <= now else expected and f"at {clock(expected, now)}"
        return Submission(text=script, notes=[f"Slurm expects to start a job {when}."] if when else [])

    async def start(self, plan: Plan, context: StartContext) -> Deployment:
        """Start the scheduler and submit the jobs."""
        from ..nodes.listening import scheduler_address
        from .deployment import SlurmDeployment

        spec: SlurmSpec = plan.options["spec"]
        host = scheduler_address(spec.interface)
        return await SlurmDeployment.start(spec, plan, context, plan.options["folder"], host)

    async def reap(self, remembered: Remembered, context: ReapContext) -> None:
        """Cancel all jobs of the cluster's names: no other cluster's begin so."""
        from .ending import IN_FLIGHT_SECONDS, end_jobs

        names = str(remembered["names"])
        if not names.endswith(f"-{context.cluster_id}-"):
            raise ValueError("What was written down belongs to another cluster")
        for variable, kept in (("SLURM_CONF", remembered["slurm_conf"]), ("PATH", remembered["path"])):
            if kept is not None:
                os.environ[variable] = str(kept)
        ended = await end_jobs(names, REAP_SECONDS)
        await asyncio.sleep(2 * IN_FLIGHT_SECONDS)
        ended += await end_jobs(names, REAP_SECONDS)
        folder = Path(str(remembered["folder"]))
        if folder.name == context.cluster_id:
            await asyncio.to_thread(JobFolder(folder.parent, folder.name).remove)
        if ended:
            context.report(f"The jobs that its dead process had left were cancelled: {', '.join(ended)}")


def _remarks() -> tuple[str, ...]:
    job = os.environ.get("SLURM_JOB_ID")
    if job is None:
        return ()
    return (
        f"This is within the job {printable(job, 20)} already: new jobs wait in the queue, and the kind 'mpi' uses the "
        "nodes of this one.",
    )


async def _must_be_there(spec: SlurmSpec) -> None:
    site.check(spec, await site.look())


async def expected_start(spec: SlurmSpec, script: str) -> datetime | None:
    """Return when Slurm would start such a job; submits nothing. ``None``: it does not say.

    Raises
    ------
    PreflightFailed
        It would not take it.
    SlurmSilent
        It does not answer.
    """
    given = {name for name in ("account", "partition", "qos", "constraint") if getattr(spec, name) is not None}
    env = commands.environment(given, without=spec.env or ())
    try:
        told, said = await commands.ask("sbatch", "--test-only", text=script, env=env)
    except commands.SlurmRefused as error:
        # What sinfo tells is told better, and nobody waits for it twice.
        site.check(spec, await site.look())
        raise PreflightFailed(f"Slurm would not take such a job: {error.message}.") from error
    found = _EXPECTED.search(said + told)
    return datetime.fromisoformat(found[1]) if found else None

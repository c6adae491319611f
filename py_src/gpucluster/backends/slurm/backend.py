"""The kind ``slurm``. Neither Dask nor dask-jobqueue is imported until a cluster is started."""

from __future__ import annotations

import asyncio
import os
import re
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import ClassVar

from ...protocol.errors import GPUClusterError, PreflightFailed
from ...protocol.models import Network, Submission
from ...protocol.plain_text import counted, printable
from ...protocol.spec_base import MAX_WORKERS, SpecBase
from ...protocol.traits import Needs, Traits
from ..backend import START_TIMEOUT_SECONDS as START_SECONDS
from ..backend import Backend, Plan, ReapContext, Remembered, StartContext
from ..deployment import Deployment
from ..workers import address_of, scheduler_address
from . import commands, site
from .commands import IN_FLIGHT_SECONDS, clock, end_jobs
from .handover import require_srun
from .job_files import JobFolder, base_folder, batch_script, scheduler_script, smaller_job
from .slots import in_words, job_sizes
from .spec import SlurmSpec

DEFAULT_WORKERS = 1
REAP_SECONDS = 20.0
LONGEST_SECONDS = 30 * 86400.0  # A scheduler's job may wait in the queue for a long time.
MOST_NAMED = 4
_EXPECTED = re.compile(r"to start at (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)")


class SlurmBackend(Backend[SlurmSpec]):
    """Workers in jobs of Slurm; the scheduler is in the supervisor, on this node."""

    name: ClassVar[str] = "slurm"
    title: ClassVar[str] = "Slurm"
    spec: ClassVar[type[SpecBase]] = SlurmSpec
    needs: ClassVar[Needs] = commands.NEEDS
    traits: ClassVar[Traits] = Traits(this_machine=False, queues=True, default_workers=DEFAULT_WORKERS)

    async def preflight(self, spec: SlurmSpec, context: StartContext) -> Plan:
        """Check that this site can serve the request, and when Slurm expects to start it."""
        context.report("preflight", "Querying Slurm")
        commands.require_slurm()
        folder = JobFolder(base_folder(spec.shared_directory), context.cluster_id, shared=spec.shared_storage)
        if not spec.shared_storage:
            require_srun()
        script = batch_script(spec, folder, context.cluster_id)
        found, expected, away = await _ask_slurm(spec, script)
        await asyncio.to_thread(folder.require_usable)
        together = spec.workers_in_job
        whole = spec.whole_jobs or site.gives_whole_nodes(found.chosen(spec.partition))
        n_workers = together if spec.n_workers is None else spec.n_workers
        now = datetime.now()
        if expected is not None and expected > now:
            context.tell("state", f"Slurm expects to start a job at {clock(expected, now)}")
        for note in away:
            context.tell("state", note)
        return Plan(
            n_workers=n_workers,
            maximum_workers=MAX_WORKERS - (MAX_WORKERS % together if whole else 0),
            maximum_reason="the most per cluster",
            network=Network.of(spec.protocol),
            start_timeout=START_SECONDS if spec.scheduler == "here" else LONGEST_SECONDS,
            options={"spec": site.with_scheduler_walltime(spec, found), "folder": folder},
            threads_per_worker=spec.threads_per_worker,
            memory_limit_bytes=spec.memory_limit if isinstance(spec.memory_limit, int) else 0,
            ready_workers=0,
            has_gpus=bool(spec.gpus_per_node),
            workers_together=together,
            whole_jobs=whole,
            remarks=_remarks(),
        )

    async def preview(self, spec: SlurmSpec) -> Submission:
        """Return the batch script of a job, and when Slurm expects to start one."""
        commands.require_slurm()
        folder = JobFolder(base_folder(spec.shared_directory), "ID", shared=spec.shared_storage)
        await asyncio.to_thread(folder.require_possible)
        script = batch_script(spec, folder, "ID")
        found, expected, away = await _ask_slurm(spec, script)
        now = datetime.now()
        when = "at once" if expected is not None and expected <= now else expected and f"at {clock(expected, now)}"
        notes = [f"Slurm expects to start a job {when}."] if when else away
        whole = spec.whole_jobs or site.gives_whole_nodes(found.chosen(spec.partition))
        notes += _spread(spec, folder, whole=whole)
        if spec.scheduler == "job":
            notes += _of_scheduler(site.with_scheduler_walltime(spec, found), folder)
        return Submission(text=script, notes=notes)

    async def start(self, plan: Plan, context: StartContext) -> Deployment:
        from .deployment import SlurmDeployment

        spec: SlurmSpec = plan.options["spec"]
        host = scheduler_address(spec.interface) if spec.scheduler == "here" else ""
        return await SlurmDeployment.start(spec, plan, context, plan.options["folder"], host)

    async def reap(self, remembered: Remembered, context: ReapContext) -> None:
        """Cancel all jobs of the cluster, known by the prefix of their names, which is unique."""
        names = str(remembered["names"])
        if not names.endswith(f"-{context.cluster_id}-"):
            raise ValueError("The saved state belongs to another cluster")
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
            context.report(f"Jobs left over from a process that died were cancelled: {', '.join(ended)}")

    def left_behind(self, remembered: Remembered) -> str:
        jobs = [str(job) for job in remembered["jobs"]]
        which = f"They are the Slurm jobs whose names begin with {remembered['names']}"
        return f"{which}. By hand: scancel {' '.join(jobs)}" if jobs else f"{which}, if there are any."


def _remarks() -> tuple[str, ...]:
    job = os.environ.get("SLURM_JOB_ID")
    if job is None:
        return ()
    return (
        f"You are already inside job {printable(job, 20)}: new jobs wait in the queue, and the kind 'mpi' uses the "
        "nodes of this one.",
    )


def _spread(spec: SlurmSpec, folder: JobFolder, *, whole: bool) -> list[str]:
    """Describe a last job that is smaller than the others."""
    together, n_workers = spec.workers_in_job, spec.n_workers or 0
    if whole or not n_workers % together:
        return []
    *_, last = sizes = job_sizes(n_workers, together, whole=whole)
    first = f"{in_words(sizes)}. " if len(sizes) > 1 else ""
    which = "The last one" if len(sizes) > 1 else f"The job has {counted(last, 'worker')}, and"
    return [f"{first}{which} has {', '.join(smaller_job(spec, last, folder, 'ID'))} instead."]


def _of_scheduler(spec: SlurmSpec, folder: JobFolder) -> list[str]:
    lines = scheduler_script(spec, folder, "ID").splitlines()
    options = [line.removeprefix("#SBATCH ") for line in lines if line.startswith("#SBATCH ")]
    without = ("-J", "-n", "--no", "--output", "--open-mode", "--chdir")
    shown = ", ".join(option for option in options if not option.startswith(without))
    return [f"The scheduler runs in a separate job, submitted first: {shown}."]


async def _checked_site(spec: SlurmSpec) -> site.Site:
    if spec.interface is not None and spec.scheduler == "here":
        address_of(spec.interface)
    found = await site.look()
    site.check(spec, found)
    if spec.scheduler == "job":
        site.check_scheduler(spec, found)
    return found


async def _ask_slurm(spec: SlurmSpec, script: str) -> tuple[site.Site, datetime | None, list[str]]:
    """Return the site, when Slurm would start such a job, and remarks on why that is unknown; all queried at once."""
    looking = asyncio.ensure_future(_checked_site(spec))
    try:
        try:
            expected = await expected_start(spec, script)
            return await looking, expected, []
        except commands.SlurmRefused as error:
            found = await looking  # sinfo's own message is better.
            away = await site.nodes_away(spec.partition) if isinstance(error, commands.NoSuchNode) else []
            if away:
                # 'sbatch --test-only' considers only nodes that are up. The job itself would be accepted and wait.
                named = ", ".join(away[:MOST_NAMED]) + (", …" if len(away) > MOST_NAMED else "")
                return found, None, [f"Jobs may have to wait: these nodes accept none at the moment: {named}."]
            raise PreflightFailed(f"Slurm would reject this job: {error.message}.") from error
    except commands.SlurmSilent as error:
        raise PreflightFailed(error.message) from error
    finally:
        looking.cancel()
        with suppress(asyncio.CancelledError, GPUClusterError):
            await looking


async def expected_start(spec: SlurmSpec, script: str) -> datetime | None:
    """Return when Slurm would start such a job, without submitting it. ``None``: unknown."""
    output, messages = await commands.ask("sbatch", "--test-only", text=script, env=commands.environment_of(spec))
    found = _EXPECTED.search(messages + output)
    return datetime.fromisoformat(found[1]) if found else None

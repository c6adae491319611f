"""One cluster of jobs: the workers are in jobs, one or several in each, the scheduler in this process or in a job.

dask-jobqueue swallows refused submissions, does not notice jobs that are gone, and replaces none. Here every job is
followed in the queue, and the supervisor requests those that are missing.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from datetime import datetime

from ...protocol.errors import GPUClusterError, StartFailed
from ...protocol.plain_text import counted
from ...protocol.spec import Adapt
from ...protocol.verbs import Verb
from ..backend import Plan, StartContext
from ..deployment import Slot, SlotState
from ..following import Following, SubmittingDeployment
from ..workers import given_environment, usual_environment
from . import commands
from .commands import CALM_SECONDS, IN_FLIGHT_SECONDS, INTERVAL_SECONDS, Queue, end_jobs
from .handover import Handover
from .job_files import JobFolder, batch_script, contents, job_names, scheduler_script
from .schedulers import CLOSE_SECONDS, SchedulerHere, SchedulerInJob, SchedulerJob, connect
from .slots import JobSet, JobSlot
from .spec import SlurmSpec
from .upkeep import Endings, Renewal, Upkeep

logger = logging.getLogger("gpucluster.backends")

STOP_SECONDS = 6.0
AT_ONCE = 4  # Number of jobs that are submitted at the same time.
MOST_TRIES = 6  # After this many failures in a row without a worker, further jobs will fail, too.


class Submitter:
    """Submits the jobs of one cluster, which differ in their names and, for the last one, its size."""

    def __init__(self, script: Callable[[int], str], names: str, environment: dict[str, str]) -> None:
        self._script = script
        self._names = names
        self._environment = environment
        self._free = asyncio.Semaphore(AT_ONCE)

    async def submit(self, slots: Sequence[JobSlot]) -> None:
        """Submit a job for each slot; refusals are noted in the slots. If the first is refused, so are all."""
        first, *rest = slots
        await self._submit(first)
        if first.refused is None:
            await asyncio.gather(*(self._submit(slot) for slot in rest))
            return
        for slot in rest:
            slot.refused, slot.silent = first.refused, first.silent

    async def _submit(self, slot: JobSlot) -> None:
        name = f"{self._names}{slot.name}"
        command = ("sbatch", "--parsable", f"--job-name={name}")
        async with self._free:
            try:
                output, _ = await commands.ask(*command, text=self._script(slot.size), env=self._environment)
                slot.job_id = output.strip().splitlines()[-1].partition(";")[0]
                slot.submitted = time.time()
                slot.why = "Slurm has not considered it yet"
                logger.info("Job %s is submitted to Slurm as %s", slot.job_id, name)
            except IndexError:
                slot.refused = "Slurm did not return the job's id"
            except GPUClusterError as error:
                # A job that was accepted although Slurm did not answer in time is found by its name.
                slot.refused, slot.silent = error.message.rstrip("."), isinstance(error, commands.SlurmSilent)
            if slot.refused is not None:
                logger.error("Slurm did not accept the job %s: %s", name, slot.refused)

    async def cancel(self, ids: Iterable[str | None]) -> None:
        """End these jobs. Raises `SlurmSilent`."""
        if known := [number for number in ids if number is not None]:
            with suppress(commands.SlurmRefused):  # Some may be over.
                await commands.ask("scancel", "--quiet", *known)


class Tries:
    """Counts how often requested jobs could not start since a worker last connected."""

    def __init__(self) -> None:
        self._before = 0
        self.failed = False  # Whether the last ones could not start.

    @property
    def count(self) -> int:
        return self._before + self.failed

    def again(self) -> None:
        self._before, self.failed = self.count, False


class SlurmDeployment(SubmittingDeployment):
    """Made by ``start``."""

    unit = "job"

    def __init__(self, spec: SlurmSpec, plan: Plan, context: StartContext, folder: JobFolder) -> None:
        super().__init__()
        self._spec = spec
        self._context = context
        self._folder = folder
        self.names = job_names(spec, context.cluster_id)  # The prefix of the names of its jobs.
        self.scheduler: SchedulerHere | SchedulerInJob
        self.scheduler_job = SchedulerJob(spec.of_scheduler, folder) if spec.scheduler == "job" else None
        self.handover: Handover | None = None  # Without shared storage.
        self.submitter: Submitter
        self.wanted = plan.n_workers  # Number of workers requested last.
        self.workers_together = spec.workers_in_job
        self.whole_jobs = plan.whole_jobs
        self.jobs = JobSet(self.workers_together, spec.nodes_per_job, whole=self.whole_jobs)
        self._endings = Endings(folder, self.names, spec.walltime, plan.memory_limit_bytes, context.tell)
        self._renewal = Renewal(spec.walltime_seconds, self.jobs.by_name)
        self._upkeep = Upkeep(self, Queue(folder.base), self._endings, self._renewal)
        silent = (commands.SlurmSilent,)
        self._following = Following(
            self._upkeep.look, self._restless, "jobs", often=INTERVAL_SECONDS, calm=CALM_SECONDS, silent=silent
        )
        self._tries = Tries()
        if self.workers_together > 1:
            self.can = frozenset(Verb) - {Verb.RETIRE}
            self.why_not = "the workers of a job start and stop together; request a smaller number"
        self._environment = commands.environment_of(spec)

    @classmethod
    async def start(
        cls, spec: SlurmSpec, plan: Plan, context: StartContext, folder: JobFolder, host: str
    ) -> SlurmDeployment:
        """Start the scheduler, and submit the jobs. Raises `StartFailed` if Slurm refuses all; nothing is left then."""
        self = cls(spec, plan, context, folder)
        try:
            self.submitter = Submitter(self._script, self.names, self._environment)
            self._remember()
            variables = {**usual_environment(), **spec.worker_environment(), **given_environment(spec)}
            read_by_jobs = contents(context.tls_directory, variables, context.dashboard_prefix)
            if folder.shared:
                await asyncio.to_thread(folder.make, read_by_jobs)
            else:
                self.handover = Handover(read_by_jobs, self._environment)
            await self._start_scheduler(host)
            first, *_ = sizes = [*self.jobs.sizes_of(plan.n_workers), self.workers_together]
            self.submitted = self._script(first)
            context.report("submit", f"Submitting {counted(len(sizes) - 1, 'job')} to Slurm")
            await self.scale(plan.n_workers)
            refused = [slot.refused for slot in self.jobs if slot.refused is not None]
            if refused and len(refused) == len(self.jobs.by_name):
                raise StartFailed(f"Slurm rejected the jobs. {refused[0]}.")
            self.tasks.begin(self._following.run())
        except BaseException:
            with suppress(Exception):
                await asyncio.shield(self.close())
            raise
        return self

    async def _start_scheduler(self, host: str) -> None:
        context = self._context
        if self.scheduler_job is not None:
            context.report("scheduler", "Submitting the scheduler's job to Slurm")
            await self.submitter.submit([self.scheduler_job.slot])
            self._remember()
            self.scheduler = await connect(self.scheduler_job, context, self._following.run)
            self.scheduler.uneasy = self._following.soon
            return
        context.report("scheduler", "Starting the scheduler")
        self.scheduler = await SchedulerHere.start(host, self._spec.protocol, context)

    def _script(self, size: int) -> str:
        if not hasattr(self, "scheduler"):
            return scheduler_script(self._spec, self._folder, self._context.cluster_id)
        spec = self._spec.with_workers(size)
        return batch_script(spec, self._folder, self._context.cluster_id, self.scheduler.address)

    def _remember(self) -> None:
        """Write down which jobs exist or may exist: those whose names have the prefix."""
        self._context.remember(
            {
                "names": self.names,
                "jobs": [slot.job_id for slot in self.all_jobs() if slot.job_id is not None],
                "folder": str(self._folder.path),
                "slurm_conf": self._environment.get("SLURM_CONF"),
                "path": self._environment.get("PATH"),
            }
        )

    def all_jobs(self) -> list[JobSlot]:
        own = [self.scheduler_job.slot] if self.scheduler_job is not None else []
        return [*own, *self.jobs]

    @property
    def follows_load(self) -> bool:
        """Whether adaptive scaling is on."""
        return self._adapting is not None

    def _restless(self) -> bool:
        waits = self.scheduler_job is not None and not self.scheduler_job.slot.seen_running
        return waits or self.jobs.restless

    # -- what there is ---------------------------------------------------------------------------

    def slots(self) -> list[Slot]:
        here = self.scheduler.here()
        for slot in self.jobs:
            before = slot.state
            if slot.update(here, self._endings.of):
                self.jobs.forget(slot)
            elif slot.has_workers and before is not SlotState.RUNNING:
                self._tries = Tries()
            elif slot.state is not before and before is SlotState.RUNNING and slot.state is not SlotState.LEAVING:
                self._following.soon()
        return [model for slot in self.jobs for model in slot.models()]

    def notes(self) -> list[str]:
        found = self.scheduler_job.notes() if self.scheduler_job is not None else []
        return [*found, *self._following.notes(), *self.jobs.notes()]

    def warnings(self) -> list[str]:
        of_scheduler = self.scheduler_job.warnings() if self.scheduler_job is not None else []
        return of_scheduler + self._renewal.notes(datetime.now())

    # -- changing it -----------------------------------------------------------------------------

    async def scale(self, n: int) -> None:
        await self.adapt(None)
        await self.ask_for(n)

    async def ask_for(self, n: int) -> None:
        """Submit or end jobs until `n` workers wait or run, and forget jobs that are over."""
        self.slots()
        self.wanted = n
        await self.end(self.jobs.over())
        found = self.jobs.change(n)
        await self.end(found.leave)
        await self.ask_for_jobs(found.missing)

    def staying(self) -> list[str]:
        return [name for slot in self.jobs.staying() for name in slot.names]

    def in_the_queue(self) -> list[str]:
        return [name for slot in self.jobs.in_the_queue() for name in slot.names]

    def leaving(self, n: int) -> set[str]:
        """Waiting workers leave first, the last ones first; workers that are being replaced are not counted."""
        self.slots()
        return {name for slot in self.jobs.fit(n).leave for name in slot.names}

    async def submit(self, count: int) -> None:
        """Submit jobs for `count` workers. A refused job becomes a failed slot."""
        await self.ask_for_jobs(self.jobs.sizes_of(count))

    async def ask_for_jobs(self, sizes: list[int]) -> None:
        if sizes:
            self._tries.again()
        new = self.jobs.add(sizes)
        if new:
            await self.submitter.submit(new)
            self._remember()
            self._following.soon()

    async def adapt(self, bounds: Adapt | None) -> None:
        for job in self.jobs if bounds is not None else ():
            job.too_big = False
        await super().adapt(bounds)

    def gives_up(self) -> int | None:
        tried = self._tries.count
        if tried < MOST_TRIES:
            return None
        self._tries = Tries()
        return tried

    async def release(self, names: Collection[str]) -> None:
        here = self.scheduler.here()
        leaving = []
        for slot in self.jobs:
            named = [name for name in slot.names if name in names]
            if named and slot.state is SlotState.FAILED and not slot.silent:
                self._tries.failed = True
            if named and here.intersection(slot.names) - set(named):
                # Moving results was cancelled: workers of the job that still hold some continue until it is replaced.
                slot.given_up = True
                await self.scheduler.remove(named, close=True)
            elif named:
                leaving.append(slot)
        await self.end(leaving)

    async def end(self, leaving: list[JobSlot]) -> None:
        for slot in leaving:
            slot.leave()
            await self.scheduler.remove(slot.names, close=True)
        if leaving:
            await self.submitter.cancel(slot.job_id for slot in leaving if not slot.over)
            for slot in leaving:
                slot.cancelled = True
            self._following.soon()

    async def close(self) -> None:
        """End jobs and scheduler; raises if Slurm does not confirm that the jobs are gone."""
        await self.adapt(None)
        self.tasks.stop()
        if self.handover is not None:
            self.handover.close()
        closing = asyncio.ensure_future(self.scheduler.close()) if hasattr(self, "scheduler") else None
        try:
            if self.all_jobs() or self.jobs.asked:
                unsure = any(slot.job_id is None for slot in self.all_jobs())
                await end_jobs(self.names, STOP_SECONDS)
                if unsure:  # Slurm may just be accepting one.
                    await asyncio.sleep(IN_FLIGHT_SECONDS)
                    await end_jobs(self.names, STOP_SECONDS)
            await asyncio.to_thread(self._folder.remove)
            self._context.remember({})
        finally:
            if closing is not None:
                with suppress(Exception):
                    await asyncio.wait_for(closing, CLOSE_SECONDS)

"""One cluster of jobs: the scheduler is in this process, the workers are in jobs, one or several in each.

dask-jobqueue swallows refused submissions, believes in jobs that are gone, and replaces none. Here every job is
followed in the queue, and the supervisor asks for those that are missing.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Collection, Coroutine
from contextlib import suppress
from datetime import datetime
from typing import Any

from ...dask_internals.scheduler_state import remove_worker_named
from ...protocol.errors import StartFailed
from ...protocol.plaintext import counted
from ...protocol.sizes import format_size
from ...protocol.slurmspec import SlurmSpec
from ...protocol.spec import Adapt
from ...protocol.telemetry import Decision
from ...protocol.traits import Verb
from ..adapting import Adapting, LoadHere
from ..backend import Plan, StartContext
from ..dashboard import PrivateDashboardScheduler
from ..deployment import Deployment, Slot, SlotState
from ..nodes.workers import given_environment, usual_environment
from ..scheduler.in_process import InProcessScheduler
from . import commands
from .ending import IN_FLIGHT_SECONDS, end_jobs
from .folder import JobFolder, telling
from .jobs import Job
from .queue import INTERVAL_SECONDS, Queue
from .renewal import Renewal
from .script import batch_script, job_names
from .slots import JobSlot
from .submitting import Submitter

logger = logging.getLogger("gpucluster.backends")

CALM_SECONDS = 15.0
"""Between two looks at the queue when all jobs run."""
TROUBLE_SECONDS = 15.0
STOP_SECONDS = 6.0


class SlurmDeployment(Deployment):
    """Made by ``start``."""

    can = frozenset(Verb)
    unit = "job"

    def __init__(self, spec: SlurmSpec, plan: Plan, context: StartContext, folder: JobFolder) -> None:
        self._spec = spec
        self._plan = plan
        self._context = context
        self._folder = folder
        self._names = job_names(spec, context.cluster_id)
        self._scheduler: PrivateDashboardScheduler
        self._slots: dict[str, JobSlot] = {}
        self._number = 0
        self._queue = Queue(folder.base)
        self._look_soon = asyncio.Event()
        self._submitter: Submitter
        self._tasks: set[asyncio.Task[None]] = set()
        self._trouble: str | None = None
        self._adapting: Adapting | None = None
        self._ended: dict[str, str] = {}
        self._renewal = Renewal(spec.walltime_seconds, self._slots)
        self.workers_together = spec.workers_in_job
        if self.workers_together > 1:
            self.can = frozenset(Verb) - {Verb.RETIRE}
            self.why_not = "the workers of a job come and go together; ask for a smaller number"
        self._environment = commands.environment(
            {name for name in ("account", "partition", "qos", "constraint") if getattr(spec, name) is not None},
            without=spec.env or (),
        )

    @classmethod
    async def start(
        cls, spec: SlurmSpec, plan: Plan, context: StartContext, folder: JobFolder, host: str
    ) -> SlurmDeployment:
        """Start the scheduler, and submit the jobs.

        Raises
        ------
        StartFailed
            Slurm takes none of them; nothing is left.
        """
        self = cls(spec, plan, context, folder)
        context.report("scheduler", "Starting the scheduler")
        scheduler = PrivateDashboardScheduler(
            host=host,
            port=0,
            protocol=f"{spec.protocol}://",
            security=context.security,
            dashboard_address="127.0.0.1:0",
            http_prefix=context.dashboard_prefix,
        )
        self._scheduler = scheduler
        try:
            await scheduler
            self.scheduler = InProcessScheduler(scheduler)
            self.submitted = batch_script(spec, folder, context.cluster_id, scheduler.address)
            self._submitter = Submitter(self.submitted, self._names, self._environment)
            self._remember()
            variables = {**usual_environment(), **spec.worker_environment(), **given_environment(spec)}
            await asyncio.to_thread(folder.make, context.tls_directory, variables)
            context.report("submit", f"Handing {counted(self._jobs_of(plan.n_workers), 'job')} to Slurm")
            await self.scale(plan.n_workers)
            refused = [slot.refused for slot in self._slots.values() if slot.refused is not None]
            if refused and len(refused) == len(self._slots):
                raise StartFailed(f"Slurm did not take the jobs. {refused[0]}.")
            self._task(self._follow())
        except BaseException:
            with suppress(Exception):
                await asyncio.shield(self.close())
            raise
        return self

    def _remember(self) -> None:
        """Write down what jobs there are, or may be: those whose names begin so."""
        self._context.remember(
            {
                "names": self._names,
                "jobs": [slot.job_id for slot in self._slots.values() if slot.job_id is not None],
                "folder": str(self._folder.path),
                "slurm_conf": self._environment.get("SLURM_CONF"),
                "path": self._environment.get("PATH"),
            }
        )

    # -- what there is ---------------------------------------------------------------------------

    def slots(self) -> list[Slot]:
        here = {str(worker.name) for worker in self._scheduler.workers.values()}
        for name, slot in list(self._slots.items()):
            before = slot.state
            if slot.update(here, self._how_it_ended):
                del self._slots[name]
            elif slot.state is not before and before is SlotState.RUNNING and slot.state is not SlotState.LEAVING:
                self._look_soon.set()
        return [model for slot in self._slots.values() for model in slot.models()]

    def _how_it_ended(self, slot: JobSlot) -> str:
        return self._ended.get(slot.name, f"its job {slot.job_id} is over")

    async def _learn_how(self, slot: JobSlot, job: Job | None) -> None:
        """Find out why a job is over, before it counts as that; what it has printed lies on shared storage."""
        name = f"{self._names}{slot.name}"
        lines = await asyncio.to_thread(self._folder.last_words, name, slot.job_id or "")
        if lines:
            logger.warning("Job %s ended; it printed:\n%s", slot.job_id, "\n".join(lines))
        if job is None:
            told = f"its job {slot.job_id} is no longer in the queue"
        else:
            limit = self._plan.memory_limit_bytes * self.workers_together
            told = job.how_it_ended(self._spec.walltime, format_size(limit) if limit else None, telling(lines))
            if not lines and not slot.came and job.nodes and job.state in {"FAILED", "COMPLETED"}:
                told += f"; it printed nothing: perhaps {self._folder.base} is not there on the nodes"
        self._ended[slot.name] = told
        if slot.came and slot.state is not SlotState.LEAVING:
            who = f"Worker {slot.name}" if slot.size == 1 else f"Workers {slot.names[0]} to {slot.names[-1]}"
            self._context.tell("worker_died", f"{who}: {told}.")

    def notes(self) -> list[str]:
        return [self._trouble] if self._trouble is not None else []

    def warnings(self) -> list[str]:
        return self._renewal.notes(datetime.now())

    # -- changing it -----------------------------------------------------------------------------

    async def scale(self, n: int) -> None:
        await self.adapt(None)
        await self.ask_for(n)

    async def ask_for(self, n: int) -> None:
        """Have jobs for so many workers that wait or run, and forget those that are over."""
        self.slots()
        over = [slot for slot in self._slots.values() if slot.state in {SlotState.LOST, SlotState.FAILED}]
        await self._end(over)
        await self.release(self.leaving(n))
        await self.submit(max(0, n - len(self.staying())))

    def _jobs_of(self, n_workers: int) -> int:
        return -(-n_workers // self.workers_together)

    def _jobs_that_stay(self) -> list[JobSlot]:
        """Return the slots that count: neither over nor told to end, and not about to be replaced."""
        gone = {SlotState.LEAVING, SlotState.LOST, SlotState.FAILED}
        return [slot for slot in self._slots.values() if slot.state not in gone and not slot.replaced]

    def staying(self) -> list[str]:
        """Return the names of the workers that count."""
        return [name for slot in self._jobs_that_stay() for name in slot.names]

    def in_the_queue(self) -> list[str]:
        """Return the names of those whose jobs have not begun, the last ones first."""
        waiting = [slot for slot in self._jobs_that_stay() if slot.job is not None and slot.job.waits]
        return [name for slot in waiting[::-1] for name in slot.names]

    def leaving(self, n: int) -> set[str]:
        """Those that are replaced go by themselves; of the others those that wait go first, the last ones first."""
        self.slots()
        staying = self._jobs_that_stay()[::-1]
        # One whose job has begun is worth more than one that waits in the queue.
        staying.sort(key=lambda slot: (slot.state is SlotState.RUNNING, slot.job is not None and slot.job.runs))
        return {name for slot in staying[: max(0, len(staying) - self._jobs_of(n))] for name in slot.names}

    async def submit(self, count: int) -> list[str]:
        """Submit jobs for so many workers; returns their names. What Slurm refuses is a slot that failed."""
        new = []
        for _ in range(self._jobs_of(count)):
            slot = JobSlot(str(self._number), self.workers_together)
            self._number += 1
            self._slots[slot.name] = slot
            new.append(slot)
        if new:
            await self._submitter.submit(new)
            self._remember()
            self._look_soon.set()
        return [name for slot in new for name in slot.names]

    async def adapt(self, bounds: Adapt | None) -> None:
        if self._adapting is not None:
            self._adapting.stop()
            self._adapting = None
        if bounds is not None:
            self._adapting = Adapting(self, LoadHere(self._scheduler, self._job_of), bounds)
            self._task(self._adapting.run())

    def _job_of(self, name: str) -> str:
        return name if self.workers_together == 1 else name.rpartition("-")[0]

    def decisions(self) -> list[Decision]:
        return [] if self._adapting is None else self._adapting.take_decisions()

    async def release(self, names: Collection[str]) -> None:
        here = {str(worker.name) for worker in self._scheduler.workers.values()}
        leaving = []
        for slot in list(self._slots.values()):
            named = [name for name in slot.names if name in names]
            if named and here.intersection(slot.names) - set(named):
                # A hand-over was broken off: those of its job that hold results yet go on until there is another.
                slot.given_up = True
                await self._remove(named, close=True)
            elif named:
                leaving.append(slot)
        await self._end(leaving)

    async def _remove(self, names: Collection[str], *, close: bool) -> None:
        for name in names:
            await remove_worker_named(self._scheduler, name, close=close)

    async def _end(self, leaving: list[JobSlot]) -> None:
        """End these jobs with all their workers."""
        for slot in leaving:
            slot.leave()
            await self._remove(slot.names, close=True)
        if leaving:
            await self._submitter.cancel(slot.job_id for slot in leaving if not slot.over)
            for slot in leaving:
                slot.cancelled = True
            self._look_soon.set()

    async def close(self) -> None:
        """End jobs and scheduler; raises where Slurm does not say that the jobs are gone."""
        await self.adapt(None)
        for task in self._tasks:
            task.cancel()
        if hasattr(self, "scheduler"):
            await self.scheduler.close()
        closing = asyncio.ensure_future(self._scheduler.close())
        try:
            if self._number:
                unsure = any(slot.job_id is None for slot in self._slots.values())
                await end_jobs(self._names, STOP_SECONDS)
                if unsure:  # Slurm may just be taking one.
                    await asyncio.sleep(IN_FLIGHT_SECONDS)
                    await end_jobs(self._names, STOP_SECONDS)
            await asyncio.to_thread(self._folder.remove)
            self._context.remember({})
        finally:
            with suppress(Exception):
                await asyncio.wait_for(closing, 2.0)

    # -- following it ----------------------------------------------------------------------------

    def _task(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _follow(self) -> None:
        """Look at the queue, often while something waits or changes, and do what follows from it."""
        while True:
            begun = time.monotonic()
            try:
                await self._look()
                pause = INTERVAL_SECONDS if self._restless() else CALM_SECONDS
            except commands.SlurmSilent as error:
                self._trouble = f"{error.message} What is said of the jobs may be old."
                pause = TROUBLE_SECONDS
            except Exception:
                logger.exception("The queue could not be looked at")
                pause = TROUBLE_SECONDS
            self._look_soon.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._look_soon.wait(), pause)
            # Whatever happens: not more often than that.
            await asyncio.sleep(max(0.0, begun + INTERVAL_SECONDS - time.monotonic()))

    def _restless(self) -> bool:
        return any(not slot.complete or slot.replaced or not slot.seen_running for slot in self._slots.values())

    async def _look(self) -> None:
        look = await self._queue.look()
        self._trouble = None
        ours = {job.id: job for job in look.jobs if job.name.startswith(self._names)}
        for slot in list(self._slots.values()):
            if slot.name not in self._ended and slot.will_be_over(ours, look.begun):
                await self._learn_how(slot, ours.get(slot.job_id or ""))
            slot.saw(ours, look.begun)
        known = {slot.job_id for slot in self._slots.values()}
        in_flight = {
            f"{self._names}{slot.name}" for slot in self._slots.values() if slot.job_id is None and slot.refused is None
        }
        await self._submitter.cancel(
            job.id for job in ours.values() if job.lives and job.id not in known and job.name not in in_flight
        )
        for slot in list(self._slots.values()):
            if slot.over:
                # Slurm knows better than the scheduler, which believes in a silent worker for minutes.
                await self._remove(slot.names, close=False)
        self.slots()
        ending, handing = self._renewal.look(datetime.now())
        for slot in handing:
            self._task(self._renewal.hand_over(slot, self, waits_for_others=self._adapting is None))
        if ending and self._adapting is None:  # Who adapts asks for as many as the load needs.
            await self.submit(len(ending) * self.workers_together)

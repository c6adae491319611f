"""A cluster of jobs: one for the scheduler, and one for each worker."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from gpucluster.backends.backend import Plan, StartContext
from gpucluster.backends.deployment import Deployment, Slot, SlotState
from gpucluster.backends.scheduler.remote import RemoteScheduler
from gpucluster.protocol.errors import StartFailed
from gpucluster.protocol.verbs import Verb

from . import job

SCHEDULER = "scheduler"


@dataclass
class _Worker:
    name: str
    state: SlotState
    since: datetime
    why: str | None = None
    came: bool = False


class SubprocessDeployment(Deployment):
    """Scheduler and workers as jobs of the queue. Made by ``start``."""

    def __init__(self, plan: Plan, context: StartContext, directory: Path) -> None:
        self._plan = plan
        self.can = frozenset({Verb.SCALE, Verb.RETIRE, *([Verb.RESTART] if plan.options["nannies"] else [])})
        self._context = context
        self._directory = directory
        self._workers: dict[str, _Worker] = {}
        self._number = 0

    @classmethod
    async def start(cls, plan: Plan, context: StartContext, directory: Path) -> SubprocessDeployment:
        """Submit the scheduler, wait until it answers, and submit the workers."""
        self = cls(plan, context, directory)
        self._remember()
        _die_if("remembered")
        try:
            context.report("scheduler", "Waiting for the job of the scheduler")
            file = directory / "scheduler.json"
            program = ["distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)]
            await self._submit(SCHEDULER, 0, program)
            _die_if("submitted")
            while not file.exists():
                if job.state_of(directory, SCHEDULER) == "ended":
                    raise StartFailed(f"The scheduler could not start: {job.last_words(directory, SCHEDULER)}.")
                await asyncio.sleep(job.POLL_SECONDS)
            self.scheduler = await self._connect(file)
            await self.scale(plan.n_workers)
        except BaseException:
            await self.close()
            raise
        return self

    async def _connect(self, file: Path) -> RemoteScheduler:
        import json

        self._address = json.loads(file.read_text())["address"]
        return await RemoteScheduler.connect(self._address, self._context.security, timeout=self._plan.start_timeout)

    def _remember(self) -> None:
        self._context.remember({"directory": str(self._directory), "jobs": [SCHEDULER, *self._workers]})

    async def _submit(self, name: str, seconds: float, program: list[str]) -> None:
        tls = self._context.tls_directory
        assert tls is not None
        encryption = ["--tls-ca-file", tls / "ca.pem", "--tls-cert", tls / "cert.pem", "--tls-key", tls / "key.pem"]
        command = [sys.executable, "-m", *program, "--host", "127.0.0.1", "--protocol", "tls", *map(str, encryption)]
        await asyncio.to_thread(job.submit, self._directory, name, seconds, command)

    # -- state -----------------------------------------------------------------------------------

    def slots(self) -> list[Slot]:
        """Read the jobs' states from files; with a real batch system, a background task would query them."""
        here = {worker.name for worker in self.scheduler.members().workers}
        for worker in list(self._workers.values()):
            state, why = self._look_at(worker, here)
            if state is None:
                del self._workers[worker.name]
            else:
                worker.since = worker.since if state is worker.state else datetime.now(UTC)
                worker.state, worker.why = state, why
        return [Slot(worker.name, worker.state, worker.since, worker.why) for worker in self._workers.values()]

    def _look_at(self, worker: _Worker, here: Collection[str]) -> tuple[SlotState | None, str | None]:
        job_state = job.state_of(self._directory, worker.name)
        over = job_state in {"ended", "gone"}
        if worker.state is SlotState.LEAVING:
            return (None if over and worker.name not in here else SlotState.LEAVING), None
        if worker.name in here and not over:
            worker.came = True
            return SlotState.RUNNING, None
        if over:
            if worker.came:
                return SlotState.LOST, "its job has ended"
            return SlotState.FAILED, job.last_words(self._directory, worker.name)
        waits = f"waits in the queue '{self._plan.options['queue']}'"
        return SlotState.PENDING, waits if job_state == "pending" else "its job has started"

    # -- changes ---------------------------------------------------------------------------------

    async def scale(self, n: int) -> None:
        over = {slot.name for slot in self.slots() if slot.state in {SlotState.LOST, SlotState.FAILED}}
        await self.release(over)
        await self.release(self.leaving(n))
        missing = n - sum(slot.state is not SlotState.LEAVING for slot in self.slots())
        for _ in range(missing):
            name = f"worker-{self._number}"
            self._number += 1
            self._workers[name] = _Worker(name, SlotState.PENDING, datetime.now(UTC), "is handed to the queue")
            self._remember()
            threads = str(self._plan.threads_per_worker)
            program = ["distributed.cli.dask_worker", self._address, "--name", name, "--nthreads", threads]
            program += ["--nanny" if self._plan.options["nannies"] else "--no-nanny"]
            program += ["--no-dashboard", "--local-directory", str(self._context.scratch_directory)]
            await self._submit(name, self._plan.options["queue_seconds"], program)

    async def release(self, names: Collection[str]) -> None:
        leaving = [name for name in self._workers if name in names]
        for name in leaving:
            worker = self._workers[name]
            worker.state, worker.since, worker.why = SlotState.LEAVING, datetime.now(UTC), None
        if leaving:
            await asyncio.to_thread(job.cancel, self._directory, leaving)
            self._remember()

    async def close(self) -> None:
        if hasattr(self, "scheduler"):
            await self.scheduler.close()
        await asyncio.to_thread(job.cancel, self._directory, [SCHEDULER, *self._workers])
        shutil.rmtree(self._directory, ignore_errors=True)
        self._context.remember({})


def _die_if(step: str) -> None:
    """Kill this process in the middle of a start, for tests."""
    if os.environ.get("GPUCLUSTER_SUBPROCESS_DIES") == step:
        os.kill(os.getpid(), 9)

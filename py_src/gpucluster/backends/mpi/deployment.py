"""One cluster of ranks: the scheduler is in this process, each worker a rank of one MPI program.

MPI ends all ranks when one of them dies. Then the whole program is started again, and Dask recomputes what was lost.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import shlex
import time
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import dask
from distributed import Scheduler

from ...operating_system.resources import MemoryKills
from ...protocol.errors import StartFailed
from ...protocol.plain_text import counted
from ...protocol.verbs import Verb
from ..backend import Plan, StartContext
from ..cuda.memory import memory_options
from ..dashboard import PrivateDashboardScheduler
from ..deployment import Deployment, Slot, SlotState
from ..environment import shared_directories
from ..scheduler.in_process import InProcessScheduler
from ..scheduler.view import Members
from ..workers import PASSED_ON, given_environment, lifetime_options, portable_credentials, usual_environment
from .backend import Family, Launcher, launcher_environment
from .program import Program, scratch_name
from .spec import MPISpec

WHY_FIXED = (
    "an MPI program has a fixed number of ranks. Create another cluster with as many workers as you need (n_workers)"
)


class RanksScheduler(PrivateDashboardScheduler):
    """A scheduler whose workers are the ranks of one program, even for Dask clients that bypass the supervisor.

    `restart`: ends the program and starts it again; returns when that has begun. Its argument: whether only some
    workers were to be restarted. `nannies`: whether workers have nannies, so that Dask can restart them alone.
    """

    def __init__(self, *args: Any, restart: Callable[[bool], Awaitable[None]], nannies: bool, **kwargs: Any) -> None:
        self._restart_program = restart
        self._nannies = nannies
        super().__init__(*args, **kwargs)

    async def restart_workers(self, workers: Any = None, **options: Any) -> Any:
        """Restart workers: all of them if they are ranks, which Dask would close and then wait for in vain."""
        if self._nannies:
            return await super().restart_workers(workers, **options)
        waiting = asyncio.ensure_future(super().restart_workers(None, **options))
        try:
            await asyncio.sleep(0)  # First it removes the current workers.
            await self._restart_program(workers is not None)
            return await waiting
        finally:
            waiting.cancel()

    async def retire_workers(self, *args: Any, close_workers: bool = False, **options: Any) -> Any:
        """Refuse, because all ranks end with the first; a nanny's worker may leave in order to restart."""
        if self._nannies and not close_workers:
            return await super().retire_workers(*args, close_workers=close_workers, **options)
        raise RuntimeError(f"The workers of this cluster cannot be retired: {WHY_FIXED}.")


# identity() reports the name of the class, and other tools know only this one.
RanksScheduler.__name__ = Scheduler.__name__


class RanksView(InProcessScheduler):
    """The supervisor's view, which also reports the end of the allocation."""

    over: str | None = None  # Why the cluster ends, as a sentence.

    def members(self) -> Members:
        found = super().members()
        return found if self.over is None else replace(found, ended=self.over)


logger = logging.getLogger("gpucluster.backends")

LOOK_SECONDS = 0.5
MISSING_SECONDS = 3.0  # After this time without a worker whose rank still runs, the program counts as broken.
MISSING_WITH_NANNY_SECONDS = 60.0
_ALLOCATION_OVER = re.compile(r"invalid job id|already completing|unable to confirm allocation|expired|revoked", re.I)


class MPIDeployment(Deployment):
    """Made by ``start``."""

    scheduler: RanksView
    can = frozenset({Verb.RESTART})
    why_not = WHY_FIXED

    def __init__(self, spec: MPISpec, plan: Plan, context: StartContext) -> None:
        self._spec = spec
        self._context = context
        self._names = [str(rank) for rank in range(plan.n_workers)]
        self.lost_together = not spec.has_nannies
        self._launcher: Launcher = plan.options["launcher"]
        self._command: list[str] = plan.options["command"]
        self._message: dict[str, Any] = {}
        self._scheduler: RanksScheduler
        self._program: Program | None = None
        self._noted: Program | None = None  # The last one whose end was reported or requested.
        self._replaced: Program | None = None  # The one that is being ended and replaced.
        self._closed = False
        self._changing = asyncio.Lock()
        self._watching: asyncio.Task[None] | None = None
        self._came: dict[str, float] = {}  # When each worker of this program was last seen.
        self._kills = MemoryKills()  # Since this program was started.
        self._since: dict[str, tuple[SlotState, datetime]] = {}

    @classmethod
    async def start(cls, spec: MPISpec, plan: Plan, context: StartContext, host: str) -> MPIDeployment:
        self = cls(spec, plan, context)
        context.report("scheduler", "Starting the scheduler")
        self._scheduler = RanksScheduler(
            restart=self._restart_program,
            nannies=spec.has_nannies,
            host=host,
            port=0,
            protocol=f"{spec.port_protocol}://",
            security=context.security,
            dashboard_address="127.0.0.1:0",
            http_prefix=context.dashboard_prefix,
        )
        try:
            await self._scheduler
            self.scheduler = RanksView(self._scheduler)
            self.submitted = shlex.join(self._command) + "\n"
            self._message = message_to_ranks(spec, context, plan.n_workers, self._scheduler.address)
            context.remember({"id": context.cluster_id, "local_directory": spec.local_directory})
            context.report("launch", f"Starting {counted(plan.n_workers, 'rank')} with {self._launcher.name}")
            await self._begin()
            self._watching = asyncio.create_task(self._watch())
        except BaseException:
            with suppress(Exception):
                await asyncio.shield(self.close())
            raise
        return self

    # -- what there is ---------------------------------------------------------------------------

    def slots(self) -> list[Slot]:
        missing = self._missing()
        here = self._connected()
        over = self._program.over if self._program is not None and self._program is not self._replaced else None
        found = []
        for name in self._names:
            state, why = SlotState.PENDING, None
            if name in here:
                state = SlotState.RUNNING
            elif over is not None:
                complete = len(self._came) == len(self._names)
                state, why = SlotState.LOST if complete else SlotState.FAILED, over
            elif name in missing and not self._spec.has_nannies:
                # Not before: its rank may be ending, and with it the program, and requests would be refused.
                state, why = SlotState.LOST, "its worker has ended"
            before = self._since.get(name)
            since = before[1] if before is not None and before[0] is state else datetime.now(UTC)
            self._since[name] = (state, since)
            found.append(Slot(name, state, since, why))
        return found

    # -- changing it -----------------------------------------------------------------------------

    async def scale(self, n: int) -> None:  # The number is fixed.
        """Start the program again if it is over or has lost workers."""
        program = self._program
        if program is not None and program.over is None:
            if not self._missing():
                return
            await self._end_broken(program)
        await self._begin(instead_of=program)

    async def release(self, names: Collection[str]) -> None:
        """Do nothing: ``scale`` starts all ranks again."""

    async def _restart_program(self, instead_of_some: bool) -> None:
        """Start the program again because a client restarts all workers, or some of them."""
        if instead_of_some:  # The scheduler itself reports a restart of all.
            self._context.tell(Verb.RESTART, "Restart all workers, because a Dask client asked to restart some of them")
        await self._begin()

    async def _begin(self, instead_of: Program | None = None) -> None:
        """End the program and start it again, unless `instead_of` has just been replaced."""
        async with self._changing:
            if self._closed or (instead_of is not None and self._program is not instead_of):
                return
            self._came = {}
            environment = launcher_environment(self._launcher, self._spec)
            try:
                if (before := self._program) is not None:
                    self._note_end(before)  # ``_watch`` may not have looked since.
                    self._noted = self._replaced = before
                    await before.end()
                self._kills = MemoryKills()
                self._program = await Program.start(self._command, environment, self._message, self._launcher.name)
            except OSError as error:
                raise StartFailed(f"{self._command[0]} cannot be started ({error.strerror}).") from error
            finally:
                self._replaced = None

    async def close(self) -> None:
        self._closed = True
        if self._watching is not None:
            self._watching.cancel()
        if hasattr(self, "scheduler"):
            await self.scheduler.close()
        try:
            async with self._changing:
                if self._program is not None:
                    await self._program.end()
                self._context.remember({})
        finally:
            with suppress(Exception):
                await asyncio.wait_for(self._scheduler.close(), 2.0)

    # -- following it ----------------------------------------------------------------------------

    async def _watch(self) -> None:
        """Report when the program ends, and end one that has lost a worker without noticing."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            program = self._program
            if program is None or program is self._noted:
                continue
            try:
                if program.over is None and self._missing():
                    await self._end_broken(program)
                self._note_end(program)
            except Exception:
                logger.exception("The MPI program could not be inspected")

    async def _end_broken(self, program: Program) -> None:
        await program.end(f"the worker of rank {', '.join(self._missing())} has ended")

    def _note_end(self, program: Program) -> None:
        if program.over is None or program is self._noted:
            return
        self._noted = program
        logger.warning("The MPI program has ended: %s", program.over)
        if self._launcher.family is Family.SLURM and _ALLOCATION_OVER.search(program.over or ""):
            self.scheduler.over = "The Slurm allocation of its workers has ended."
        elif self.slots()[0].state is not SlotState.FAILED and self._program is program:
            why = program.over
            if "SIGKILL" in why and self._kills.since_last():
                why = f"{why}, because this machine ran out of memory"
            self._context.tell("worker_died", f"The MPI program ended: {why}. All its ranks are being restarted.")

    def _connected(self) -> set[str]:
        return {str(worker.name) for worker in self._scheduler.workers.values()}

    def _missing(self) -> list[str]:
        if self._program is not None and self._program is not self._replaced:
            here, now = self._connected(), time.monotonic()
            self._came |= {name: now for name in self._names if name in here}
        patience = MISSING_WITH_NANNY_SECONDS if self._spec.has_nannies else MISSING_SECONDS
        return [name for name, seen in self._came.items() if time.monotonic() - seen > patience]


DEATH_TIMEOUT_SECONDS = 60


def message_to_ranks(spec: MPISpec, context: StartContext, n_workers: int, scheduler: str) -> dict[str, Any]:
    """Return the message to all ranks. `scheduler`: its address."""
    return {
        "id": context.cluster_id,
        "n_workers": n_workers,
        "scheduler": scheduler,
        "gpus_per_rank": spec.gpus_per_rank,
        "memory_is_shared": spec.memory_limit == "auto",
        "joins": spec.protocol == "mpi",
        "environment": {**usual_environment(), **spec.worker_environment(), **given_environment(spec)},
        "config": {**{name: dask.config.get(name) for name in PASSED_ON}, **_credentials(context)},
        "directory": os.getcwd(),
        "import_from": shared_directories(),
        "scratch": scratch_name(context.cluster_id),
        "local_directory": spec.local_directory,
        "arguments": arguments(spec),
        "options": _worker_options(spec, scheduler),
    }


def arguments(spec: MPISpec) -> list[str]:
    """Return the options of dask-mpi that are the same for all ranks."""
    worker_class = "distributed.Nanny" if spec.nanny else "distributed.Worker"
    if spec.gpus_per_rank:
        worker_class = "dask_cuda.CUDAWorker"
    limit = 0 if spec.memory_limit is None else spec.memory_limit
    return [
        *("--no-scheduler", "--no-dashboard", "--worker-class", worker_class),
        *("--nthreads", str(spec.threads_per_worker), "--memory-limit", str(limit)),
        *("--protocol", f"{spec.protocol}://"),
    ]


def _credentials(context: StartContext) -> dict[str, Any]:
    """Return the credentials as Dask's configuration, where dask-mpi's workers find them; text instead of paths."""
    found = portable_credentials(context.security)
    if not found:
        return {}
    places = {  # tls_ca_file: ca-file, tls_client_cert: client.cert
        name: name.removeprefix("tls_").replace("_file", "-file").replace("_", ".")
        for name in found
        if name.startswith("tls_")
    }
    settings = {f"distributed.comm.tls.{place}": found[name] for name, place in places.items()}
    return {**settings, "distributed.comm.require-encryption": True}


def _worker_options(spec: MPISpec, scheduler: str) -> dict[str, Any]:
    # dask-cuda and Dask have different names for it.
    options: dict[str, Any] = {"scheduler" if spec.gpus_per_rank else "scheduler_ip": scheduler}
    options["death_timeout"] = DEATH_TIMEOUT_SECONDS
    if spec.gpus_per_rank:
        options |= {"dashboard": False, **_gpu_options(spec)}
    preload = list(spec.preload)
    if spec.has_nannies:
        preload.insert(0, "gpucluster.backends.spawned")
    if preload:
        options["preload"] = preload
    if spec.resources:
        texts = [f"{name}={amount:g}" for name, amount in spec.resources.items()]
        options["resources"] = ",".join(texts) if spec.gpus_per_rank else dict(spec.resources)
    return options | lifetime_options(spec)


def _gpu_options(spec: MPISpec) -> dict[str, Any]:
    """Return arguments of ``dask_cuda.CUDAWorker``. Shares refer to the rank's own GPU: it sees no other."""
    limit = spec.device_memory_limit
    return {
        **memory_options(spec, spec),
        "device_memory_limit": "default" if limit == "auto" else 0 if limit is None else limit,
        "rmm_track_allocations": spec.rmm_track_allocations and (spec.rmm_pool_size is not None or spec.rmm_async),
    }

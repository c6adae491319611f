"""Create a cluster in bounded time: check the site's hours and quotas, write its record and start its process."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import InitVar, dataclass
from datetime import datetime
from importlib.util import find_spec

from ...protocol.errors import GPUClusterError, InvalidRequest, NotNow
from ...protocol.kinds import kind_title, traits_of
from ...protocol.models import ClusterModel, ClusterState, Idle, Progress, Wanted
from ...protocol.plain_text import counted
from ...protocol.spec import SpecBase
from ...protocol.telemetry import ActivityEntry
from ...registry import lock, logs
from ...registry.directory import writing
from ...registry.holders import Hold, Scope, lease_of_this_process
from ...registry.record import Folder, ProcessIdentity, Record, identify, now
from ...registry.store import Registry
from ...sharing.node import read_node
from ...sharing.turns import Turn, in_line
from ...site.quota import Remaining, fault_of_request, gpus_asked, is_here, left_beside
from ...site.reading import gpu_policy, this_site
from ...site.sharing import DAYS, opens_at
from ..stopping import KILLED_SECONDS, signal_supervisor
from ..transport import ask_supervisor
from .capacity import demand_of, usable_gpus
from .early_supervisor import drop_early, give_early
from .environment import cluster_environment, fingerprint
from .launch import LAUNCH_SECONDS, launch, take_standby

ADOPT_SECONDS = 8.0  # After that, a new process is faster than the standby.
_AT_LEAST_SECONDS = 5.0


@dataclass
class Creation:
    registry: Registry
    spec: SpecBase
    by: str
    python: str
    directory: str
    timeout: InitVar[float]
    lease: Scope | None = None
    hold: Hold | None = None  # Of a lease: what keeps it.

    def __post_init__(self, timeout: float) -> None:
        self._environment = {**cluster_environment(python=self.python), **self.spec.process_environment()}
        self._deadline = time.monotonic() + timeout

    async def begin(self) -> ClusterModel:
        """Return the cluster once a process has taken it."""
        try:
            return await self._begin()
        except BaseException:
            self.release()
            raise

    async def _begin(self) -> ClusterModel:
        folder, chosen = await asyncio.to_thread(self._write_down)
        if chosen:
            drop_early()
            body = {"cwd": self.directory, "environment": self._environment}
            try:
                await ask_supervisor(folder, "POST", "/adopt", body, timeout=min(ADOPT_SECONDS, self._left()))
            except GPUClusterError:
                # The standby has died, hangs or refuses: start a new process.
                folder = await asyncio.to_thread(self._give_up, folder)
        return self.registry.find(folder.id)

    def _left(self) -> float:
        """Return the seconds that are left; at least some, so that what does not hang completes."""
        return max(_AT_LEAST_SECONDS, self._deadline - time.monotonic())

    def release(self) -> None:
        if self.hold is not None:
            self.hold.release()

    def _give_up(self, folder: Folder) -> Folder:
        if folder.killed.exists():
            return folder  # The cluster was stopped already.
        signal_supervisor(self.registry, folder, signal.SIGKILL)
        self.release()
        with suppress(FileNotFoundError), self.registry.exclusive(self._left()):
            # No longer a cluster, and a standby without a fingerprint is never chosen.
            self.registry.write(folder, Record(kind="standby"))
        with suppress(FileNotFoundError):
            held = lock.take(folder.lock, patience=min(KILLED_SECONDS, self._left()))
            if held is not None:  # It may have written until its end.
                self.registry.delete(folder)
                os.close(held)
        return self._write_down(use_standby=False)[0]

    def _write_down(self, *, use_standby: bool = True) -> tuple[Folder, bool]:
        """Reserve the name, write the record, and start a process unless a standby takes it."""
        spec = self.spec
        if not os.path.isdir(self.directory) or not os.access(self.directory, os.X_OK):
            raise InvalidRequest(
                f"The working directory {self.directory} does not exist, or you do not have permission to enter it."
            )
        with self.registry.exclusive(self._left()):
            self.registry.sweep()
            require_open(self.registry, spec)
            name = self.registry.free_name(spec.name, kind="cluster" if self.lease is None else "lease")
            folder: Folder | None = None
            process: ProcessIdentity | None = None
            if use_standby:
                wanted = fingerprint(self.python, self._environment)
                folder, process = take_standby(self.registry, wanted)
            held: int | None = None
            turn: Turn | None = None
            progress = Progress(step="launch", message="Starting the cluster's process")
            if folder is None:
                folder, held = self.registry.new_folder()
                # A standby needs no turn: it has little left to do.
                turn = Turn.take()
                if turn is not None and not turn.has_come(before := turn.before()):
                    progress = Progress(step="turn", message=in_line(before))
            model = ClusterModel(
                id=folder.id,
                name=name,
                backend=spec.backend,
                backend_title=kind_title(spec.backend),
                state=ClusterState.STARTING,
                progress=progress,
                wanted=Wanted(n_workers=spec.n_workers),
                idle=Idle(timeout_seconds=spec.idle_timeout_seconds),
                python=self.python,
                created_at=now(),
                spec=spec.written_down(),
                lease=None if self.lease is None else lease_of_this_process(self.lease, self.by),
            )
            try:
                if self.lease is not None:
                    with writing(self.registry.directory):
                        self.hold = Hold(folder)
                asker = identify(os.getpid()) if held is None else None
                self.registry.write(folder, Record(kind="cluster", cluster=model, process=process, asked_by=asker))
            except BaseException:
                if held is not None:
                    os.close(held)
                    self.registry.delete(folder)
                raise
            number = f" with {counted(spec.n_workers, 'worker')}" if spec.n_workers is not None else ""
            asked = ActivityEntry(at=model.created_at, kind="create", by=self.by, message=f"Create{number}")
            with suppress(OSError):
                logs.append_activity(folder.activity, asked)
        if held is not None:
            try:
                self._launch(folder, held, turn)
            finally:
                if turn is not None:
                    turn.leave()  # The process has it now.
        return folder, held is None

    def _launch(self, folder: Folder, held: int, turn: Turn | None) -> None:
        descriptor = turn.descriptor if turn is not None else None
        early = give_early(
            folder.path, held, descriptor, python=self.python, cwd=self.directory, environment=self._environment
        )
        if early is not None:
            os.close(held)
            return
        try:
            launch(
                folder, held, python=self.python, cwd=self.directory, environment=self._environment, turn=descriptor,
                timeout=min(LAUNCH_SECONDS, self._left()),
            )  # fmt: skip
        except GPUClusterError:
            self.registry.delete(folder)
            raise


def require_open(registry: Registry, spec: SpecBase) -> None:
    """Refuse a cluster outside the site's hours or above a user's quota. Call it holding ``registry.exclusive``."""
    sharing = this_site().sharing
    moment = datetime.now()  # the site's hours are on this machine's clock
    opening = opens_at(sharing.hours, moment)
    if opening is not None:
        hours = ", ".join(each.text for each in sharing.hours)
        raise NotNow(
            f"This site opens again {_when(opening, moment)} (its hours are {hours}). Running clusters continue; "
            "create another one then."
        )
    clusters = registry.list()
    living = sum(not model.state.ended for model in clusters)
    if living >= (most := sharing.per_user.clusters):
        raise NotNow(
            f"You have {counted(living, 'running cluster')}, and each user may have {most} at a time. Stop one first: "
            "'gpucluster list' shows them."
        )
    fault = fault_of_request(spec, left_beside(with_expected(clusters))) or fault_of_gpus(spec, clusters)
    if fault is not None:
        raise NotNow(fault)


def _when(opening: datetime, moment: datetime) -> str:
    clock = opening.strftime("%H:%M")
    days = (opening.date() - moment.date()).days
    if days == 0:
        return f"at {clock}"
    return f"tomorrow at {clock}" if days == 1 else f"on {DAYS[opening.weekday()]} at {clock}"


def with_expected(clusters: Sequence[ClusterModel]) -> list[ClusterModel]:
    """Return a user's clusters, with the expected workers and memory of those that have just been requested.

    Otherwise, on a site with quotas, two simultaneous requests with open memory would count on the same memory.
    """
    begun = [model for model in clusters if _is_begun(model)]
    known = [model for model in clusters if model not in begun]
    if not begun or not left_beside(known).is_bounded:
        return list(clusters)
    for model in sorted(begun, key=lambda model: model.created_at):
        known.append(_expected(model, left_beside(known)))
    return known


def _is_begun(model: ClusterModel) -> bool:
    return not model.state.ended and is_here(model) and model.memory_limit_bytes is None and not model.workers


def _expected(model: ClusterModel, left: Remaining) -> ClusterModel:
    demand = demand_of(model.spec, left)
    if demand is None:
        return model
    is_open = model.wanted == Wanted()
    wanted = Wanted(n_workers=demand.n_workers) if is_open else model.wanted
    return model.model_copy(update={"memory_limit_bytes": demand.memory_limit_bytes or 0, "wanted": wanted})


def fault_of_gpus(spec: SpecBase, clusters: Iterable[ClusterModel]) -> str | None:
    """Return why the site refuses the GPUs of a request; ``None``: it does not.

    The cluster's process, which claims the GPUs, checks again; a cluster that it refuses stays in the list.
    """
    policy = gpu_policy()
    if policy.per_user is None or not (wanted := _wanted(spec)):
        return None
    try:
        claimed = read_node().held_by(os.getuid())
    except OSError:
        return None  # Claims are not visible on this system, so the limit is not applied.
    asked = sum(max(gpus_asked(model.spec), _has(model)) for model in clusters if not model.state.ended)
    return policy.fault(wanted, max(claimed, asked))


def _has(model: ClusterModel) -> int:
    return model.n_workers + model.n_pending if gpus_asked(model.spec) else 0


def _wanted(spec: SpecBase) -> int:
    if not traits_of(spec).chooses:
        return gpus_asked(spec)
    # It takes GPUs if there are enough of them, else CPUs.
    wanted, usable = spec.n_workers or 1, usable_gpus()
    return wanted if usable is not None and wanted <= usable and find_spec("dask_cuda") is not None else 0

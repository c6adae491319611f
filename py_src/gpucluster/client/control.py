"""The verbs, asynchronous and synchronous, without Dask: what server, magics and command line call."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from builtins import list as List
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pydantic import ValidationError

from ..protocol.errors import (
    ClusterEnded,
    GPUClusterError,
    InvalidState,
    OperationTimedOut,
    ScaleFailed,
    StartFailed,
    StartTimedOut,
    SupervisorUnreachable,
)
from ..protocol.models import ClusterModel, ClusterState, Event, Idle, LogLines, Progress, Wanted
from ..protocol.spec import ClusterPatch, SpecBase, parse_patch, parse_spec
from ..protocol.telemetry import Activity, ActivityEntry, TelemetryHistory, TelemetrySample
from ..protocol.workers import find_worker
from ..registry import activity, lock
from ..registry.process import ProcessIdentity, send_signal
from ..registry.record import DashboardAddress, Folder, Record
from ..registry.store import Registry, now, tail
from . import standby
from .asker import this_process
from .background import run
from .capacity import must_fit, notes_on_patch, notes_on_spec
from .environment import cluster_environment, fingerprint, python_of
from .events import RawTelemetry, newest_sample, raw_watch, watch
from .launch import launch
from .transport import request

POLL_SECONDS = 0.02
STOP_PATIENCE_SECONDS = 20.0
MAX_LOG_LINES = 10_000

OnProgress = Callable[[ClusterModel], None]


class AsyncControl:
    """All verbs on all clusters of this user.

    Wherever ``id`` stands, a name will do.

    Parameters
    ----------
    directory : Path, optional
        The registry's directory; default ``$GPUCLUSTER_DIR`` or ``/tmp/gpucluster-<uid>``.
    by : str, optional
        Who asks, for the activity of the clusters; default: this process, such as ``notebook, process 4711``.

    Raises
    ------
    RegistryUnsafe
        When the directory does not belong to this user alone.
    """

    def __init__(self, directory: Path | None = None, *, by: str | None = None) -> None:
        self.registry = Registry(directory)
        self.by = activity.who(by) or this_process()

    # -- looking ---------------------------------------------------------------------------------

    async def list(self) -> List[ClusterModel]:
        """Return all clusters, living ones first; ended ones stay for a day unless removed."""
        return self.registry.list()

    async def get(self, id: str) -> ClusterModel:
        """Return one cluster.

        Raises
        ------
        ClusterNotFound
        """
        return self.registry.find(id)

    async def logs(self, id: str, *, lines: int = 200) -> LogLines:
        """Return the end of a cluster's log, also of an ended one.

        Raises
        ------
        ClusterNotFound
        """
        model = self.registry.find(id)
        count = max(1, min(lines, MAX_LOG_LINES))
        return LogLines(id=model.id, lines=tail(self.registry.folder(model.id).log, count))

    async def activity(self, id: str) -> Activity:
        """Return who asked what of a cluster and what came of it, also of an ended one.

        Raises
        ------
        ClusterNotFound
        """
        model = self.registry.find(id)
        return Activity(id=model.id, entries=activity.read(self.registry.folder(model.id).activity))

    async def telemetry(self, id: str) -> TelemetrySample:
        """Return the newest figures; they are at most a second old.

        Raises
        ------
        ClusterNotFound, InvalidState, SupervisorUnreachable
        """
        model = self._living(id)
        if model.scheduler_address is None:
            raise InvalidState(f"The cluster '{model.name}' is {model.state.value}; it has no figures yet.")
        return await newest_sample(self.registry.folder(model.id))

    async def history(self, id: str) -> TelemetryHistory:
        """Return the figures of the last ten minutes.

        Raises
        ------
        ClusterNotFound, InvalidState, SupervisorUnreachable
        """
        model = self._living(id)
        answer = await request(self.registry.folder(model.id), "GET", "/history")
        return TelemetryHistory.model_validate_json(answer)

    def dashboard(self, id: str) -> DashboardAddress:
        """Return where the dashboard listens: a secret of this user.

        Raises
        ------
        ClusterNotFound, InvalidState
        """
        return self.registry.dashboard(id)

    def events(self, *, telemetry: bool = True) -> AsyncIterator[Event]:
        """Yield ``Hello`` with the whole list, then what changes, and samples of running clusters."""
        return watch(self.registry, telemetry=telemetry)

    def raw_events(self) -> AsyncIterator[Event | RawTelemetry]:
        """Like ``events``, with samples as ``(id, line)``: the JSON of a whole event, not parsed."""
        return raw_watch(self.registry)

    # -- before a request ------------------------------------------------------------------------

    async def notes(self, spec: SpecBase | dict[str, Any]) -> List[str]:
        """Return what to know about a cluster before it is made, such as that its workers share cores. Starts nothing.

        Raises
        ------
        InvalidRequest
            It is refused; so would ``create``.
        """
        return await asyncio.to_thread(notes_on_spec, parse_spec(spec))

    async def patch_notes(self, id: str, patch: ClusterPatch | dict[str, Any]) -> List[str]:
        """Return what to know about a change before it is made. Changes nothing.

        Raises
        ------
        ClusterNotFound, InvalidRequest
        """
        wish = patch if isinstance(patch, ClusterPatch) else parse_patch(patch)
        return notes_on_patch(self.registry.find(id), wish)

    # -- changing --------------------------------------------------------------------------------

    async def create(
        self, spec: SpecBase | dict[str, Any], *, python: str | None = None, cwd: str | None = None
    ) -> ClusterModel:
        """Ask for a cluster. Returns at once; the cluster is ``starting``.

        Parameters
        ----------
        spec : spec or dict
            What is wanted.
        python : str, optional
            Python executable of the cluster; default: that of ``spec.kernel_name``, else this process's.
        cwd : str, optional
            Working directory of the workers; default: this process's.

        Raises
        ------
        InvalidRequest, NameTaken, StartFailed, RegistryUnwritable
        """
        creating = asyncio.ensure_future(self._create(spec, python, cwd))
        try:
            return await asyncio.shield(creating)
        except asyncio.CancelledError:
            # Half-way there: nobody will ever learn this cluster's id, so nothing of it may stay.
            with suppress(GPUClusterError):
                await self.stop((await creating).id)
            raise

    async def _create(self, spec: SpecBase | dict[str, Any], python: str | None, cwd: str | None) -> ClusterModel:
        wish = parse_spec(spec)
        must_fit(wish)
        executable = python or python_of(wish.kernel_name)
        directory = cwd or os.getcwd()
        environment = {**cluster_environment(), **wish.process_environment()}
        folder, adopted = await asyncio.to_thread(self._begin, wish, executable, directory, environment)
        if adopted:
            try:
                await request(folder, "POST", "/adopt", {"cwd": directory, "environment": environment})
            except GPUClusterError:
                # The standby died between our look and our request, or cannot become a cluster: start the slow way.
                folder = await asyncio.to_thread(self._begin_again, folder, wish, executable, directory, environment)
        return self.registry.find(folder.id)

    async def wait(self, id: str, *, timeout: float = 120, progress: OnProgress | None = None) -> ClusterModel:
        """Wait until the cluster is running with the wanted workers.

        Parameters
        ----------
        timeout : float
            Seconds.
        progress : callable, optional
            Called with each new model.

        Raises
        ------
        StartFailed
            When it ends before it has ever run, with the reason.
        ClusterEnded
            When it ends later.
        StartTimedOut, OperationTimedOut
            It goes on all the same.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + timeout
        last: ClusterModel | None = None
        model = self.registry.find(id)
        while True:
            if progress is not None and model is not last:
                progress(model)
            last = model
            if model.state.ended or model.wanted.stopped:
                fallback = f"The cluster '{model.name}' was stopped."
                raise (StartFailed if model.running_at is None else ClusterEnded)(model.reason or fallback)
            if model.state is ClusterState.RUNNING and (
                model.wanted.n_workers in {None, model.n_workers} or model.notice is not None
            ):
                return model
            if loop.time() > deadline:
                raise (StartTimedOut if model.running_at is None else OperationTimedOut)(
                    f"The cluster '{model.name}' is still {model.state.value} after {timeout:.0f} seconds, with "
                    f"{model.n_workers} workers. It goes on; look at its log or stop it."
                )
            await asyncio.sleep(POLL_SECONDS)
            model = self.registry.find(model.id)

    async def wait_for_scale(
        self, id: str, n_workers: int, *, timeout: float = 120, progress: OnProgress | None = None
    ) -> ClusterModel:
        """Wait until the cluster has exactly the number of workers that it was asked for before.

        Raises
        ------
        ScaleFailed
            When it settles for another number, with the reason.
        ClusterEnded, OperationTimedOut
        """
        model = await self.wait(id, timeout=timeout, progress=progress)
        if {model.n_workers, model.wanted.n_workers} != {n_workers}:
            count = f"{model.n_workers} worker{'s' * (model.n_workers != 1)}"
            meanwhile = f"Something else was asked of the cluster '{model.name}' meanwhile; it has {count} now."
            raise ScaleFailed(model.notice or meanwhile)
        return model

    async def patch(self, id: str, patch: ClusterPatch | dict[str, Any]) -> ClusterModel:
        """Change what is wanted: number of workers, adaptive bounds or idle timeout. Returns when accepted.

        Raises
        ------
        ClusterNotFound, InvalidRequest, InvalidState, RegistryUnwritable, SupervisorUnreachable
        """
        wish = patch if isinstance(patch, ClusterPatch) else parse_patch(patch)
        model = self._living(id)
        body = wish.model_dump(exclude_unset=True)
        return await self._ask(model, "PATCH", "/model", body)

    async def retire(self, id: str, worker: str) -> ClusterModel:
        """Retire one worker: its results go to the others, then it ends. Returns when accepted.

        Parameters
        ----------
        worker : str
            Name of the worker, or the beginning of a GPU worker's UUID. While the number of workers follows the
            load, another may take its place.

        Raises
        ------
        ClusterNotFound, WorkerNotFound, InvalidState, SupervisorUnreachable
        """
        model = self._living(id)
        if not worker.strip(".") or len(worker) > 200 or not _encodes(worker):
            find_worker(model, worker)  # No path can carry such a name.
        return await self._ask(model, "POST", f"/workers/{quote(worker, safe='')}/retire")

    async def restart(self, id: str) -> ClusterModel:
        """Restart all workers; tasks and results are lost. Returns when accepted.

        Raises
        ------
        ClusterNotFound, InvalidState, SupervisorUnreachable
        """
        return await self._ask(self._living(id), "POST", "/restart")

    async def stop(self, id: str, *, wait: bool = True) -> ClusterModel:
        """Stop a cluster. Stopping an ended cluster changes nothing.

        Parameters
        ----------
        wait : bool
            Return when nothing of it runs any more. A process that does not end in time is killed.

        Raises
        ------
        ClusterNotFound
        """
        model = self.registry.find(id)
        if model.state.ended:
            return model
        try:
            asked = await self._ask(model, "POST", "/stop")
        except SupervisorUnreachable:
            asked = self.registry.find(model.id)
            if not asked.state.ended:
                self._kill(self.registry.folder(asked.id))
        if not wait:
            return asked
        loop = asyncio.get_running_loop()
        deadline = loop.time() + STOP_PATIENCE_SECONDS
        while not (model := self.registry.find(model.id)).state.ended:
            if loop.time() > deadline:
                self._kill(self.registry.folder(model.id))
                deadline = loop.time() + STOP_PATIENCE_SECONDS
            await asyncio.sleep(POLL_SECONDS)
        if asked.wanted.stopped and not model.wanted.stopped:
            # That it was to stop could not be written down: to others it looks as if its process had been lost.
            return model.model_copy(update={"state": ClusterState.STOPPED, "wanted": asked.wanted, "log_tail": []})
        return model

    async def remove(self, id: str) -> None:
        """Forget an ended cluster with its log.

        Raises
        ------
        ClusterNotFound
        InvalidState
            When it has not ended.
        """
        model = self.registry.find(id)
        folder = self.registry.folder(model.id)
        for _ in range(100):  # The process needs a moment to leave after its last record.
            if not (model.state.ended and lock.is_held(folder.lock)):
                break
            await asyncio.sleep(POLL_SECONDS)
        self.registry.remove(model.id)

    async def ensure_standby(self) -> bool:
        """Start an idle supervisor for the next cluster unless there is one; returns whether one was started."""
        return await asyncio.to_thread(standby.start_standby, self.registry, python=sys.executable)

    async def close_standby(self) -> bool:
        """End the idle supervisor of this Python; returns whether there was one."""
        return await standby.release_standbys(self.registry, python=sys.executable)

    # -- parts -----------------------------------------------------------------------------------

    def _begin_again(self, folder: Folder, spec: Any, python: str, cwd: str, environment: dict[str, str]) -> Folder:
        """Give a standby up and start a process of its own for the cluster."""
        self._kill(folder)
        held = lock.take(folder.lock, wait=True)  # It may be writing until it is gone.
        self.registry.delete(folder)
        if held is not None:
            os.close(held)
        return self._begin(spec, python, cwd, environment, use_standby=False)[0]

    def _begin(
        self, spec: Any, python: str, cwd: str, environment: dict[str, str], *, use_standby: bool = True
    ) -> tuple[Folder, bool]:
        """Give out the name, write the record, and start a process unless a standby takes it."""
        with self.registry.exclusive():
            self.registry.sweep()
            name = self.registry.free_name(spec.name)
            folder: Folder | None = None
            process: ProcessIdentity | None = None
            if use_standby:
                folder, process = standby.take_standby(self.registry, fingerprint(python, environment))
            held: int | None = None
            if folder is None:
                folder, held = self.registry.new_folder()
            model = ClusterModel(
                id=folder.id,
                name=name,
                backend=spec.backend,
                state=ClusterState.STARTING,
                progress=Progress(step="launch", message="Starting the cluster's process"),
                wanted=Wanted(n_workers=spec.n_workers),
                idle=Idle(timeout_seconds=spec.idle_timeout_seconds),
                python=python,
                created_at=now(),
                spec=spec,
            )
            try:
                self.registry.write(folder, Record(kind="cluster", cluster=model, process=process))
            except BaseException:
                if held is not None:
                    os.close(held)
                    self.registry.delete(folder)
                raise
            number = f" with {spec.n_workers} worker{'s' * (spec.n_workers != 1)}" if spec.n_workers is not None else ""
            asked = ActivityEntry(at=model.created_at, kind="create", by=self.by, message=f"Create{number}")
            with suppress(OSError):
                activity.append(folder.activity, asked)
        if held is not None:
            self._launch(folder, held, python, cwd, environment)
        return folder, held is None

    def _launch(self, folder: Folder, held: int, python: str, cwd: str, environment: dict[str, str]) -> None:
        try:
            launch(folder, held, python=python, cwd=cwd, environment=environment)
        except GPUClusterError:
            self.registry.delete(folder)
            raise

    def _living(self, id: str) -> ClusterModel:
        model = self.registry.find(id)
        if model.state.ended:
            raise InvalidState(f"The cluster '{model.name}' has {model.state.value}; create a new one.")
        return model

    async def _ask(self, model: ClusterModel, method: str, path: str, body: Any = None) -> ClusterModel:
        answer = await request(self.registry.folder(model.id), method, path, body, by=self.by)
        return ClusterModel.model_validate_json(answer)

    def _kill(self, folder: Folder) -> None:
        identity: ProcessIdentity | None = None
        with suppress(GPUClusterError):
            record = self.registry.read(folder)
            identity = record.process if record is not None else None
        if identity is None:
            with suppress(OSError, ValidationError):
                identity = ProcessIdentity.model_validate_json(folder.process.read_bytes())
        if identity is not None:
            send_signal(identity, signal.SIGKILL)


def _encodes(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


class Control:
    """Synchronous twin of ``AsyncControl``: the same verbs, run on a background loop."""

    def __init__(self, directory: Path | None = None, *, by: str | None = None) -> None:
        self.asynchronous = AsyncControl(directory, by=by)

    def list(self) -> List[ClusterModel]:
        """See ``AsyncControl.list``."""
        return run(self.asynchronous.list())

    def get(self, id: str) -> ClusterModel:
        """See ``AsyncControl.get``."""
        return run(self.asynchronous.get(id))

    def create(
        self, spec: SpecBase | dict[str, Any], *, python: str | None = None, cwd: str | None = None
    ) -> ClusterModel:
        """See ``AsyncControl.create``."""
        return run(self.asynchronous.create(spec, python=python, cwd=cwd))

    def notes(self, spec: SpecBase | dict[str, Any]) -> List[str]:
        """See ``AsyncControl.notes``."""
        return run(self.asynchronous.notes(spec))

    def patch_notes(self, id: str, patch: ClusterPatch | dict[str, Any]) -> List[str]:
        """See ``AsyncControl.patch_notes``."""
        return run(self.asynchronous.patch_notes(id, patch))

    def wait(self, id: str, *, timeout: float = 120, progress: OnProgress | None = None) -> ClusterModel:
        """See ``AsyncControl.wait``. ``progress`` is called in another thread."""
        return run(self.asynchronous.wait(id, timeout=timeout, progress=progress))

    def patch(self, id: str, patch: ClusterPatch | dict[str, Any]) -> ClusterModel:
        """See ``AsyncControl.patch``."""
        return run(self.asynchronous.patch(id, patch))

    def restart(self, id: str) -> ClusterModel:
        """See ``AsyncControl.restart``."""
        return run(self.asynchronous.restart(id))

    def stop(self, id: str, *, wait: bool = True) -> ClusterModel:
        """See ``AsyncControl.stop``."""
        return run(self.asynchronous.stop(id, wait=wait))

    def remove(self, id: str) -> None:
        """See ``AsyncControl.remove``."""
        run(self.asynchronous.remove(id))

    def logs(self, id: str, *, lines: int = 200) -> LogLines:
        """See ``AsyncControl.logs``."""
        return run(self.asynchronous.logs(id, lines=lines))

    def activity(self, id: str) -> Activity:
        """See ``AsyncControl.activity``."""
        return run(self.asynchronous.activity(id))

    def telemetry(self, id: str) -> TelemetrySample:
        """See ``AsyncControl.telemetry``."""
        return run(self.asynchronous.telemetry(id))

    def history(self, id: str) -> TelemetryHistory:
        """See ``AsyncControl.history``."""
        return run(self.asynchronous.history(id))

    def retire(self, id: str, worker: str) -> ClusterModel:
        """See ``AsyncControl.retire``."""
        return run(self.asynchronous.retire(id, worker))

    def dashboard(self, id: str) -> DashboardAddress:
        """See ``AsyncControl.dashboard``."""
        return self.asynchronous.dashboard(id)

    def ensure_standby(self) -> bool:
        """See ``AsyncControl.ensure_standby``."""
        return run(self.asynchronous.ensure_standby())

    def close_standby(self) -> bool:
        """See ``AsyncControl.close_standby``."""
        return run(self.asynchronous.close_standby())

"""The verbs, asynchronous and synchronous, without Dask: what server, magics and command line call."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from builtins import list as List
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ..protocol.errors import (
    ClusterEnded,
    ClusterNotFound,
    GPUClusterError,
    InvalidRequest,
    InvalidState,
    OperationTimedOut,
    ProtocolMismatch,
    ScaleFailed,
    StartFailed,
    StartTimedOut,
    SupervisorUnreachable,
)
from ..protocol.models import ClusterModel, ClusterState, Event, LogLines
from ..protocol.plaintext import counted
from ..protocol.spec import ClusterPatch, SpecBase, parse_patch, parse_spec
from ..protocol.telemetry import Activity, Decision, Decisions, TelemetryHistory, TelemetrySample
from ..protocol.version import PROTOCOL_VERSION
from ..protocol.workers import find_worker
from ..registry import activity, lock
from ..registry.record import DashboardAddress
from ..registry.store import Registry, tail
from . import standby
from .caller import this_process
from .capacity import must_fit, notes_on_patch, notes_on_spec
from .creation import Creation
from .environment import python_of
from .events import RawTelemetry, raw_watch, watch
from .killing import kill_cluster, signal_supervisor
from .launch import LAUNCH_SECONDS
from .synchronous import Synchronous, synchronous
from .telemetry import newest_sample
from .transport import request

POLL_SECONDS = 0.02
STOP_PATIENCE_SECONDS = 20.0
STOP_LATE_SECONDS = 10.0
"""Patience with a cluster that has taken too long to start."""
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

    async def decisions(self, id: str) -> List[Decision]:
        """Return what following the load has led to since it was last asked for, oldest first.

        Raises
        ------
        ClusterNotFound, InvalidState, SupervisorUnreachable
        """
        model = self._living(id)
        answer = await request(self.registry.folder(model.id), "GET", "/decisions")
        return Decisions.model_validate_json(answer).decisions

    def dashboard(self, id: str) -> DashboardAddress:
        """Return where the dashboard listens: a secret of this user.

        Raises
        ------
        ClusterNotFound, InvalidState
        """
        return self.registry.dashboard(id)

    async def open_dashboard(self, id: str) -> str:
        """Let a browser on this machine reach the dashboard, and return the address of its status page: a secret.

        Raises
        ------
        ClusterNotFound, InvalidState, SupervisorUnreachable
        """
        model = self._living(id)
        answer = await request(self.registry.folder(model.id), "POST", "/dashboard")
        url = DashboardAddress.model_validate_json(answer).url
        assert url is not None
        return url

    def find_living(self, name: str | None = None) -> ClusterModel:
        """Return a cluster that has not ended, by name or id; without one the only one that there is.

        Raises
        ------
        ClusterNotFound
            When there is none, or it has ended.
        InvalidRequest
            When the name was left out and there are several.
        """
        living = [model for model in self.registry.list() if not model.state.ended]
        if name is not None:
            model = self.registry.find(name)
            if model.state.ended:
                why = f" {model.reason}" if model.reason else ""
                raise ClusterNotFound(f"The cluster '{model.name}' has {model.state.value}.{why}")
            return model
        if not living:
            raise ClusterNotFound("There is no living cluster. Create one: gpucluster.create().")
        if len(living) > 1:
            names = ", ".join(model.name for model in living)
            raise InvalidRequest(f"There are several living clusters ({names}); name one.")
        return living[0]

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
        checked = patch if isinstance(patch, ClusterPatch) else parse_patch(patch)
        return notes_on_patch(self.registry.find(id), checked)

    # -- changing --------------------------------------------------------------------------------

    async def create(
        self,
        spec: SpecBase | dict[str, Any],
        *,
        python: str | None = None,
        cwd: str | None = None,
        timeout: float = LAUNCH_SECONDS,
    ) -> ClusterModel:
        """Ask for a cluster. Returns as soon as its process is there; the cluster is ``starting``.

        Parameters
        ----------
        spec : spec or dict
            What is wanted.
        python : str, optional
            Python executable of the cluster; default: that of ``spec.kernel_name``, else this process's.
        cwd : str, optional
            Working directory of the workers; default: this process's.
        timeout : float
            Most seconds until its process is there.

        Raises
        ------
        InvalidRequest, NameTaken, StartFailed, StartTimedOut, RegistryUnwritable
        """
        checked = parse_spec(spec)
        must_fit(checked)
        creation = Creation(
            self.registry,
            checked,
            by=self.by,
            python=python or python_of(checked.kernel_name),
            directory=os.path.abspath(cwd or os.getcwd()),
            timeout=timeout,
        )
        creating = asyncio.ensure_future(creation.begin())
        try:
            return await asyncio.shield(creating)
        except asyncio.CancelledError:
            # Half-way there: nobody will ever learn this cluster's id, so nothing of it may stay.
            with suppress(GPUClusterError):
                await self.stop((await creating).id)
            raise

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
        ProtocolMismatch
            It belongs to another version, which cannot be asked.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + timeout
        last: ClusterModel | None = None
        model = self.registry.find(id)
        if not model.state.ended:
            _must_speak_our_version(model)
        while True:
            if progress is not None and model is not last:
                progress(model)
            last = model
            if model.state.ended or model.wanted.stopped:
                fallback = f"The cluster '{model.name}' was stopped."
                raise (StartFailed if model.running_at is None else ClusterEnded)(model.reason or fallback)
            if model.state is ClusterState.RUNNING and (
                model.wanted.n_workers in {None, _accepted(model)} or model.notice is not None
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
        if {_accepted(model), model.wanted.n_workers} != {n_workers}:
            count = counted(model.n_workers, "worker")
            meanwhile = f"Something else was asked of the cluster '{model.name}' meanwhile; it has {count} now."
            raise ScaleFailed(model.notice or meanwhile)
        return model

    async def patch(self, id: str, patch: ClusterPatch | dict[str, Any]) -> ClusterModel:
        """Change what is wanted: number of workers, adaptive bounds or idle timeout. Returns when accepted.

        Raises
        ------
        ClusterNotFound, InvalidRequest, InvalidState, RegistryUnwritable, SupervisorUnreachable
        """
        checked = patch if isinstance(patch, ClusterPatch) else parse_patch(patch)
        model = self._living(id)
        body = checked.model_dump(exclude_unset=True)
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

    async def stop(self, id: str, *, wait: bool = True, timeout: float = STOP_PATIENCE_SECONDS) -> ClusterModel:
        """Stop a cluster. Stopping an ended cluster changes nothing.

        Parameters
        ----------
        wait : bool
            Return when nothing of it runs any more.
        timeout : float
            Seconds after which its process is killed when it has not ended by itself; half of them when it does not
            even answer. The ``reason`` of the cluster says so.

        Raises
        ------
        ClusterNotFound
        SupervisorUnreachable
            The process cannot be killed either.
        """
        model = self.registry.find(id)
        if model.state.ended:
            return model
        deadline = time.monotonic() + timeout
        try:
            if model.protocol_version != PROTOCOL_VERSION:
                # Requests of ours mean nothing to another version. The signal has always meant to stop.
                signal_supervisor(self.registry, self.registry.folder(model.id), signal.SIGTERM)
                asked = model
            else:
                model = asked = await self._ask(model, "POST", "/stop", timeout=timeout / 2)
        except SupervisorUnreachable:
            why = f"Its process did not answer within {timeout / 2:.0f} seconds and was killed."
            return await kill_cluster(self.registry, self.registry.find(model.id), why)
        except InvalidState:
            # A standby whose record says that it has this cluster, and whom nobody told.
            why = "Its process was not told of it before it was stopped."
            return await kill_cluster(self.registry, self.registry.find(model.id), why)
        while wait and not model.state.ended:
            if time.monotonic() > deadline:
                why = f"Its process had not ended {timeout:.0f} seconds after it was asked to, and was killed."
                return await kill_cluster(self.registry, model, why)
            await asyncio.sleep(POLL_SECONDS)
            model = self.registry.find(model.id)
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
        """Want no idle supervisor any more; returns whether one was wanted. It ends unless somebody else wants it."""
        return await standby.release_standbys(self.registry)

    # -- parts -----------------------------------------------------------------------------------

    def _living(self, id: str) -> ClusterModel:
        model = self.registry.find(id)
        if model.state.ended:
            raise InvalidState(f"The cluster '{model.name}' has {model.state.value}; create a new one.")
        _must_speak_our_version(model)
        return model

    async def _ask(
        self, model: ClusterModel, method: str, path: str, body: Any = None, timeout: float | None = None
    ) -> ClusterModel:
        answer = await request(self.registry.folder(model.id), method, path, body, by=self.by, timeout=timeout)
        return ClusterModel.model_validate_json(answer)


def _must_speak_our_version(model: ClusterModel) -> None:
    if model.protocol_version != PROTOCOL_VERSION:
        raise ProtocolMismatch(f"The cluster '{model.name}' can only be stopped. {model.notice}")


def _encodes(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


class Control(Synchronous[AsyncControl]):
    """The verbs of ``AsyncControl``, synchronous. A callback such as ``progress`` is called in another thread."""

    def __init__(self, directory: Path | None = None, *, by: str | None = None) -> None:
        super().__init__(AsyncControl(directory, by=by))

    @property
    def asynchronous(self) -> AsyncControl:
        """The same with coroutines."""
        return self._asynchronous

    def dashboard(self, id: str) -> DashboardAddress:
        """See ``AsyncControl.dashboard``."""
        return self._asynchronous.dashboard(id)

    def find_living(self, name: str | None = None) -> ClusterModel:
        """See ``AsyncControl.find_living``."""
        return self._asynchronous.find_living(name)

    open_dashboard = synchronous(AsyncControl.open_dashboard)
    list = synchronous(AsyncControl.list)
    get = synchronous(AsyncControl.get)
    logs = synchronous(AsyncControl.logs)
    activity = synchronous(AsyncControl.activity)
    telemetry = synchronous(AsyncControl.telemetry)
    history = synchronous(AsyncControl.history)
    decisions = synchronous(AsyncControl.decisions)
    notes = synchronous(AsyncControl.notes)
    patch_notes = synchronous(AsyncControl.patch_notes)
    create = synchronous(AsyncControl.create)
    wait = synchronous(AsyncControl.wait)
    wait_for_scale = synchronous(AsyncControl.wait_for_scale)
    patch = synchronous(AsyncControl.patch)
    retire = synchronous(AsyncControl.retire)
    restart = synchronous(AsyncControl.restart)
    stop = synchronous(AsyncControl.stop)
    remove = synchronous(AsyncControl.remove)
    ensure_standby = synchronous(AsyncControl.ensure_standby)
    close_standby = synchronous(AsyncControl.close_standby)


def _accepted(model: ClusterModel) -> int:
    """Return how many workers are there or wait in a queue: a request is done when it was handed on."""
    return model.n_workers + (model.n_pending if model.pending_reason is not None else 0)

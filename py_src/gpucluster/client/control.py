"""The verbs that server, magics and command line use, by id or name; asynchronous and synchronous, without Dask."""

from __future__ import annotations

import asyncio
import os
import sys
from builtins import list as List
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

from ..operating_system.files import read_own_file
from ..protocol.errors import ClusterNotFound, GPUClusterError, InvalidRequest, InvalidState
from ..protocol.models import ClusterModel, Event, ResultsReleased, Submission, Telemetry
from ..protocol.spec import ClusterPatch, SpecBase
from ..protocol.telemetry import Decision, Decisions, LargestResults, TaskFailures, TelemetrySample
from ..registry import logs
from ..registry.holders import Hold, Scope
from ..registry.record import DashboardAddress
from ..registry.store import Registry
from .display.presentation import shell_of_notebook
from .starting.capacity import bounded_spec, checked_patch, checked_spec, notes_on_patch, notes_on_spec
from .starting.creation import Creation
from .starting.environment import python_of
from .starting.launch import LAUNCH_SECONDS, preview, release_standbys, start_standby
from .stopping import ended_unasked, remove_cluster, stop_cluster
from .sync_methods import Synchronous, sync_and_async
from .transport import RawTelemetry, answer_seconds, ask_supervisor, raw_watch, watch
from .verbs import Verbs
from .waiting import OnProgress, raise_if_not_scaled, require_our_version, wait_until_done

LEASE_VARIABLE = "GPUCLUSTER_LEASE"  # In a leased command's environment: the id of its cluster.
STOP_PATIENCE_SECONDS = 20.0
NOTE_SECONDS = 5.0  # Timeout of requests that only add to the activity log.


class ControlMethods:
    """Methods of ``AsyncControl`` and ``Control`` that take a cluster's id or name, or concern all clusters."""

    @sync_and_async
    async def list(self: AsyncControl) -> List[ClusterModel]:
        """Return all clusters, running ones first; ended ones stay for a day unless removed."""
        return self.registry.list()

    @sync_and_async
    async def get(self: AsyncControl, id: str) -> ClusterModel:
        """Return one cluster. Raises `ClusterNotFound`."""
        return self.registry.find(id)

    @sync_and_async
    async def create(
        self: AsyncControl, spec: SpecBase | dict[str, Any], *, python: str | None = None, cwd: str | None = None,
        timeout: float = LAUNCH_SECONDS,
    ) -> ClusterModel:  # fmt: skip
        """Request a cluster. Returns once its process exists; the cluster is then ``starting``.

        * `python`: Python executable of the cluster; default: that of ``spec.kernel_name``, else this process's.
        * `cwd`: working directory of the workers; default: this process's.
        * `timeout`: seconds within which its process must exist.
        """
        return await self._begin(await self._creation(spec, python=python, cwd=cwd, timeout=timeout))

    @sync_and_async
    async def lease(
        self: AsyncControl, spec: SpecBase | dict[str, Any], scope: Scope, *, timeout: float = LAUNCH_SECONDS
    ) -> tuple[ClusterModel, Hold]:
        """Request a cluster that ends when the returned hold is released, at the latest with this process.

        `scope`: what it is for. `timeout`: seconds within which its process must exist. The returned cluster is
        ``starting``. Raises `InvalidRequest`, `NameTaken`, `StartFailed`, `StartTimedOut`, `RegistryUnwritable`.
        """
        creation = await self._creation(spec, timeout=timeout, lease=scope)
        try:
            model = await self._begin(creation)
        except BaseException:
            creation.release()
            raise
        assert creation.hold is not None
        return model, creation.hold

    @sync_and_async
    async def preview(self: AsyncControl, spec: SpecBase | dict[str, Any]) -> Submission:
        """Return what would be submitted to a batch system for such a cluster; starts nothing."""
        return await preview(checked_spec(spec))

    @sync_and_async
    async def notes(self: AsyncControl, spec: SpecBase | dict[str, Any]) -> List[str]:
        """Return notes on a cluster before it is created, such as that its workers share cores."""
        checked = checked_spec(spec)
        return await asyncio.to_thread(lambda: notes_on_spec(bounded_spec(checked)))

    @sync_and_async
    async def wait(
        self: AsyncControl, id: str, *, timeout: float = 120, progress: OnProgress | None = None
    ) -> ClusterModel:
        """Wait until the cluster is running with the wanted workers.

        `timeout`: seconds. `progress`: called with each new model. Raises `StartFailed` (it ended before it ever ran,
        with the reason), `ClusterEnded` (it ended later), `StartTimedOut`, `OperationTimedOut` (it continues) or
        `ProtocolMismatch` (it belongs to an incompatible version).
        """
        return await wait_until_done(self.registry, id, timeout=timeout, progress=progress)

    @sync_and_async
    async def wait_for_scale(
        self: AsyncControl, id: str, n_workers: int, *, timeout: float = 120, progress: OnProgress | None = None
    ) -> ClusterModel:
        """Wait until the cluster has exactly the number of workers requested before.

        Raises `ScaleFailed` (it settled for another number, with the reason), `ClusterEnded`, `OperationTimedOut`.
        """
        model = await self.wait(id, timeout=timeout, progress=progress)
        raise_if_not_scaled(model, n_workers)
        return model

    @sync_and_async
    async def patch(
        self: AsyncControl, id: str, patch: ClusterPatch | dict[str, Any], *, timeout: float | None = None
    ) -> ClusterModel:
        """Change the number of workers, adaptive bounds or idle timeout. Returns when accepted.

        `timeout`: seconds; also bounds the wait for the answer. Raises `ClusterNotFound`, `InvalidRequest`,
        `InvalidState`, `RegistryUnwritable`, `SupervisorUnreachable`.
        """
        return await self.change(self._living(id), patch, timeout=timeout)

    @sync_and_async
    async def patch_notes(self: AsyncControl, id: str, patch: ClusterPatch | dict[str, Any]) -> List[str]:
        """Return notes on a change before it is made. Changes nothing."""
        model = self.registry.find(id)
        return notes_on_patch(model, checked_patch(model, patch))

    @sync_and_async
    async def stop(
        self: AsyncControl, id: str, *, wait: bool = True, timeout: float = STOP_PATIENCE_SECONDS
    ) -> ClusterModel:
        """Stop a cluster. Stopping an ended cluster changes nothing.

        `wait`: return once nothing of it runs any more. `timeout`: seconds after which a process that has not ended is
        killed; half of them if it does not even respond. The cluster's ``reason`` then reports it. Raises
        `ClusterNotFound` or `SupervisorUnreachable` (the process cannot be killed either).
        """
        model = self.registry.find(id)
        if model.state.ended:
            return model

        async def ask(seconds: float) -> ClusterModel:
            return await self.ask(model, "POST", "/stop", timeout=seconds)

        return await stop_cluster(self.registry, model, ask, wait=wait, timeout=timeout)

    @sync_and_async
    async def remove(self: AsyncControl, id: str) -> None:
        """Remove an ended cluster with its log. Raises `ClusterNotFound` or `InvalidState` (it has not ended)."""
        await remove_cluster(self.registry, id)

    @sync_and_async
    async def sample(self: AsyncControl, id: str, *, timeout: float | None = None) -> TelemetrySample:
        """Return the newest figures without making workers report more often: for permanent monitoring."""
        return Telemetry.model_validate_json(await self._get(id, "/sample", timeout=timeout)).sample

    @sync_and_async
    async def decisions(self: AsyncControl, id: str) -> List[Decision]:
        """Return the decisions of adaptive scaling since the last `adapt`, oldest first."""
        return Decisions.model_validate_json(await self._get(id, "/decisions")).decisions

    @sync_and_async
    async def failures(self: AsyncControl, id: str) -> TaskFailures:
        """Return the tasks that have failed and are still held, each kind with the last error and its traceback."""
        return TaskFailures.model_validate_json(await self._get(id, "/failures"))

    @sync_and_async
    async def results(self: AsyncControl, id: str) -> LargestResults:
        """Return what takes the most memory: collections with their size, workers and notebooks."""
        return LargestResults.model_validate_json(await self._get(id, "/results"))

    @sync_and_async
    async def release_results(self: AsyncControl, id: str, released: ResultsReleased) -> ClusterModel:
        """Release results that a notebook holds: its futures are cancelled, and the memory is freed."""
        return await self.ask(self._living(id), "POST", "/results/release", released.model_dump())

    @sync_and_async
    async def submission(self: AsyncControl, id: str) -> Submission:
        """Return what was submitted to start a cluster's workers, even of an ended one."""
        folder = self.registry.folder(self.registry.find(id).id)
        try:
            return Submission(text=read_own_file(folder.submitted).decode("utf-8", "replace"))
        except OSError:
            return Submission()

    @sync_and_async
    async def open_dashboard(self: AsyncControl, id: str) -> str:
        """Let a browser on this machine reach the dashboard, and return the address of its status page: a secret."""
        url = DashboardAddress.model_validate_json(await self._get(id, "/dashboard", method="POST")).url
        assert url is not None
        return url

    @sync_and_async
    async def note_link(self: AsyncControl, model: ClusterModel, message: str, by: str | None = None) -> None:
        """Log a change of a link in a cluster's activity; ignored if the cluster does not respond."""
        with suppress(GPUClusterError):
            entry = {"message": message, "kind": "link"}
            await self.ask(model, "POST", "/news", entry, timeout=NOTE_SECONDS, by=by)

    @sync_and_async
    async def tell(
        self: AsyncControl, id: str, message: str, kind: Literal["done", "not_done", "profile"] = "done"
    ) -> ClusterModel:
        """Announce what has been done with the cluster.

        `message`: at most 140 characters. `kind`: ``done`` and ``not_done`` become a notice in JupyterLab and go to the
        server's hook; ``profile`` is only logged in the activity. Raises `ClusterNotFound`, `InvalidRequest`,
        `InvalidState`, `SupervisorUnreachable`.
        """
        return await self.ask(self._living(id), "POST", "/news", {"message": message, "kind": kind})

    @sync_and_async
    async def begin_recording(self: AsyncControl, id: str, file: str | Path) -> ClusterModel:
        """Let the cluster's own process record what gauges show, until ``end_recording`` or the end of the cluster."""
        return await self.ask(self._living(id), "POST", "/recording", {"file": os.path.abspath(file)})

    @sync_and_async
    async def end_recording(self: AsyncControl, id: str) -> ClusterModel:
        """Complete the recording that ``begin_recording`` has begun. Harmless when there is none."""
        return await self.ask(self._living(id), "DELETE", "/recording")

    @sync_and_async
    async def ensure_standby(self: AsyncControl) -> bool:
        """Start an idle supervisor for the next cluster unless there is one; returns whether one was started."""
        return await asyncio.to_thread(start_standby, self.registry, python=sys.executable)

    @sync_and_async
    async def close_standby(self: AsyncControl) -> bool:
        """Release the idle supervisor; returns whether one was wanted. It ends unless another process wants it."""
        return await release_standbys(self.registry)


class AsyncControl(ControlMethods, Verbs):
    """All verbs on all clusters of this user.

    An ``id`` can also be a name.

    `directory`: the registry's directory; default ``$GPUCLUSTER_DIR`` or ``/tmp/gpucluster-<uid>``. `by`: name of the
    caller in activity logs; default: this process, such as ``notebook, process 4711``. `later`: check the directory at
    its first use, and at each use while it is refused. Raises `RegistryUnsafe` when the directory does not belong to
    this user alone.
    """

    def __init__(self, directory: Path | None = None, *, by: str | None = None, later: bool = False) -> None:
        self.registry = Registry(directory, later=later)
        self.by = logs.requester(by) or this_process()

    def find_living(self, name: str | None = None) -> ClusterModel:
        """Return a cluster that has not ended, by name or id; by default the only one, or the lease of this command."""
        living = [model for model in self.registry.list() if not model.state.ended]
        name = name or os.environ.get(LEASE_VARIABLE)
        if name is not None:
            model = self.registry.find(name)
            if model.state.ended:
                why = f" {model.reason}" if model.reason else ""
                raise ClusterNotFound(f"The cluster '{model.name}' has {model.state.value}.{why}")
            return model
        if not living:
            last = ended_unasked(self.registry.list())
            raise ClusterNotFound(f"No running cluster. {last}Create one: gpucluster.create().")
        if len(living) > 1:
            names = ", ".join(model.name for model in living)
            raise InvalidRequest(f"There are several running clusters ({names}); name one.")
        return living[0]

    def dashboard(self, id: str) -> DashboardAddress:
        """Return the dashboard's address, a secret of this user. Raises `ClusterNotFound`, `InvalidState`."""
        return self.registry.dashboard(id)

    def events(self, *, telemetry: bool = True) -> AsyncIterator[Event]:
        """Yield ``Hello`` with the whole list, then what changes, and samples of running clusters."""
        return watch(self.registry, telemetry=telemetry)

    def raw_events(self) -> AsyncIterator[Event | RawTelemetry]:
        """Like ``events``, with samples as ``(id, line)``: the unparsed JSON of an event."""
        return raw_watch(self.registry)

    def _living(self, id: str) -> ClusterModel:
        model = self.registry.find(id)
        if model.state.ended:
            raise InvalidState(f"The cluster '{model.name}' has {model.state.value}; create a new one.")
        require_our_version(model)
        return model

    async def _creation(
        self, spec: SpecBase | dict[str, Any], *, timeout: float, python: str | None = None, cwd: str | None = None,
        lease: Scope | None = None,
    ) -> Creation:  # fmt: skip
        checked = await asyncio.to_thread(bounded_spec, checked_spec(spec))
        directory = os.path.abspath(cwd or os.getcwd())
        python = python or python_of(checked.kernel_name)
        return Creation(self.registry, checked, self.by, python, directory, timeout, lease)

    async def _begin(self, creation: Creation) -> ClusterModel:
        creating = asyncio.ensure_future(creation.begin())
        try:
            return await asyncio.shield(creating)
        except asyncio.CancelledError:
            # The caller never learns the id of this cluster, so nothing of it may stay.
            with suppress(GPUClusterError):
                await self.stop((await creating).id)
            raise

    async def change(
        self, model: ClusterModel, patch: ClusterPatch | dict[str, Any], *, timeout: float | None = None
    ) -> ClusterModel:
        body = checked_patch(model, patch).model_dump(exclude_unset=True)
        return await self.ask(model, "PATCH", "/model", body, timeout=answer_seconds(timeout))

    async def ask(
        self, model: ClusterModel, method: str, path: str, body: Any = None, timeout: float | None = None,
        by: str | None = None,
    ) -> ClusterModel:  # fmt: skip
        folder = self.registry.folder(model.id)
        answer = await ask_supervisor(folder, method, path, body, by=by or self.by, timeout=timeout)
        return ClusterModel.model_validate_json(answer)

    async def _get(self, id: str, path: str, *, method: str = "GET", timeout: float | None = None) -> bytes:
        return await ask_supervisor(self.registry.folder(self._living(id).id), method, path, timeout=timeout)


class Control(Synchronous[AsyncControl], ControlMethods, Verbs):
    """``AsyncControl`` with blocking verbs. A callback such as ``progress`` is called in another thread."""

    def __init__(self, directory: Path | None = None, *, by: str | None = None) -> None:
        super().__init__(AsyncControl(directory, by=by))
        self.meant: str | None = None  # Id of the notebook's own cluster: the default where there are several.

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


def this_process() -> str:
    """Return a readable name of this process: a notebook, or some Python program."""
    return f"{'Python' if shell_of_notebook() is None else 'notebook'}, process {os.getpid()}"


def this_kernel() -> str | None:
    """Return the id of the Jupyter kernel that this process is; ``None`` elsewhere."""
    application = getattr(sys.modules.get("ipykernel.kernelapp"), "IPKernelApp", None)
    if application is None or not application.initialized():
        return None
    # Jupyter passes the kernel its id only in the name of this file.
    name = Path(application.instance().connection_file).stem
    return name.removeprefix("kernel-") if name.startswith("kernel-") else None

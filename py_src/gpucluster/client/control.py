"""The verbs, asynchronous and synchronous, without Dask: what server, magics and command line call."""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

from ..protocol.errors import GPUClusterError
from ..protocol.links import DEFAULT_HOURS, NewLink, SharedLinks, parse_link_request
from ..protocol.models import ClusterModel, Submission
from ..protocol.spec import ClusterPatch, SpecBase
from ..protocol.workers import find_worker
from ..registry.leasing import Hold, Scope
from ..registry.record import DashboardAddress
from . import links, previewing, standby
from .capacity import bounded_spec, checked_patch, checked_spec
from .creation import Creation
from .environment import python_of
from .launch import LAUNCH_SECONDS
from .reading import ReadingControl
from .stopping import remove_cluster, stop_cluster
from .synchronous import Synchronous, synchronous
from .transport import answer_seconds, request
from .waiting import OnProgress, must_have_scaled, wait_until_done

STOP_PATIENCE_SECONDS = 20.0
NOTE_SECONDS = 5.0
"""What only stands in the activity is waited for no longer."""
STOP_LATE_SECONDS = 10.0
"""Patience with a cluster that has taken too long to start."""


class AsyncControl(ReadingControl):
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
        creation = await self._creation(spec, python=python, cwd=cwd, timeout=timeout)
        return await self._begun(creation)

    async def lease(
        self, spec: SpecBase | dict[str, Any], scope: Scope, *, timeout: float = LAUNCH_SECONDS
    ) -> tuple[ClusterModel, Hold]:
        """Ask for a cluster that ends with this process's hold on it, at the latest with this process.

        Parameters
        ----------
        spec : spec or dict
            What is wanted.
        scope : {"cell", "block", "command"}
            What it is for.
        timeout : float
            Most seconds until its process is there.

        Returns
        -------
        tuple of ClusterModel and Hold
            The cluster, which is ``starting``, and what keeps it.

        Raises
        ------
        InvalidRequest, NameTaken, StartFailed, StartTimedOut, RegistryUnwritable
        """
        creation = await self._creation(spec, timeout=timeout, lease=scope)
        try:
            model = await self._begun(creation)
        except BaseException:
            creation.let_go()
            raise
        assert creation.hold is not None
        return model, creation.hold

    async def _creation(
        self,
        spec: SpecBase | dict[str, Any],
        *,
        timeout: float,
        python: str | None = None,
        cwd: str | None = None,
        lease: Scope | None = None,
    ) -> Creation:
        checked = await asyncio.to_thread(bounded_spec, checked_spec(spec))
        return Creation(
            self.registry,
            checked,
            by=self.by,
            python=python or python_of(checked.kernel_name),
            directory=os.path.abspath(cwd or os.getcwd()),
            timeout=timeout,
            lease=lease,
        )

    async def _begun(self, creation: Creation) -> ClusterModel:
        creating = asyncio.ensure_future(creation.begin())
        try:
            return await asyncio.shield(creating)
        except asyncio.CancelledError:
            # Half-way there: nobody will ever learn this cluster's id, so nothing of it may stay.
            with suppress(GPUClusterError):
                await self.stop((await creating).id)
            raise

    async def preview(self, spec: SpecBase | dict[str, Any]) -> Submission:
        """Return what would be handed to a batch system for such a cluster; starts nothing.

        Raises
        ------
        InvalidRequest, PreflightFailed, StartFailed
        """
        return await previewing.preview(checked_spec(spec))

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
        return await wait_until_done(self.registry, id, timeout=timeout, progress=progress)

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
        must_have_scaled(model, n_workers)
        return model

    async def patch(
        self, id: str, patch: ClusterPatch | dict[str, Any], *, timeout: float | None = None
    ) -> ClusterModel:
        """Change what is wanted: number of workers, adaptive bounds or idle timeout. Returns when accepted.

        Parameters
        ----------
        id : str
        patch : ClusterPatch or dict
        timeout : float, optional
            Whoever waits no longer than so many seconds for what comes of it waits no longer for the answer either.

        Raises
        ------
        ClusterNotFound, InvalidRequest, InvalidState, RegistryUnwritable, SupervisorUnreachable
        """
        model = self._living(id)
        checked = checked_patch(model, patch)
        body = checked.model_dump(exclude_unset=True)
        return await self._ask(model, "PATCH", "/model", body, timeout=answer_seconds(timeout))

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

    async def tell(self, id: str, message: str, kind: Literal["done", "not_done", "profile"] = "done") -> ClusterModel:
        """Announce what has been done with the cluster.

        Parameters
        ----------
        message : str
            A sentence of at most 140 characters.
        kind : {"done", "not_done", "profile"}
            What a person waits for becomes a notice in JupyterLab, and goes to the server's hook, also where it failed;
            that the cluster has been profiled only stands in its activity.

        Raises
        ------
        ClusterNotFound, InvalidRequest, InvalidState, SupervisorUnreachable
        """
        return await self._ask(self._living(id), "POST", "/news", {"message": message, "kind": kind})

    async def begin_recording(self, id: str, file: str | Path) -> ClusterModel:
        """Let the cluster's own process record what gauges show, until that is ended or the cluster ends.

        Parameters
        ----------
        file : str or Path
            Where to write; nothing may be there.

        Raises
        ------
        ClusterNotFound, InvalidRequest, InvalidState, SupervisorUnreachable
        """
        return await self._ask(self._living(id), "POST", "/recording", {"file": os.path.abspath(file)})

    async def end_recording(self, id: str) -> ClusterModel:
        """Complete the recording that ``begin_recording`` has begun. Harmless when there is none.

        Raises
        ------
        ClusterNotFound, InvalidState, SupervisorUnreachable
        """
        return await self._ask(self._living(id), "DELETE", "/recording")

    async def share(
        self, id: str, *, hours: float = DEFAULT_HOURS, tasks: bool = False, public: bool = False
    ) -> NewLink:
        """Make a link by which others can look at a cluster, and do nothing with it, until it ends.

        Parameters
        ----------
        hours : float
            Until it ends by itself, 24 at most; it also ends with the cluster.
        tasks : bool
            Whether it shows keys of tasks too, on pages such as progress and the task stream.
        public : bool
            Whether it does without the hub's log-in, where there is a hub; the site has to allow it.

        Raises
        ------
        ClusterNotFound, InvalidRequest, InvalidState, LinkRefused, RegistryUnwritable
        """
        model = self._living(id)
        wanted = parse_link_request({"hours": hours, "tasks": tasks, "public": public})
        made = await asyncio.to_thread(links.make_link, self.registry, model, wanted, self.by)
        await self.note_link(model, links.made_sentence(made.link))
        return made

    async def withdraw(self, id: str, link: str | None = None) -> SharedLinks:
        """Take a link back, or all links of a cluster; returns those. Views that are open end within seconds.

        Parameters
        ----------
        link : str, optional
            Id of the link.

        Raises
        ------
        ClusterNotFound, LinkNotFound, RegistryUnwritable
        """
        model = self.registry.find(id)
        gone = await asyncio.to_thread(links.take_links_back, self.registry, model, link)
        if gone.links:
            await self.note_link(model, links.withdrawn_sentence(gone.links))
        return gone

    async def note_link(self, model: ClusterModel, message: str, by: str | None = None) -> None:
        """Write into a cluster's activity what became of a link; a cluster that does not answer misses that only.

        Parameters
        ----------
        model : ClusterModel
        message : str
            A sentence of at most 140 characters.
        by : str, optional
            Who has done it, where that is not whoever asks here.
        """
        with suppress(GPUClusterError):
            told = {"message": message, "kind": "link"}
            await self._ask(model, "POST", "/news", told, timeout=NOTE_SECONDS, by=by)

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

        async def ask(seconds: float) -> ClusterModel:
            return await self._ask(model, "POST", "/stop", timeout=seconds)

        return await stop_cluster(self.registry, model, ask, wait=wait, timeout=timeout)

    async def remove(self, id: str) -> None:
        """Forget an ended cluster with its log.

        Raises
        ------
        ClusterNotFound
        InvalidState
            When it has not ended.
        """
        await remove_cluster(self.registry, id)

    async def ensure_standby(self) -> bool:
        """Start an idle supervisor for the next cluster unless there is one; returns whether one was started."""
        return await asyncio.to_thread(standby.start_standby, self.registry, python=sys.executable)

    async def close_standby(self) -> bool:
        """Want no idle supervisor any more; returns whether one was wanted. It ends unless somebody else wants it."""
        return await standby.release_standbys(self.registry)

    async def _ask(
        self,
        model: ClusterModel,
        method: str,
        path: str,
        body: Any = None,
        timeout: float | None = None,
        by: str | None = None,
    ) -> ClusterModel:
        folder = self.registry.folder(model.id)
        answer = await request(folder, method, path, body, by=by or self.by, timeout=timeout)
        return ClusterModel.model_validate_json(answer)


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
        self.meant: str | None = None
        """Id of the cluster that somebody means who names none, where there are several: the notebook's own."""

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
    lease = synchronous(AsyncControl.lease)
    list = synchronous(AsyncControl.list)
    get = synchronous(AsyncControl.get)
    logs = synchronous(AsyncControl.logs)
    submission = synchronous(AsyncControl.submission)
    preview = synchronous(AsyncControl.preview)
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
    tell = synchronous(AsyncControl.tell)
    begin_recording = synchronous(AsyncControl.begin_recording)
    end_recording = synchronous(AsyncControl.end_recording)
    share = synchronous(AsyncControl.share)
    links = synchronous(AsyncControl.links)
    withdraw = synchronous(AsyncControl.withdraw)
    note_link = synchronous(AsyncControl.note_link)
    restart = synchronous(AsyncControl.restart)
    stop = synchronous(AsyncControl.stop)
    remove = synchronous(AsyncControl.remove)
    ensure_standby = synchronous(AsyncControl.ensure_standby)
    close_standby = synchronous(AsyncControl.close_standby)

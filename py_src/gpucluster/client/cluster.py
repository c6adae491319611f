"""``Cluster``: one cluster in a notebook or script."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Generator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from ..protocol.errors import ClusterEnded, GPUClusterError, InvalidState, OperationFailed, OperationTimedOut
from ..protocol.models import ClusterModel, ClusterState
from ..protocol.spec import ClusterPatch, parse_patch
from ..protocol.telemetry import ActivityEntry, TelemetryHistory, TelemetrySample
from ..protocol.workers import find_worker
from .background import run
from .card import card_html
from .control import AsyncControl
from .credentials import security_of
from .dashboard_link import dashboard_link
from .dashboard import DEFAULT_PAGE
from .presentation import presentation, shell_of_notebook

if TYPE_CHECKING:
    from distributed import Client
    from distributed.core import Status
    from distributed.security import Security

    from .recorder import Recorder

_POLL_SECONDS = 0.02


class Cluster:
    """A handle on one cluster. Made by ``gpucluster.create`` and ``gpucluster.connect``.

    The cluster lives in its own process: deleting the handle, restarting the kernel or stopping Jupyter
    does not end it. ``distributed.Client(cluster)`` works on the handle.

    Parameters
    ----------
    model : ClusterModel
        The cluster.
    control : AsyncControl
        How to reach it.
    asynchronous : bool
        Whether the verbs return awaitables.
    owned : bool
        Whether leaving a ``with`` block stops the cluster: true for ``create``, false for ``connect``.
    """

    def __init__(
        self, model: ClusterModel, control: AsyncControl, *, asynchronous: bool = False, owned: bool = False
    ) -> None:
        self.id = model.id
        self.name = model.name
        self._last = model
        self._control = control
        self._asynchronous = asynchronous
        self._owned = owned

    # -- what it is ------------------------------------------------------------------------------

    @property
    def model(self) -> ClusterModel:
        """The cluster as it is now; after ``remove``, as it was last seen."""
        try:
            self._last = self._control.registry.find(self.id)
        except GPUClusterError:
            if not self._last.state.ended:
                raise
        return self._last

    @property
    def state(self) -> str:
        """One of ``starting``, ``running``, ``scaling``, ``stopping``, ``stopped``, ``failed``."""
        return self.model.state.value

    @property
    def n_workers(self) -> int:
        """Number of workers connected now."""
        return self.model.n_workers

    @property
    def backend(self) -> str:
        """``local`` or ``cuda``."""
        return self.model.backend

    @property
    def scheduler_address(self) -> str:
        """Address of the scheduler.

        Raises
        ------
        InvalidState
            When the cluster is not running.
        """
        model = self.model
        if model.scheduler_address is None:
            why = f" {model.reason}" if model.reason else ""
            raise InvalidState(f"The cluster '{self.name}' is {model.state.value}.{why}")
        return model.scheduler_address

    @property
    def dashboard_link(self) -> str:
        """Link to the Dask dashboard: through Jupyter in a notebook, direct elsewhere.

        Raises
        ------
        InvalidState
            When the cluster is not running.
        """
        return dashboard_link(self.model, self._control.dashboard(self.id))

    @property
    def security(self) -> Security:
        """Credentials for ``distributed.Client``."""
        return security_of(self.model, self._control.registry.folder(self.id))

    @property
    def asynchronous(self) -> bool:
        """Whether the verbs return awaitables here."""
        if self._asynchronous:
            return True
        # distributed's client calls close() from its own loop thread, where blocking would be a deadlock. Other
        # threads may run a loop as well (subshells of a kernel, asyncio.run) and still mean the synchronous verb.
        return threading.current_thread().name == "IO loop"

    @property
    def status(self) -> Status:
        """The state in distributed's terms, which its ``Client`` asks for."""
        from distributed.core import Status

        return {
            ClusterState.STARTING: Status.created,
            ClusterState.RUNNING: Status.running,
            ClusterState.SCALING: Status.running,
            ClusterState.STOPPING: Status.closing,
            ClusterState.STOPPED: Status.closed,
            ClusterState.FAILED: Status.closed,
        }[self.model.state]

    @property
    def control(self) -> AsyncControl:
        """How the cluster is reached."""
        return self._control

    # -- views -----------------------------------------------------------------------------------

    def gauges(self) -> Any:
        """Return live gauges for a notebook: memory, GPUs, tasks and progress.

        Elsewhere, and once the cluster has ended, a picture of its last state.
        """
        return presentation().gauges(self)

    def dashboard(self, page: str = DEFAULT_PAGE) -> Any:
        """Return a page of Dask's dashboard for a notebook. Elsewhere, its address.

        Parameters
        ----------
        page : str
            Such as ``task-stream``, ``gpu-memory`` or Dask's own ``individual-progress``.

        Raises
        ------
        InvalidRequest
            When there is no such page, with the list.
        InvalidState
            When the cluster is not running.
        """
        return presentation().dashboard(self, page)

    def recording(
        self, file: str | Path, *, title: str | None = None, note: str | None = None, seconds: float | None = None
    ) -> Recorder:
        """Return a recorder of what the gauges show: ``with cluster.recording("kmeans.jsonl.gz"): …``.

        Parameters
        ----------
        file : str or Path
            Ends in ``.jsonl`` or ``.jsonl.gz``; without an ending it gets ``.gpucluster.jsonl.gz``, which JupyterLab
            knows. A recording that is there is replaced.
        title : str, optional
            What it is called; default: the file's name.
        note : str, optional
            What ran, such as a command.
        seconds : float, optional
            When to stop by itself.

        Raises
        ------
        InvalidRequest
            When nothing can be written there.
        """
        from .recorder import Recorder

        return Recorder(
            self._control, self.model, file, title=title, note=note, seconds=seconds, asynchronous=self._asynchronous
        )

    def record(
        self, file: str | Path, *, title: str | None = None, note: str | None = None, seconds: float | None = None
    ) -> Any:
        """Begin to record what the gauges show, and return the ``Recorder``, whose ``stop`` completes the file.

        The parameters are those of ``recording``.

        Raises
        ------
        InvalidRequest
            When nothing can be written there.
        InvalidState
            When the cluster is not running.
        """
        recorder = self.recording(file, title=title, note=note, seconds=seconds)
        if self.asynchronous:
            return recorder
        recorder.start()
        return recorder

    # -- verbs -----------------------------------------------------------------------------------

    def scale(self, n_workers: int, *, wait: bool = True, timeout: float = 120) -> Any:
        """Scale to that many workers; ends adaptive scaling.

        Parameters
        ----------
        n_workers : int
            Wanted number.
        wait : bool
            Return when they are there.
        timeout : float
            Seconds to wait.

        Raises
        ------
        InvalidRequest, InvalidState
            Nothing was changed.
        ScaleFailed
            The cluster goes on with another number.
        OperationTimedOut
            It goes on, and may get there yet.
        """
        return self._do(self._scale(parse_patch({"n_workers": n_workers}), wait, timeout))

    def adapt(self, minimum: int, maximum: int) -> Any:
        """Let the number of workers follow the load.

        Raises
        ------
        InvalidRequest, InvalidState
        """
        return self._do(self._adapt(parse_patch({"adapt": {"minimum": minimum, "maximum": maximum}})))

    def restart(self, *, wait: bool = True, timeout: float = 120) -> Any:
        """Restart all workers; tasks and results are lost.

        Raises
        ------
        InvalidState
        OperationFailed
            Not all workers came back; the cluster goes on.
        OperationTimedOut
            It goes on, and they may come yet.
        """
        return self._do(self._restart(wait, timeout))

    def retire(self, worker: str | int, *, wait: bool = True, timeout: float = 120) -> Any:
        """Retire one worker: its results go to the others, then it ends.

        Parameters
        ----------
        worker : str or int
            Name of the worker, as in ``cluster.model.workers``, or the beginning of a GPU worker's UUID.
        wait : bool
            Return when it is gone.
        timeout : float
            Seconds to wait.

        Raises
        ------
        InvalidState
            When the cluster is not running, or the worker holds what no other can take.
        WorkerNotFound
        OperationTimedOut
            The cluster goes on, and the worker may go yet.
        """
        return self._do(self._retire(str(worker), wait, timeout))

    def telemetry(self) -> Any:
        """Return the newest figures, a ``TelemetrySample``.

        Raises
        ------
        InvalidState
            When the cluster is not running.
        """
        return self._do(self._telemetry())

    def history(self) -> Any:
        """Return the figures of the last ten minutes, a ``TelemetryHistory``.

        Raises
        ------
        InvalidState
            When the cluster is not running.
        """
        return self._do(self._history())

    def activity(self) -> Any:
        """Return who asked what and what came of it, a list of ``ActivityEntry``, oldest first."""
        return self._do(self._activity())

    def logs(self, lines: int = 200) -> Any:
        """Return the end of the log as a list of lines."""
        return self._do(self._logs(lines))

    def stop(self) -> Any:
        """Stop the cluster; returns when nothing of it runs any more. Stopping twice is harmless."""
        return self._do(self._stop())

    def close(self, timeout: float | None = None) -> Any:
        """Stop the cluster: Dask's word for ``stop``."""
        return self.stop()

    def wait_for_workers(self, n_workers: int | None = None, timeout: float | None = None) -> Any:
        """Wait until at least that many workers are connected, by default the wanted number.

        Raises
        ------
        StartFailed, ClusterEnded, StartTimedOut, OperationTimedOut
        """
        return self._do(self._wait_for_workers(n_workers, 120 if timeout is None else timeout))

    def get_client(self, **options: Any) -> Client:
        """Return a new ``distributed.Client`` connected to this cluster.

        Raises
        ------
        InvalidState
            When the cluster is not running.
        """
        from .notebook_client import Client

        self.scheduler_address  # noqa: B018  # A sentence now instead of a time-out later.
        client: Client = Client(self, **{"asynchronous": self._asynchronous, **options})  # type: ignore[no-untyped-call]
        return client

    # -- protocols -------------------------------------------------------------------------------

    def __await__(self) -> Generator[Any, Any, Self]:
        async def started() -> Self:
            if self.model.scheduler_address is None:
                await self._control.wait(self.id)
            return self

        return started().__await__()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._owned:
            run(self._stop())

    async def __aenter__(self) -> Self:
        return await self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._owned:
            await self._stop()

    def __repr__(self) -> str:
        model = self.model
        workers = f"{model.n_workers} worker{'s' * (model.n_workers != 1)}"
        return f"<Cluster '{self.name}': {model.state.value}, {model.backend}, {workers}>"

    def _repr_html_(self) -> str:
        model = self.model
        try:
            link: str | None = self.dashboard_link if model.dashboard_path else None
        except GPUClusterError:
            link = None
        # A direct link holds a secret, which has no place in a saved notebook.
        return card_html(model, link if link is not None and link.startswith("/") else None)

    def _ipython_display_(self, **_: Any) -> None:
        if shell_of_notebook() is None:
            raise NotImplementedError  # IPython's word for: show the text.
        presentation().show_card(self)

    # -- parts -----------------------------------------------------------------------------------

    def _do(self, work: Coroutine[Any, Any, Any]) -> Any:
        return work if self.asynchronous else run(work)

    async def _scale(self, patch: ClusterPatch, wait: bool, timeout: float) -> None:
        await self._control.patch(self.id, patch)
        if wait and patch.n_workers is not None:
            await self._control.wait_for_scale(self.id, patch.n_workers, timeout=timeout)

    async def _adapt(self, patch: ClusterPatch) -> None:
        await self._control.patch(self.id, patch)

    async def _restart(self, wait: bool, timeout: float) -> None:
        before = await self._control.get(self.id)
        await self._control.restart(self.id)
        if not wait:
            return
        # The request is accepted before it is visible: the workers' processes must be others.
        old = {worker.pid for worker in before.workers}
        deadline = asyncio.get_running_loop().time() + timeout
        while True:
            model = await self._control.wait(self.id, timeout=timeout)
            if model.notice is not None:
                raise OperationFailed(model.notice)
            if not old & {worker.pid for worker in model.workers}:
                return
            if asyncio.get_running_loop().time() > deadline:
                raise OperationTimedOut(
                    f"The workers of '{self.name}' did not come back within {timeout:.0f} seconds. "
                    "The cluster goes on; they may come yet."
                )
            await asyncio.sleep(_POLL_SECONDS)

    async def _retire(self, worker: str, wait: bool, timeout: float) -> None:
        address = find_worker(await self._control.get(self.id), worker).address
        await self._control.retire(self.id, worker)
        deadline = asyncio.get_running_loop().time() + timeout
        while wait:
            model = await self._control.get(self.id)
            if address not in {found.address for found in model.workers}:
                return
            if model.notice is not None:
                raise InvalidState(model.notice)
            if asyncio.get_running_loop().time() > deadline:
                raise OperationTimedOut(
                    f"The worker {worker} of '{self.name}' is still there after {timeout:.0f} seconds. "
                    "The cluster goes on, and may let it go yet."
                )
            await asyncio.sleep(_POLL_SECONDS)

    async def _telemetry(self) -> TelemetrySample:
        return await self._control.telemetry(self.id)

    async def _history(self) -> TelemetryHistory:
        return await self._control.history(self.id)

    async def _activity(self) -> list[ActivityEntry]:
        return (await self._control.activity(self.id)).entries

    async def _logs(self, lines: int) -> list[str]:
        return (await self._control.logs(self.id, lines=lines)).lines

    async def _stop(self) -> None:
        if not self.model.state.ended:
            self._last = await self._control.stop(self.id)

    async def _wait_for_workers(self, n_workers: int | None, timeout: float) -> None:
        if n_workers is None:
            await self._control.wait(self.id, timeout=timeout)
            return
        deadline = asyncio.get_running_loop().time() + timeout
        while (model := await self._control.get(self.id)).n_workers < n_workers:
            if model.state.ended or model.state is ClusterState.STOPPING:
                raise ClusterEnded(f"The cluster '{self.name}' is {model.state.value}. {model.reason or ''}".strip())
            if asyncio.get_running_loop().time() > deadline:
                raise OperationTimedOut(
                    f"{model.n_workers} of {n_workers} workers of '{self.name}' arrived within {timeout:.0f} seconds. "
                    "The cluster goes on; the others may come yet."
                )
            await asyncio.sleep(_POLL_SECONDS)

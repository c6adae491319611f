"""``Cluster``: one cluster in a notebook or script, and ``AsyncCluster``, the same with coroutines."""

from __future__ import annotations

import asyncio
import math
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ..dask_internals.loops import in_client_thread
from ..protocol.errors import ClusterEnded, GPUClusterError, InvalidState, OperationFailed, OperationTimedOut
from ..protocol.models import ClusterModel, ClusterState
from ..protocol.spec import parse_patch
from ..protocol.telemetry import ActivityEntry, TelemetryHistory, TelemetrySample
from ..protocol.workers import find_worker
from .capacity import most_workers
from .control import AsyncControl
from .handle import ClusterHandle
from .synchronous import Synchronous, synchronous

if TYPE_CHECKING:
    from .notebook_client import Client
    from .recorder import AsyncRecorder, Recorder

_POLL_SECONDS = 0.02


class AsyncCluster(ClusterHandle):
    """A handle on one cluster whose verbs are coroutines. Made by ``gpucluster.create(…, asynchronous=True)``.

    The cluster lives in its own process and outlasts the handle; leaving an ``async with`` block stops it
    if it was created for the block.

    Parameters
    ----------
    model : ClusterModel
        The cluster.
    control : AsyncControl
        How to reach it.
    owned : bool
        Whether leaving the block stops the cluster: true for ``create``, false for ``connect``.
    """

    asynchronous: ClassVar[bool] = True

    def __init__(self, model: ClusterModel, control: AsyncControl, *, owned: bool = False) -> None:
        super().__init__(model)
        self._last = model
        self._control = control
        self._owned = owned

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
    def control(self) -> AsyncControl:
        """How the cluster is reached."""
        return self._control

    # -- verbs -----------------------------------------------------------------------------------

    async def scale(self, n: int, *, wait: bool = True, timeout: float = 120) -> None:
        """Scale to that many workers; ends adaptive scaling.

        Parameters
        ----------
        n : int
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
        patch = parse_patch({"n_workers": n})
        await self._control.patch(self.id, patch)
        if wait:
            await self._control.wait_for_scale(self.id, n, timeout=timeout)

    async def adapt(self, minimum: int = 0, maximum: float | None = None) -> None:
        """Let the number of workers follow the load.

        Parameters
        ----------
        minimum : int
            Fewest workers.
        maximum : int, optional
            Most workers. Default: as many as the machine has cores, or GPUs for GPU workers; for workers elsewhere, as
            many as a cluster may have.

        Raises
        ------
        InvalidRequest, InvalidState
        """
        if maximum is None or maximum == math.inf:
            most = await asyncio.to_thread(most_workers, self.model)
            maximum = max(most, minimum) if isinstance(minimum, int) else most
        await self._control.patch(self.id, parse_patch({"adapt": {"minimum": minimum, "maximum": maximum}}))

    async def restart(self, *, wait: bool = True, timeout: float = 120) -> None:
        """Restart all workers; tasks and results are lost.

        Raises
        ------
        InvalidState
        OperationFailed
            Not all workers came back; the cluster goes on.
        OperationTimedOut
            It goes on, and they may come yet.
        """
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

    async def retire(self, worker: str | int, *, wait: bool = True, timeout: float = 120) -> None:
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
        address = find_worker(await self._control.get(self.id), str(worker)).address
        await self._control.retire(self.id, str(worker))
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

    async def telemetry(self) -> TelemetrySample:
        """Return the newest figures.

        Raises
        ------
        InvalidState
            When the cluster is not running.
        """
        return await self._control.telemetry(self.id)

    async def history(self) -> TelemetryHistory:
        """Return the figures of the last ten minutes.

        Raises
        ------
        InvalidState
            When the cluster is not running.
        """
        return await self._control.history(self.id)

    async def activity(self) -> list[ActivityEntry]:
        """Return who asked what and what came of it, oldest first."""
        return (await self._control.activity(self.id)).entries

    async def logs(self, lines: int = 200) -> list[str]:
        """Return the end of the log as a list of lines."""
        return (await self._control.logs(self.id, lines=lines)).lines

    async def stop(self) -> None:
        """Stop the cluster; returns when nothing of it runs any more. Stopping twice is harmless."""
        if not self.model.state.ended:
            self._last = await self._control.stop(self.id)

    async def close(self, timeout: float | None = None) -> None:
        """Stop the cluster: Dask's word for ``stop``."""
        await self.stop()

    async def wait_for_workers(self, n_workers: int | None = None, timeout: float | None = None) -> None:
        """Wait until at least that many workers are connected, by default the wanted number.

        Raises
        ------
        StartFailed, ClusterEnded, StartTimedOut, OperationTimedOut
        """
        seconds = 120 if timeout is None else timeout
        if n_workers is None:
            await self._control.wait(self.id, timeout=seconds)
            return
        deadline = asyncio.get_running_loop().time() + seconds
        while (model := await self._control.get(self.id)).n_workers < n_workers:
            if model.state.ended or model.state is ClusterState.STOPPING:
                raise ClusterEnded(f"The cluster '{self.name}' is {model.state.value}. {model.reason or ''}".strip())
            if asyncio.get_running_loop().time() > deadline:
                raise OperationTimedOut(
                    f"{model.n_workers} of {n_workers} workers of '{self.name}' arrived within {seconds:.0f} seconds. "
                    "The cluster goes on; the others may come yet."
                )
            await asyncio.sleep(_POLL_SECONDS)

    def get_client(self, **options: Any) -> Client:
        """Return a new ``distributed.Client`` connected to this cluster; it is awaited, or entered.

        Raises
        ------
        InvalidState
            When the cluster is not running.
        """
        return _client(self, options)

    def recording(
        self, file: str | Path, *, title: str | None = None, note: str | None = None, seconds: float | None = None
    ) -> AsyncRecorder:
        """Return a recorder of what the gauges show: ``async with cluster.recording("kmeans.jsonl.gz"): …``.

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
        from .recorder import AsyncRecorder

        return AsyncRecorder(self._control, self.model, file, title=title, note=note, seconds=seconds)

    def record(
        self, file: str | Path, *, title: str | None = None, note: str | None = None, seconds: float | None = None
    ) -> AsyncRecorder:
        """Return the recorder of ``recording``; awaiting it begins to record: ``await cluster.record(file)``."""
        return self.recording(file, title=title, note=note, seconds=seconds)

    async def __aenter__(self) -> Self:
        return await self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._owned:
            await self.stop()


class Cluster(Synchronous[AsyncCluster], ClusterHandle):
    """A handle on one cluster. Made by ``gpucluster.create`` and ``gpucluster.connect``.

    The cluster lives in its own process: deleting the handle, restarting the kernel or stopping Jupyter
    does not end it. ``distributed.Client(cluster)`` works on the handle.

    Parameters
    ----------
    model : ClusterModel
        The cluster.
    control : AsyncControl
        How to reach it.
    owned : bool
        Whether leaving a ``with`` block stops the cluster: true for ``create``, false for ``connect``.
    """

    asynchronous: ClassVar[bool] = False

    def __init__(self, model: ClusterModel, control: AsyncControl, *, owned: bool = False) -> None:
        Synchronous.__init__(self, AsyncCluster(model, control))
        ClusterHandle.__init__(self, model)
        self._owned = owned

    @property
    def model(self) -> ClusterModel:
        """The cluster as it is now; after ``remove``, as it was last seen."""
        return self._asynchronous.model

    @property
    def control(self) -> AsyncControl:
        """How the cluster is reached."""
        return self._asynchronous.control

    scale = synchronous(AsyncCluster.scale)
    adapt = synchronous(AsyncCluster.adapt)
    restart = synchronous(AsyncCluster.restart)
    retire = synchronous(AsyncCluster.retire)
    telemetry = synchronous(AsyncCluster.telemetry)
    history = synchronous(AsyncCluster.history)
    activity = synchronous(AsyncCluster.activity)
    logs = synchronous(AsyncCluster.logs)
    stop = synchronous(AsyncCluster.stop)
    wait_for_workers = synchronous(AsyncCluster.wait_for_workers)

    def close(self, timeout: float | None = None) -> None:
        """Stop the cluster: Dask's word for ``stop``."""
        if in_client_thread():
            # Client.shutdown awaits this on the loop of distributed, where blocking would be a deadlock.
            return self._asynchronous.close()  # type: ignore[return-value]
        return self.stop()

    def get_client(self, **options: Any) -> Client:
        """Return a new ``distributed.Client`` connected to this cluster.

        Raises
        ------
        InvalidState
            When the cluster is not running.
        """
        return _client(self, options)

    def recording(
        self, file: str | Path, *, title: str | None = None, note: str | None = None, seconds: float | None = None
    ) -> Recorder:
        """Return a recorder of what the gauges show: ``with cluster.recording("kmeans.jsonl.gz"): …``.

        The parameters are those of ``AsyncCluster.recording``.

        Raises
        ------
        InvalidRequest
            When nothing can be written there.
        """
        from .recorder import Recorder

        return Recorder(self.control, self.model, file, title=title, note=note, seconds=seconds)

    def record(
        self, file: str | Path, *, title: str | None = None, note: str | None = None, seconds: float | None = None
    ) -> Recorder:
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
        recorder.start()
        return recorder

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._owned:
            self.stop()


def _client(cluster: ClusterHandle, options: dict[str, Any]) -> Client:
    from .notebook_client import Client

    cluster.scheduler_address  # noqa: B018  # A sentence now instead of a time-out later.
    return Client(cluster, **{"asynchronous": cluster.asynchronous, **options})  # type: ignore[no-untyped-call]

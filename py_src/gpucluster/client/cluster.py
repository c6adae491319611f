"""``Cluster`` and ``AsyncCluster``: one cluster in a notebook or script. ``client/verbs.py`` has their verbs."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Concatenate, ParamSpec, Self

from ..protocol.errors import ClusterNotFound, GPUClusterError
from ..protocol.messages import MessageCode
from ..protocol.models import ClusterModel, ClusterState
from .background import is_of_this_process
from .control import AsyncControl, this_kernel
from .handle import ClusterHandle
from .libraries import let_cudf_spill
from .stopping import signal_supervisor
from .sync_methods import Synchronous, synchronous

if TYPE_CHECKING:
    from .notebook_client import Client
    from .recorder import AsyncRecorder, Recorder

P = ParamSpec("P")

NOT_THERE = "It no longer exists: it was removed after it stopped, or its folder was deleted."


class AsyncCluster(ClusterHandle):
    """A handle on one cluster whose verbs are coroutines. Made by ``gpucluster.create(…, asynchronous=True)``.

    The cluster lives in its own process and outlasts the handle; leaving an ``async with`` block stops it
    if it was created for the block.
    """

    asynchronous: ClassVar[bool] = True

    def __init__(self, model: ClusterModel, control: AsyncControl, *, owned: bool = False) -> None:
        super().__init__(model, control, owned=owned)
        self._last = model

    @property
    def model(self) -> ClusterModel:
        """The current state; once the cluster was removed or its folder deleted, the last known state, but stopped."""
        try:
            self._last = self._control.registry.find(self.id)
        except ClusterNotFound:
            # Its supervisor ends as soon as it finds out. Clients that wait for results learn of the end here.
            if not self._last.state.ended:
                self._last = self._last.saying({MessageCode.ENDED: NOT_THERE}, state=ClusterState.STOPPED)
        except GPUClusterError:
            if not self._last.state.ended:
                raise
        return self._last

    async def stop(self) -> None:
        """Stop the cluster; returns when nothing of it runs any more. Stopping twice is harmless."""
        if not self.model.state.ended:
            self._last = await self._control.stop(self.id)

    async def close(self, timeout: float | None = None) -> None:
        """Stop the cluster: Dask's name for ``stop``."""
        await self.stop()

    def get_client(self, **options: Any) -> Client:
        """Return a new ``distributed.Client`` connected to this cluster; await it, or enter it with ``async with``.

        Raises `InvalidState` (the cluster is not running).
        """
        if options.get("asynchronous", True):
            return client_of(self, options)
        return Cluster(self.model, self._control).get_client(**options)

    def recording(
        self, file: str | Path, *, title: str | None = None, note: str | None = None, seconds: float | None = None
    ) -> AsyncRecorder:
        """Return a recorder of what the gauges show: ``async with cluster.recording("kmeans.jsonl.gz"): …``.

        Awaiting it starts it, too: ``await cluster.record(file)``.

        Parameters
        ----------
        file : str or Path
            Ends in ``.jsonl`` or ``.jsonl.gz``; without an ending it gets ``.gpucluster.jsonl.gz``, which JupyterLab
            knows. An existing recording is replaced.
        title : str, optional
            Default: the file's name.
        note : str, optional
            What ran, such as a command.
        seconds : float, optional
            Time after which to stop automatically.

        Raises
        ------
        InvalidRequest
            When nothing can be written there.
        """
        from .recorder import AsyncRecorder

        return AsyncRecorder(self._control, self.model, file, title=title, note=note, seconds=seconds)

    record = recording

    async def __aenter__(self) -> Self:
        return await self

    async def __aexit__(self, *_: object) -> None:
        if self._owned:
            await self.stop()


def _signal_at_exit(
    stop: Callable[Concatenate[Synchronous[AsyncCluster], P], None],
) -> Callable[Concatenate[Synchronous[AsyncCluster], P], None]:
    """Let the verb only send a signal, without waiting, when it is called while Python exits."""

    @wraps(stop)
    def stopping(self: Synchronous[AsyncCluster], /, *args: P.args, **options: P.kwargs) -> None:
        if not sys.is_finalizing():
            return stop(self, *args, **options)
        cluster: Any = self
        registry = cluster.control.registry
        if is_of_this_process():  # A forked child does not stop its parent's clusters.
            signal_supervisor(registry, registry.folder(cluster.id), signal.SIGTERM)
        return None

    return stopping


class Cluster(Synchronous[AsyncCluster], ClusterHandle):
    """A handle on one cluster. Made by ``gpucluster.create`` and ``gpucluster.connect``.

    The cluster lives in its own process: deleting the handle, restarting the kernel or stopping Jupyter
    does not end it. ``distributed.Client(cluster)`` works on the handle.
    """

    asynchronous: ClassVar[bool] = False

    def __init__(self, model: ClusterModel, control: AsyncControl, *, owned: bool = False) -> None:
        Synchronous.__init__(self, AsyncCluster(model, control))
        ClusterHandle.__init__(self, model, control, owned=owned)

    @property
    def model(self) -> ClusterModel:
        """The current state of the cluster; after ``remove``, the last known one."""
        return self._asynchronous.model

    stop = _signal_at_exit(synchronous(AsyncCluster.stop))
    close = _signal_at_exit(synchronous(AsyncCluster.close))

    def get_client(self, **options: Any) -> Client:
        """Return a new ``distributed.Client`` connected to this cluster.

        Raises `InvalidState` (the cluster is not running).
        """
        # An asynchronous client runs in the caller's loop.
        return client_of(self._asynchronous if options.get("asynchronous") else self, options)

    def recording(
        self, file: str | Path, *, title: str | None = None, note: str | None = None, seconds: float | None = None
    ) -> Recorder:
        """Return a recorder of what the gauges show: ``with cluster.recording("kmeans.jsonl.gz"): …``.

        The parameters are those of ``AsyncCluster.recording``. Raises `InvalidRequest` (nothing can be written there).
        """
        from .recorder import Recorder

        return Recorder(self._asynchronous.recording(file, title=title, note=note, seconds=seconds))

    def record(
        self, file: str | Path, *, title: str | None = None, note: str | None = None, seconds: float | None = None
    ) -> Recorder:
        """Start to record what the gauges show, and return the ``Recorder``, whose ``stop`` completes the file.

        The parameters are those of ``recording``. Raises `InvalidRequest` (nothing can be written there) or
        `InvalidState` (the cluster is not running).
        """
        recorder = self.recording(file, title=title, note=note, seconds=seconds)
        recorder.start()
        return recorder

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._owned:
            self.stop()


def client_of(cluster: ClusterHandle, options: dict[str, Any]) -> Client:
    """Return a new client of a cluster, asynchronous if the cluster is."""
    import dask

    from ..dask_internals.scheduler_state import name_for_kernel
    from .history.cells import current_cell
    from .notebook_client import Client

    cluster.scheduler_address  # noqa: B018  # Raises now instead of timing out later.
    if getattr(cluster.model.spec, "enable_cudf_spill", False):
        let_cudf_spill()
    current_cell()  # From now on it is known when cells start.
    kernel = this_kernel()
    # JupyterLab shows connected notebooks by this name. A name set by the user has precedence.
    named = {} if kernel is None or dask.config.get("client-name", None) else {"name": name_for_kernel(kernel)}
    return Client(cluster, **{"asynchronous": cluster.asynchronous, **named, **options})  # type: ignore[no-untyped-call]

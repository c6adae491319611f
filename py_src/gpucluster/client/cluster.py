"""``Cluster``: one cluster in a notebook or script. Its verbs are those of ``AsyncCluster``, and wait."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, Concatenate, ParamSpec, Self

from ..protocol.models import ClusterModel
from .adapting import Adaptive
from .async_cluster import AsyncCluster, client_of
from .background import is_of_this_process
from .control import AsyncControl
from .handle import ClusterHandle
from .killing import signal_supervisor
from .synchronous import Synchronous, synchronous, synchronous_as

if TYPE_CHECKING:
    from .notebook_client import Client
    from .recorder import Recorder


P = ParamSpec("P")


def _also_when_python_ends(
    stop: Callable[Concatenate[Synchronous[AsyncCluster], P], None],
) -> Callable[Concatenate[Synchronous[AsyncCluster], P], None]:
    """Return the verb, which asks by a signal and does not wait where an object is destroyed when Python ends."""

    @wraps(stop)
    def stopping(self: Synchronous[AsyncCluster], /, *args: P.args, **options: P.kwargs) -> None:
        if not sys.is_finalizing():
            return stop(self, *args, **options)
        cluster: Any = self
        registry = cluster.control.registry
        if is_of_this_process():  # A child that was forked ends without the clusters of its parent.
            signal_supervisor(registry, registry.folder(cluster.id), signal.SIGTERM)
        return None

    return stopping


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
        ClusterHandle.__init__(self, model, control, owned=owned)

    @property
    def model(self) -> ClusterModel:
        """The cluster as it is now; after ``remove``, as it was last seen."""
        return self._asynchronous.model

    scale = synchronous(AsyncCluster.scale)
    scale_up = synchronous(AsyncCluster.scale_up)
    scale_down = synchronous(AsyncCluster.scale_down)
    adapt = synchronous_as(Adaptive, AsyncCluster.adapt)
    restart = synchronous(AsyncCluster.restart)
    retire = synchronous(AsyncCluster.retire)
    share = synchronous(AsyncCluster.share)
    links = synchronous(AsyncCluster.links)
    withdraw = synchronous(AsyncCluster.withdraw)
    telemetry = synchronous(AsyncCluster.telemetry)
    history = synchronous(AsyncCluster.history)
    frame = synchronous(AsyncCluster.frame)
    notify = synchronous(AsyncCluster.notify)
    activity = synchronous(AsyncCluster.activity)
    logs = synchronous(AsyncCluster.logs)
    get_logs = synchronous(AsyncCluster.get_logs)
    stop = _also_when_python_ends(synchronous(AsyncCluster.stop))
    close = _also_when_python_ends(synchronous(AsyncCluster.close))
    wait_for_workers = synchronous(AsyncCluster.wait_for_workers)

    def get_client(self, **options: Any) -> Client:
        """Return a new ``distributed.Client`` connected to this cluster.

        Raises
        ------
        InvalidState
            When the cluster is not running.
        """
        # A client whose methods are coroutines runs in the caller's loop.
        return client_of(self._asynchronous if options.get("asynchronous") else self, options)

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

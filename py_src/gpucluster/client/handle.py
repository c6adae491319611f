"""What a handle on a cluster says without waiting: its state, its addresses, how it looks in a notebook."""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ..dask_internals.clusters import logs_of, shown_logs
from ..dask_internals.statuses import status_named
from ..protocol.errors import InvalidState
from ..protocol.models import ClusterModel, ClusterState
from ..protocol.plain_text import counted
from .background import run
from .card import card_html
from .control import AsyncControl
from .credentials import find_credentials_for, security_of
from .dashboard import DEFAULT_PAGE, jupyter_link
from .dask_cluster import DaskCluster
from .forms import OfOneCluster, eager_twin, twin
from .presentation import View, presentation, shell_of_notebook
from .verbs import Verbs

if TYPE_CHECKING:
    from distributed.security import Security

    from .cluster import AsyncCluster


class ClusterHandle(OfOneCluster, Verbs, DaskCluster):
    """What ``Cluster`` and ``AsyncCluster`` have in common.

    The cluster lives in its own process: deleting the handle, restarting the kernel or stopping Jupyter
    does not end it. ``distributed.Client(cluster)`` works on the handle.

    Parameters
    ----------
    model : ClusterModel
        The cluster.
    control : AsyncControl
        How to reach it.
    owned : bool
        Whether leaving a block stops the cluster: true for ``create``, false for ``connect``.
    """

    asynchronous: ClassVar[bool]
    """Whether the verbs are coroutines."""

    def __init__(self, model: ClusterModel, control: AsyncControl, *, owned: bool = False) -> None:
        self.id = model.id
        self.name = model.name
        self._control = control
        self._owned = owned

    @classmethod
    def from_name(cls, name: str) -> Self:
        """Return a handle on the living cluster of that name or id: Dask's word for ``gpucluster.connect``.

        Raises
        ------
        ClusterNotFound
            When there is none, or it has ended.
        """
        control = AsyncControl()
        return cls(control.find_living(name), control)

    @property
    @abstractmethod
    def model(self) -> ClusterModel:
        """The cluster as it is now; after ``remove``, as it was last seen."""

    @property
    def control(self) -> AsyncControl:
        """How the cluster is reached."""
        return self._control

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
        """Kind of the cluster, such as ``local`` or ``cuda``."""
        return self.model.backend

    @property
    def scheduler_address(self) -> str:
        """Address of the scheduler, for ``distributed.Client``.

        Raises
        ------
        InvalidState
            When the cluster is not running.
        """
        model = self.model
        if model.scheduler_address is None:
            why = model.reason or model.notice
            raise InvalidState(f"The cluster '{self.name}' is {model.state.value}.{f' {why}' if why else ''}")
        find_credentials_for(model.scheduler_address)
        return model.scheduler_address

    @property
    def dashboard_link(self) -> str:
        """Link to the Dask dashboard: through Jupyter in a notebook; elsewhere for a browser on this machine.

        The second kind opens a port of loopback for the dashboard, until the cluster ends, and holds a secret: do not
        pass it on.

        Raises
        ------
        InvalidState
            When the cluster is not running.
        """
        link = jupyter_link(self.model)
        return link if link is not None else run(self.control.open_dashboard(self.id))

    @property
    def security(self) -> Security:
        """Credentials for ``distributed.Client``."""
        return security_of(self.model, self.control.registry.folder(self.id))

    @property
    def status(self) -> Any:
        """The state in distributed's terms, which its ``Client`` asks for."""
        names = {
            ClusterState.STARTING: "created",
            ClusterState.RUNNING: "running",
            ClusterState.SCALING: "running",
            ClusterState.STOPPING: "closing",
            ClusterState.STOPPED: "closed",
            ClusterState.FAILED: "closed",
        }
        return status_named(names[self.model.state])

    # -- words of Dask's clusters ----------------------------------------------------------------

    @eager_twin
    async def scale_up(self: AsyncCluster, n: int, *, wait: bool = True, timeout: float = 120) -> None:
        """Scale to that many workers: an older word of Dask's for ``scale``."""
        await self.scale(n, wait=wait, timeout=timeout)

    @eager_twin
    async def scale_down(
        self: AsyncCluster, workers: Iterable[str | int], *, wait: bool = True, timeout: float = 120
    ) -> None:
        """Retire these workers, by name or address: Dask's word for ``retire``, which says what it raises."""
        for worker in list(workers):
            names = [known.name for known in self.model.workers if known.address == worker]
            await self.retire(names[0] if names else worker, wait=wait, timeout=timeout)

    @twin
    async def get_logs(
        self: AsyncCluster, cluster: bool = True, scheduler: bool = True, workers: bool | Iterable[str] = True
    ) -> dict[str, str]:
        """Return the logs of the cluster's process, the scheduler and the workers, as a notebook can show them.

        Parameters
        ----------
        cluster, scheduler : bool
            Whether those are wanted.
        workers : bool or iterable of str
            Whether the workers' are wanted, or the addresses of those whose are.

        Raises
        ------
        InvalidState
            When the cluster is not running and the logs of its scheduler or workers are wanted.
        """
        logs: dict[str, str] = {}
        if cluster:
            logs["Cluster"] = "\n".join(await self.logs())
        if scheduler or workers:
            logs |= await logs_of(self.scheduler_address, self.security, scheduler=scheduler, workers=workers)
        shown: dict[str, str] = shown_logs(logs)
        return shown

    # -- shown -----------------------------------------------------------------------------------

    def gauges(self) -> View:
        """Return live gauges for a notebook: memory, GPUs, tasks and progress.

        Elsewhere, and once the cluster has ended, a picture of its last state.
        """
        return presentation().gauges(self)

    def dashboard(self, page: str = DEFAULT_PAGE) -> View:
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

    def __reduce__(self) -> Any:
        # Where it is read again, it is another handle on the same cluster, and owns nothing.
        return _again, (type(self), self._control.registry.directory, self.id)

    def __await__(self) -> Generator[Any, Any, Self]:
        # Also of a synchronous handle: distributed's Client awaits it on a loop of its own.
        async def started() -> Self:
            if "distributed.client" in sys.modules:
                from ..dask_internals.clients import take_over
                from .notebook_client import Client

                # Who writes Client(cluster) is told the same as who writes cluster.get_client().
                take_over(self, Client)
            if self.model.scheduler_address is None:
                await self.control.wait(self.id)
            return self

        return started().__await__()

    def __repr__(self) -> str:
        model = self.model
        workers = counted(model.n_workers, "worker")
        return f"<{type(self).__name__} '{self.name}': {model.state.value}, {model.backend}, {workers}>"

    def _repr_html_(self) -> str:
        model = self.model
        # A direct link holds a secret, which has no place in a saved notebook.
        return card_html(model, jupyter_link(model))

    def _ipython_display_(self, **_: Any) -> None:
        if shell_of_notebook() is None:
            raise NotImplementedError  # IPython's word for: show the text.
        presentation().show_card(self)


def _again(form: type[ClusterHandle], directory: Path, id: str) -> ClusterHandle:
    control = AsyncControl(directory)
    return form(control.registry.find(id), control)

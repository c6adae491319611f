"""Base classes of handles on a cluster: state, addresses, the interface of Dask's clusters, and display."""

from __future__ import annotations

import asyncio
import sys
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self

from ..dask_internals import clusters as of_dask
from ..dask_internals.loops import client_loop, is_running_loop, run_in
from ..dask_internals.statuses import status_named
from ..protocol.durations import parse_seconds
from ..protocol.errors import InvalidState, OperationTimedOut, SupervisorUnreachable
from ..protocol.models import ClusterModel, ClusterState
from ..protocol.plain_text import counted
from .background import run
from .control import AsyncControl
from .credentials import find_credentials_for, security_of
from .display.card import card_html
from .display.dashboard import DEFAULT_PAGE, jupyter_link
from .display.presentation import View, presentation, shell_of_notebook
from .sync_methods import BoundToCluster, eager_sync_and_async, sync_and_async
from .verbs import Verbs

if TYPE_CHECKING:
    from distributed.security import Security
    from tornado.ioloop import IOLoop

    from .cluster import AsyncCluster


def dask_name(name: str) -> int | str:
    """Return a worker's name as Dask has it: local workers have numbers as names."""
    return int(name) if name.isdecimal() and str(int(name)) == name else name


@dataclass(frozen=True)
class WorkerView:
    """What is known here of one connected worker, which runs in another process."""

    name: int | str
    address: str | None
    pid: int | None
    nthreads: int
    memory_limit: int | None  # Bytes; ``None``: no limit.
    device: str | None  # UUID or index of its GPU; ``None`` on CPU workers.

    @property
    def worker_address(self) -> str | None:
        """Its address, under the name that a nanny has for it."""
        return self.address

    @property
    def status(self) -> Any:
        """``Status.running``: others are not listed."""
        return status_named("running")

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(
            f"The worker runs in another process; '{name}' is not available from here. Run a function on it: "
            "client.run(lambda dask_worker: …, workers=[worker.address])."
        )


class SchedulerView:
    """What is known here of the scheduler, which runs in another process. `cluster`: a handle on its cluster."""

    def __init__(self, cluster: ClusterHandle) -> None:
        self._cluster = cluster

    @property
    def address(self) -> str:
        """Where it listens."""
        return self._cluster.scheduler_address

    @property
    def status(self) -> Any:
        """That of the cluster."""
        return self._cluster.status

    @property
    def workers(self) -> Mapping[str | None, WorkerView]:
        """The connected workers by address."""
        return MappingProxyType({worker.address: worker for worker in self._cluster.workers.values()})

    @property
    def identity(self) -> Callable[..., Any]:
        """A function that returns what the scheduler reports about itself and its workers."""
        return lambda **_: self._cluster.scheduler_info

    def __repr__(self) -> str:
        return f"<Scheduler of '{self._cluster.name}', in another process>"

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(
            f"The scheduler runs in another process; '{name}' is not available from here. Run a function in it: "
            "client.run_on_scheduler(lambda dask_scheduler: …)."
        )


IDENTITY_SECONDS = 30.0  # Timeout of a request for the scheduler's identity.


class ClusterHandle(BoundToCluster, Verbs, ABC):
    """Base of ``Cluster`` and ``AsyncCluster``, with the interface that Dask, and code for its clusters, expects.

    The cluster lives in its own process: deleting the handle, restarting the kernel or stopping Jupyter
    does not end it. ``distributed.Client(cluster)`` works on the handle. Views of scheduler and workers are read-only:
    they come from the cluster's record; only ``scheduler_info`` sends a request.

    Parameters
    ----------
    model : ClusterModel
        The cluster.
    control : AsyncControl
        How to reach it.
    owned : bool
        Whether leaving a block stops the cluster: true for ``create``, false for ``connect``.
    """

    asynchronous: ClassVar[bool]  # Whether the verbs are coroutines.
    _caller: Any = None

    def __init__(self, model: ClusterModel, control: AsyncControl, *, owned: bool = False) -> None:
        self.id = model.id
        self.name = model.name
        self._control = control
        self._owned = owned

    @classmethod
    def from_name(cls, name: str) -> Self:
        """Return a handle on a running cluster by name or id: Dask's name for ``gpucluster.connect``.

        Raises `ClusterNotFound` (there is none, or it has ended).
        """
        control = AsyncControl()
        return cls(control.find_living(name), control)

    @property
    @abstractmethod
    def model(self) -> ClusterModel:
        """The current state of the cluster."""

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
        """Address of the scheduler, for ``distributed.Client``. Raises `InvalidState` (the cluster is not running)."""
        model = self.model
        if model.scheduler_address is None:
            why = model.reason or model.notice
            raise InvalidState(f"The cluster '{self.name}' is {model.state.value}.{f' {why}' if why else ''}")
        find_credentials_for(model.scheduler_address)
        return model.scheduler_address

    @property
    def dashboard_link(self) -> str:
        """Link to the Dask dashboard: through Jupyter in a notebook; elsewhere for a browser on this machine.

        The second kind opens a loopback port until the cluster ends, and contains a secret: do not pass it on. Raises
        `InvalidState` (the cluster is not running).
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

    # -- identity --------------------------------------------------------------------------------

    # So that isinstance(handle, distributed.deploy.Cluster) holds, and nothing is imported for it.
    __class__ = property(lambda self: of_dask.class_for_dask(type(self)))

    def __eq__(self, other: object) -> bool:
        return self.id == other.id if isinstance(other, ClusterHandle) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.id)

    # -- scheduler and workers -------------------------------------------------------------------

    @property
    def scheduler(self) -> SchedulerView:
        """What is known here of the scheduler."""
        return SchedulerView(self)

    @property
    def scheduler_info(self) -> Any:
        """What the scheduler reports now about itself and its workers; empty while there is none.

        Raises `OperationTimedOut`, `SupervisorUnreachable` (it does not respond).
        """
        address = self.model.scheduler_address
        if address is None:
            return of_dask.no_scheduler_info()
        try:
            return run(asyncio.wait_for(of_dask.identity_of(address, self.security), IDENTITY_SECONDS))
        except TimeoutError:
            raise OperationTimedOut(
                f"The scheduler of '{self.name}' did not respond within {IDENTITY_SECONDS:.0f} seconds; it may be busy."
            ) from None
        except OSError as error:
            if self.model.scheduler_address is None:
                return of_dask.no_scheduler_info()  # It has stopped in the meantime.
            raise SupervisorUnreachable(f"The scheduler of '{self.name}' cannot be reached: {error}.") from None

    @property
    def scheduler_comm(self) -> Any:
        """RPC to the scheduler's handlers: ``cluster.sync(cluster.scheduler_comm.identity)``.

        Raises `InvalidState` (the cluster is not running).
        """
        address = self.scheduler_address
        if self._caller is None or self._caller.address != address:
            self._caller = caller = of_dask.scheduler_rpc(address, self.security)
            weakref.finalize(self, self.loop.add_callback, of_dask.close_rpc, caller).atexit = False
        return self._caller

    @property
    def workers(self) -> Mapping[int | str, WorkerView]:
        """The connected workers by name."""
        views = (
            WorkerView(
                name=dask_name(worker.name),
                address=worker.address,
                pid=worker.pid,
                nthreads=worker.n_threads,
                memory_limit=worker.memory_limit_bytes,
                device=worker.device,
            )
            for worker in self.model.workers
        )
        return MappingProxyType({view.name: view for view in views})

    @property
    def worker_spec(self) -> Mapping[int | str, Mapping[str, Any]]:
        """Class and options of each planned worker, by name, as ``SpecCluster.worker_spec`` has them."""
        workers, spec = self.workers, self.model.spec
        usual = next(iter(workers.values()), None)

        def of(worker: WorkerView | None) -> Mapping[str, Any]:
            threads, limit = (worker.nthreads, worker.memory_limit) if worker else (spec.threads_per_worker, None)
            options = MappingProxyType({"nthreads": threads, "memory_limit": limit})
            return MappingProxyType({"cls": "distributed.Nanny", "options": options})

        return MappingProxyType({name: of(workers.get(name, usual)) for name in self.plan})

    @property
    def plan(self) -> set[int | str]:
        """Names of the planned workers; missing ones are called ``pending-1``, …."""
        model, there = self.model, self.observed
        missing = max(model.n_pending, (model.wanted.n_workers or 0) - len(there))
        return there if model.state.ended else there | {f"pending-{number}" for number in range(1, missing + 1)}

    @property
    def requested(self) -> set[int | str]:
        """Names of the requested workers: those of the plan."""
        return self.plan

    @property
    def observed(self) -> set[int | str]:
        """Names of the connected workers."""
        return {dask_name(worker.name) for worker in self.model.workers}

    # -- loops -----------------------------------------------------------------------------------

    @property
    def loop(self) -> IOLoop:
        """The loop of Dask's clients: the running one where the verbs are coroutines, else one in another thread."""
        if self.asynchronous:
            try:
                asyncio.get_running_loop()
            except RuntimeError:
                pass
            else:
                from tornado.ioloop import IOLoop

                return IOLoop.current()
        loop: IOLoop = client_loop()
        return loop

    @property
    def called_from_running_loop(self) -> bool:
        """Whether this is called in the thread that runs ``loop``."""
        return is_running_loop(self.loop)

    def sync(
        self, func: Callable[..., Any], *args: Any, asynchronous: bool | None = None, callback_timeout: Any = None,
        **kwargs: Any,
    ) -> Any:  # fmt: skip
        """Run a coroutine function in ``loop`` and return its result; called in that loop, return an awaitable.

        Parameters
        ----------
        func : callable
            Called with ``args`` and ``kwargs``.
        asynchronous : bool, optional
            Whether to return an awaitable; default: when called in ``loop``.
        callback_timeout : float or str, optional
            Seconds, or a duration such as ``"10s"``, after which ``TimeoutError`` is raised.
        """
        loop = self.loop
        if is_running_loop(loop) if asynchronous is None else asynchronous:
            work = func(*args, **kwargs)
            return work if callback_timeout is None else asyncio.wait_for(work, parse_seconds(callback_timeout))
        return run_in(loop, func, *args, timeout=callback_timeout, **kwargs)

    # -- methods of Dask's clusters --------------------------------------------------------------

    @eager_sync_and_async
    async def scale_up(self: AsyncCluster, n: int, *, wait: bool = True, timeout: float = 120) -> None:
        """Scale to that many workers: an older name in Dask for ``scale``."""
        await self.scale(n, wait=wait, timeout=timeout)

    @eager_sync_and_async
    async def scale_down(
        self: AsyncCluster, workers: Iterable[str | int], *, wait: bool = True, timeout: float = 120
    ) -> None:
        """Retire these workers, by name or address: Dask's name for ``retire``; see there for errors."""
        for worker in list(workers):
            names = [known.name for known in self.model.workers if known.address == worker]
            await self.retire(names[0] if names else worker, wait=wait, timeout=timeout)

    @sync_and_async
    async def get_logs(
        self: AsyncCluster, cluster: bool = True, scheduler: bool = True, workers: bool | Iterable[str] = True
    ) -> dict[str, str]:
        """Return the logs of the cluster's process, the scheduler and the workers, ready to show in a notebook.

        Parameters
        ----------
        cluster, scheduler : bool
            Whether to include their logs.
        workers : bool or iterable of str
            Whether to include the workers' logs, or the addresses of those to include.

        Raises
        ------
        InvalidState
            When the cluster is not running and the logs of its scheduler or workers are requested.
        """
        logs: dict[str, str] = {}
        if cluster:
            logs["Cluster"] = "\n".join(await self.logs())
        if scheduler or workers:
            logs |= await of_dask.logs_of(self.scheduler_address, self.security, scheduler=scheduler, workers=workers)
        shown: dict[str, str] = of_dask.shown_logs(logs)
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
        # Unpickled, it is another handle on the same cluster, and does not own it.
        return _again, (type(self), self._control.registry.directory, self.id)

    def __await__(self) -> Generator[Any, Any, Self]:
        # Also for a synchronous handle: distributed's Client awaits it on its own loop.
        async def started() -> Self:
            if "distributed.client" in sys.modules:
                from ..dask_internals.clients import take_over
                from .notebook_client import Client

                # Client(cluster) reports the same as cluster.get_client().
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
            raise NotImplementedError  # IPython then shows the text.
        presentation().show_card(self)


def _again(form: type[ClusterHandle], directory: Path, id: str) -> ClusterHandle:
    control = AsyncControl(directory)
    return form(control.registry.find(id), control)

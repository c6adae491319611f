"""What code for ``distributed.deploy.Cluster`` asks of a cluster, where that lives in another process."""

from __future__ import annotations

import asyncio
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from ..dask_internals.clusters import class_for_dask, close_rpc, identity_of, no_scheduler_info, scheduler_rpc
from ..dask_internals.loops import client_loop, is_running_loop, run_in
from ..protocol.errors import OperationTimedOut, SupervisorUnreachable
from ..protocol.models import ClusterModel
from .background import run
from .views import SchedulerView, WorkerView, connected_names, planned_names, worker_specs, worker_views

if TYPE_CHECKING:
    from distributed.security import Security
    from tornado.ioloop import IOLoop

IDENTITY_SECONDS = 30.0
"""Patience with a scheduler that is asked what it is."""


class DaskCluster(ABC):
    """A handle as Dask's own code, and code written for its clusters, sees it.

    Views are read-only: scheduler and workers live in other processes. They follow the cluster's record, and ask
    nobody, ``scheduler_info`` apart.
    """

    id: str
    name: str
    asynchronous: ClassVar[bool]
    _caller: Any = None

    @property
    @abstractmethod
    def model(self) -> ClusterModel:
        """The cluster as it is now."""

    @property
    @abstractmethod
    def scheduler_address(self) -> str:
        """Address of the scheduler."""

    @property
    @abstractmethod
    def security(self) -> Security:
        """Credentials for ``distributed.Client``."""

    @property
    @abstractmethod
    def status(self) -> Any:
        """The state in distributed's terms."""

    # -- what it is ------------------------------------------------------------------------------

    def _class_for_dask(self) -> type:
        return class_for_dask(type(self))

    # So that isinstance(handle, distributed.deploy.Cluster) holds, and nothing is imported for it.
    __class__ = property(_class_for_dask)

    def __eq__(self, other: object) -> bool:
        return self.id == other.id if isinstance(other, DaskCluster) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.id)

    # -- scheduler and workers -------------------------------------------------------------------

    @property
    def scheduler(self) -> SchedulerView:
        """The scheduler, as far as it is known here."""
        return SchedulerView(self)

    @property
    def scheduler_info(self) -> Any:
        """What the scheduler says of itself and its workers now; empty while there is none.

        Raises
        ------
        OperationTimedOut, SupervisorUnreachable
            It does not answer.
        """
        address = self.model.scheduler_address
        if address is None:
            return no_scheduler_info()
        try:
            return run(asyncio.wait_for(identity_of(address, self.security), IDENTITY_SECONDS))
        except TimeoutError:
            raise OperationTimedOut(
                f"The scheduler of '{self.name}' did not answer within {IDENTITY_SECONDS:.0f} seconds; it may be busy."
            ) from None
        except OSError as error:
            if self.model.scheduler_address is None:
                return no_scheduler_info()  # It has ended meanwhile.
            raise SupervisorUnreachable(f"The scheduler of '{self.name}' cannot be reached: {error}.") from None

    @property
    def scheduler_comm(self) -> Any:
        """What calls the scheduler's handlers: ``cluster.sync(cluster.scheduler_comm.identity)``.

        Raises
        ------
        InvalidState
            When the cluster is not running.
        """
        address = self.scheduler_address
        if self._caller is None or self._caller.address != address:
            self._caller = caller = scheduler_rpc(address, self.security)
            weakref.finalize(self, self.loop.add_callback, close_rpc, caller).atexit = False
        return self._caller

    @property
    def workers(self) -> Mapping[int | str, WorkerView]:
        """The connected workers by name, as far as they are known here."""
        return worker_views(self.model)

    @property
    def worker_spec(self) -> Mapping[int | str, Mapping[str, Any]]:
        """What each worker that the cluster is to have is made of, by name."""
        return worker_specs(self.model)

    @property
    def plan(self) -> set[int | str]:
        """Names of the workers that the cluster is to have; one that has not come has the name ``pending-1``, …."""
        return planned_names(self.model)

    @property
    def requested(self) -> set[int | str]:
        """Names of the workers that were asked for: those of the plan."""
        return planned_names(self.model)

    @property
    def observed(self) -> set[int | str]:
        """Names of the workers that are connected."""
        return connected_names(self.model)

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
        """Whether this is asked in the thread in which ``loop`` runs."""
        return is_running_loop(self.loop)

    def sync(
        self, func: Callable[..., Any], *args: Any, asynchronous: bool | None = None, callback_timeout: Any = None,
        **kwargs: Any,
    ) -> Any:  # fmt: skip
        """Run a coroutine function in ``loop`` and return its result; called in that loop, what can be awaited.

        Parameters
        ----------
        func : callable
            Called with ``args`` and ``kwargs``.
        asynchronous : bool, optional
            Return what can be awaited; by default where this is called in ``loop``.
        callback_timeout : float or str, optional
            Seconds, or a duration such as ``"10s"``, after which ``TimeoutError`` is raised.
        """
        loop = self.loop
        if is_running_loop(loop) if asynchronous is None else asynchronous:
            work = func(*args, **kwargs)
            return work if callback_timeout is None else asyncio.wait_for(work, _seconds(callback_timeout))
        return run_in(loop, func, *args, timeout=callback_timeout, **kwargs)


def _seconds(duration: Any) -> float:
    from ..protocol.durations import parse_seconds

    return parse_seconds(duration)

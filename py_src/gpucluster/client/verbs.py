"""The verbs of one cluster, each written once as a coroutine.

``Cluster.scale``, ``AsyncCluster.scale``, ``Control.scale`` and ``AsyncControl.scale`` are made of ``Verbs.scale`` by
``client/sync_methods.py``; the latter two take the cluster's id or name first. With ``wait=False`` a slow request
returns when it is accepted, not when it is done.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from datetime import datetime, timedelta
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Concatenate, Literal, ParamSpec
from urllib.parse import quote

from ..dask_internals.clusters import is_adaptive_of_dask
from ..protocol.cells import Cells, CellWork
from ..protocol.errors import InvalidState, refused_field
from ..protocol.links import DEFAULT_HOURS, NewLink, SharedLink, SharedLinks, parse_link_request
from ..protocol.models import ClusterModel, LogLines
from ..protocol.telemetry import Activity, ActivityEntry, TelemetryHistory, TelemetrySample
from ..protocol.workers import find_worker
from ..registry import logs
from ..registry.ending import tail
from .dask_keywords import bounded_workers, duration, wanted_workers, whole
from .links import created_message, links_of, make_link, revoke_links, revoked_message, with_address
from .starting.capacity import most_workers
from .starting.environment import set_in_dask
from .sync_methods import Synchronous, VerbMethod, eager_request, request, synchronous, verb, verb_as
from .transport import ask_supervisor, newest_sample
from .waiting import wait_until_connected, wait_until_restarted, wait_until_retired

if TYPE_CHECKING:
    import pandas as pd

    from .control import AsyncControl
    from .handle import ClusterHandle


Log = list[tuple[float, dict[str, Any]]]
"""Times and decisions: ``{"status": "up", "n": 3}`` or ``{"status": "down", "workers": [1]}``."""


class _Following:
    """Base of ``Adaptive`` and ``AsyncAdaptive``, which need not be kept: the cluster's own process adapts it."""

    def __init__(self, cluster: ClusterHandle, model: ClusterModel) -> None:
        assert model.wanted.adapt is not None
        self.cluster = cluster
        self.bounds = model.wanted.adapt

    @property
    def minimum(self) -> int:
        """Fewest workers."""
        return self.bounds.minimum

    @property
    def maximum(self) -> int:
        """Most workers."""
        return self.bounds.maximum

    @property
    def interval(self) -> float | None:
        """Seconds between two checks of the load; ``None``: Dask's own setting."""
        return self.bounds.interval_seconds

    @property
    def wait_count(self) -> int | None:
        """How many checks in a row must find a worker unneeded; ``None``: Dask's own setting."""
        return self.bounds.wait_count

    @property
    def target_duration(self) -> float | None:
        """Seconds that the waiting tasks should take; ``None``: Dask's own setting."""
        return self.bounds.target_duration_seconds

    @property
    def state(self) -> str:
        """``running``, or ``stopped`` after another request to the cluster."""
        return "running" if self.cluster.model.wanted.adapt == self.bounds else "stopped"

    def __repr__(self) -> str:
        return f"<{type(self).__name__} '{self.cluster.name}': {self.minimum} to {self.maximum} workers, {self.state}>"


class AsyncAdaptive(_Following):
    """Adaptive scaling. Made by ``AsyncCluster.adapt``."""

    @property
    def log(self) -> Coroutine[Any, Any, Log]:
        """The decisions since, oldest first; an awaitable."""
        return self._decided()

    async def _decided(self) -> Log:
        log: Log = []
        for decision in await self.cluster.control.decisions(self.cluster.id):
            up = decision.status == "up"
            how = {"status": "up", "n": decision.n_workers} if up else {"status": "down", "workers": decision.workers}
            log.append((datetime.fromisoformat(decision.at).timestamp(), how))
        return log

    async def stop(self) -> None:
        """End adaptive scaling; the present workers stay. Stopping twice is harmless."""
        if self.state == "running":
            model = self.cluster.model
            await self.cluster.control.scale(model.id, model.n_workers + model.n_pending, wait=False)


class Adaptive(Synchronous[AsyncAdaptive], _Following):
    """Adaptive scaling. Made by ``Cluster.adapt``."""

    def __init__(self, cluster: ClusterHandle, model: ClusterModel) -> None:
        Synchronous.__init__(self, AsyncAdaptive(cluster, model))
        _Following.__init__(self, cluster, model)

    @property
    def log(self) -> Log:
        """The decisions since, oldest first."""
        return self._read()

    _read = synchronous(AsyncAdaptive._decided)
    stop = synchronous(AsyncAdaptive.stop)


P = ParamSpec("P")

MAX_LOG_LINES = 10_000


def _adapting(
    work: Callable[Concatenate[AsyncControl, str, P], Coroutine[Any, Any, ClusterModel]],
) -> VerbMethod[P, ClusterModel, AsyncAdaptive, Adaptive]:
    return VerbMethod(work, eager=True, shown=AsyncAdaptive, shown_waiting=Adaptive)


_links: Callable[[SharedLinks], list[SharedLink]] = attrgetter("links")
_entries: Callable[[Activity], list[ActivityEntry]] = attrgetter("entries")
_cells: Callable[[Cells], list[CellWork]] = attrgetter("cells")
_lines: Callable[[LogLines], list[str]] = attrgetter("lines")


class Verbs:
    """The verbs of one cluster. Their documentation leaves out ``id``, which two of the four classes do not take."""

    @eager_request
    async def scale(
        self: AsyncControl, id: str, n: int | None = None, memory: str | float | None = None,
        cores: float | None = None, *, wait: bool = True, timeout: float = 120,
    ) -> ClusterModel:  # fmt: skip
        """Scale to a number of workers; ends adaptive scaling.

        Parameters
        ----------
        n : int, optional
            Number of workers.
        memory : int or str, optional
            Total memory of the workers, such as ``"16 GiB"``.
        cores : int, optional
            Total number of tasks that run at the same time.
        wait : bool
            Return once the workers are connected.
        timeout : float
            Seconds to wait.

        Raises
        ------
        InvalidRequest, InvalidState
            Nothing was changed.
        ScaleFailed
            The cluster continues with another number.
        OperationTimedOut
            It continues, and may still reach the number.
        """
        model = self._living(id)
        count = wanted_workers(model, n, memory=memory, cores=cores)
        model = await self.change(model, {"n_workers": count}, timeout=timeout)
        return await self.wait_for_scale(id, count, timeout=timeout) if wait else model

    @_adapting
    async def adapt(
        self: AsyncControl, id: str, minimum: int | None = 0, maximum: float | None = None, *,
        interval: str | float | timedelta | None = None, wait_count: int | None = None,
        target_duration: str | float | timedelta | None = None,
        minimum_cores: float | None = None, maximum_cores: float | None = None,
        minimum_memory: str | float | None = None, maximum_memory: str | float | None = None,
        Adaptive: type | None = None,  # Dask's name
    ) -> ClusterModel:  # fmt: skip
        """Adapt the number of workers to the load.

        Parameters
        ----------
        minimum : int
            Fewest workers.
        maximum : int, optional
            Most workers. Default: the number of this machine's cores, or GPUs for GPU workers; for workers elsewhere,
            as many as a cluster may have.
        interval : float, str or timedelta, optional
            Seconds, or a duration such as ``"500ms"``, between two checks of the load; default: Dask's own setting.
        wait_count : int, optional
            How many checks in a row must find a worker unneeded before it stops; default: Dask's own setting.
        target_duration : float, str or timedelta, optional
            How long the waiting tasks should take; less starts more workers. Default: Dask's own setting.
        minimum_cores, maximum_cores : int, optional
            The same bounds as the number of tasks that run at the same time.
        minimum_memory, maximum_memory : int or str, optional
            The same bounds as the memory that the workers may use together.
        Adaptive : type, optional
            Only Dask's own: the cluster's own process decides, even after this one has ended.

        Returns
        -------
        AsyncAdaptive or Adaptive
            Its ``log`` has the decisions; its ``stop`` ends adaptive scaling.

        Raises
        ------
        InvalidRequest, InvalidState
        """
        if Adaptive is not None and not is_adaptive_of_dask(Adaptive):
            raise refused_field(
                "Adaptive",
                "custom Adaptive classes are not supported, because the cluster's own process decides, even after this "
                "one has ended; use minimum, maximum, interval, wait_count and target_duration, or call scale yourself",
            )
        model = self._living(id)
        fewest, most = bounded_workers(
            model, minimum, maximum, minimum_cores=minimum_cores, maximum_cores=maximum_cores,
            minimum_memory=minimum_memory, maximum_memory=maximum_memory,
        )  # fmt: skip
        if most is None:
            most = await asyncio.to_thread(most_workers, model)
            most = max(most, fewest) if isinstance(fewest, int) else most
        here = set_in_dask("distributed.adaptive")
        options = {
            "interval_seconds": duration("interval", here.get("interval") if interval is None else interval),
            "wait_count": whole(here.get("wait-count") if wait_count is None else wait_count),
            "target_duration_seconds": duration(
                "target_duration", here.get("target-duration") if target_duration is None else target_duration
            ),
        }
        given = {name: value for name, value in options.items() if value is not None}
        return await self.change(model, {"adapt": {"minimum": fewest, "maximum": most, **given}})

    @request
    async def restart(self: AsyncControl, id: str, *, wait: bool = True, timeout: float = 120) -> ClusterModel:
        """Restart all workers; tasks and results are lost.

        Raises `InvalidState`, `OperationFailed` (not all workers came back; the cluster continues) or
        `OperationTimedOut` (it continues, and they may still arrive).
        """
        before = self._living(id)
        model = await self.ask(before, "POST", "/restart")
        return await wait_until_restarted(self.registry, before, timeout=timeout) if wait else model

    @request
    async def retire(
        self: AsyncControl, id: str, worker: str | int, *, wait: bool = True, timeout: float = 120
    ) -> ClusterModel:
        """Retire one worker: move its results to the others, then stop it.

        Parameters
        ----------
        worker : str or int
            Name of the worker, as in ``cluster.model.workers``, or the beginning of a GPU worker's UUID.
        wait : bool
            Return once it has stopped.
        timeout : float
            Seconds to wait.

        Raises
        ------
        InvalidState
            When the cluster is not running, or no other worker can take the worker's results.
        WorkerNotFound
        OperationTimedOut
            The cluster continues, and the worker may still stop.
        """
        model, name = self._living(id), str(worker)
        if not name.strip(".") or len(name) > 200 or name.encode(errors="ignore").decode() != name:
            find_worker(model, name)  # No path can carry such a name.
        model = await self.ask(model, "POST", f"/workers/{quote(name, safe='')}/retire")
        if not wait:
            return model
        address = find_worker(model, name).address
        return await wait_until_retired(self.registry, model.id, name, address, timeout=timeout)

    @verb
    async def share(
        self: AsyncControl, id: str, *, hours: float = DEFAULT_HOURS, tasks: bool = False, public: bool = False
    ) -> NewLink:
        """Create a link to a read-only view of the cluster: ``cluster.share().url``.

        Anyone with the link sees the gauges and pages of the dashboard. Do not leave it in a notebook that you pass on.

        Parameters
        ----------
        hours : float
            Until it expires, 24 at most; it also ends with the cluster.
        tasks : bool
            Whether to show task keys, too: progress, the task stream and the task graph.
        public : bool
            Whether to skip the hub's login, where there is a hub; the site has to allow it.

        Raises
        ------
        InvalidState
            When the cluster is stopping, or has too many links.
        LinkRefused
            When the site does not allow it.
        """
        model = self._living(id)
        wanted = parse_link_request({"hours": hours, "tasks": tasks, "public": public})
        made = await asyncio.to_thread(make_link, self.registry, model, wanted, self.by)
        await self.note_link(model, created_message(made.link))
        return await asyncio.to_thread(with_address, made)

    @verb_as(_links)
    async def links(self: AsyncControl, id: str) -> SharedLinks:
        """Return the active links, with how many times each was opened."""
        return links_of(self.registry, self.registry.find(id))

    @verb_as(_links)
    async def withdraw(self: AsyncControl, id: str, link: str | None = None) -> SharedLinks:
        """Revoke a link, or all of them, and return those. Open views end within seconds.

        Parameters
        ----------
        link : str, optional
            Id of the link, as in ``cluster.links()``.

        Raises
        ------
        LinkNotFound
        """
        model = self.registry.find(id)
        gone = await asyncio.to_thread(revoke_links, self.registry, model, link)
        if gone.links:
            await self.note_link(model, revoked_message(gone.links))
        return gone

    @verb
    async def telemetry(self: AsyncControl, id: str) -> TelemetrySample:
        """Return the newest figures, at most a second old.

        Raises `ClusterNotFound`, `InvalidState`, `SupervisorUnreachable`.
        """
        model = self._living(id)
        if model.scheduler_address is None:
            raise InvalidState(f"The cluster '{model.name}' is {model.state.value}; it has no data yet.")
        return await newest_sample(self.registry.folder(model.id))

    @verb
    async def history(self: AsyncControl, id: str) -> TelemetryHistory:
        """Return the figures of the last ten minutes.

        Raises `ClusterNotFound`, `InvalidState`, `SupervisorUnreachable`.
        """
        model = self._living(id)
        answer = await ask_supervisor(self.registry.folder(model.id), "GET", "/history")
        return TelemetryHistory.model_validate_json(answer)

    @verb
    async def frame(self: AsyncControl, id: str, by: Literal["cluster", "worker"] = "cluster") -> pd.DataFrame:
        """Return the figures of the last ten minutes as a data frame of pandas.

        Parameters
        ----------
        by : {"cluster", "worker"}
            Whether a row is about all workers or one of them.

        Returns
        -------
        pandas.DataFrame
            Indexed by time in UTC, and by worker. What was not measured is ``NaN``.

        Raises
        ------
        InvalidRequest, InvalidState
        """
        from ..recordings.reading import history_frame

        history = await self.history(id)
        # In a thread: the first time, pandas takes a moment.
        return await asyncio.to_thread(history_frame, history, by)

    @verb
    async def notify(self: AsyncControl, id: str, futures: Any, title: str | None = None) -> None:
        """Show one notice in JupyterLab when all futures are done, however they end.

        Returns at once. A Jupyter server's ``notify_command`` is run, too, even while no browser is open; this process
        must keep running until then.

        Parameters
        ----------
        futures : Future, list of Future, or a collection of Dask that was persisted
        title : str, optional
            Title of the notice.

        Raises
        ------
        InvalidRequest
            None of them is computing.
        """
        from .notifying import Batch, futures_in

        Batch(self, id, futures_in(futures), title)

    @verb_as(_entries)
    async def activity(self: AsyncControl, id: str) -> Activity:
        """Return the log of requests to a cluster and their results, even of an ended one. Raises `ClusterNotFound`."""
        model = self.registry.find(id)
        return Activity(id=model.id, entries=logs.read_activity(self.registry.folder(model.id).activity))

    @verb_as(_cells)
    async def cells(self: AsyncControl, id: str) -> Cells:
        """Return what each notebook cell computed, even on an ended cluster, oldest first. Raises `ClusterNotFound`."""
        model = self.registry.find(id)
        return Cells(id=model.id, cells=logs.read_cells(self.registry.folder(model.id).cells))

    @verb_as(_lines)
    async def logs(self: AsyncControl, id: str, lines: int = 200) -> LogLines:
        """Return the end of a cluster's log, even of an ended one. Raises `ClusterNotFound`."""
        model = self.registry.find(id)
        count = max(1, min(lines, MAX_LOG_LINES))
        return LogLines(id=model.id, lines=tail(self.registry.folder(model.id).log, count))

    @request
    async def wait_for_workers(
        self: AsyncControl, id: str, n_workers: int | None = None, timeout: str | float | timedelta | None = None
    ) -> ClusterModel:
        """Wait until at least a number of workers are connected, by default the requested number.

        Parameters
        ----------
        n_workers : int, optional
            Number of workers.
        timeout : float, str or timedelta, optional
            Seconds, or a duration such as ``"10s"``; default: two minutes.

        Raises
        ------
        StartFailed, ClusterEnded, StartTimedOut, OperationTimedOut
        """
        patience = duration("timeout", timeout)
        seconds = 120 if patience is None else patience
        n_workers = whole(n_workers)
        if n_workers is None:
            return await self.wait(id, timeout=seconds)
        if not isinstance(n_workers, int):
            raise refused_field("n_workers", "must be a whole number")
        return await wait_until_connected(self.registry, id, n_workers, timeout=seconds)

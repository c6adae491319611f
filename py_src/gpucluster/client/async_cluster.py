"""``AsyncCluster``: one cluster in a notebook or script, with coroutines; each verb is written here."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from ..dask_internals.clusters import is_adaptive_of_dask, logs_of, shown_logs
from ..protocol.errors import ClusterNotFound, GPUClusterError, refused_field
from ..protocol.links import DEFAULT_HOURS, NewLink, SharedLink
from ..protocol.messages import MessageCode
from ..protocol.models import ClusterModel, ClusterState
from ..protocol.spec import parse_patch
from ..protocol.telemetry import ActivityEntry, TelemetryHistory, TelemetrySample
from ..protocol.workers import find_worker
from ..recordings.frames import history_frame
from .adapting import AsyncAdaptive
from .arguments import explained
from .begun import begins_at_once
from .caller import this_kernel
from .capacity import most_workers
from .control import AsyncControl
from .environment import set_in_dask
from .handle import ClusterHandle
from .libraries import let_cudf_spill
from .links import with_address
from .notifying import Batch, futures_in
from .waiting import wait_until_connected, wait_until_restarted, wait_until_retired
from .worker_numbers import bounded_workers, duration, wanted_workers, whole

if TYPE_CHECKING:
    import pandas as pd

    from .notebook_client import Client
    from .recorder import AsyncRecorder


NOT_THERE = "Nothing is left of it: it was removed after its end, or its folder was deleted."


@begins_at_once("scale", "scale_up", "scale_down", "adapt")
@explained
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
        super().__init__(model, control, owned=owned)
        self._last = model

    @property
    def model(self) -> ClusterModel:
        """The cluster as it is now; once it was removed or its folder was deleted, as it was last seen, but stopped."""
        try:
            self._last = self._control.registry.find(self.id)
        except ClusterNotFound:
            # Its supervisor ends as soon as it finds out. Whoever waits for results asks here, and has to be told.
            if not self._last.state.ended:
                self._last = self._last.saying({MessageCode.ENDED: NOT_THERE}, state=ClusterState.STOPPED)
        except GPUClusterError:
            if not self._last.state.ended:
                raise
        return self._last

    # -- verbs -----------------------------------------------------------------------------------

    async def scale(
        self, n: int | None = None, memory: str | float | None = None, cores: float | None = None, *,
        wait: bool = True, timeout: float = 120,
    ) -> None:  # fmt: skip
        """Scale to that many workers; ends adaptive scaling.

        Parameters
        ----------
        n : int, optional
            Wanted number.
        memory : int or str, optional
            So many that they may use this much memory together, such as ``"16 GiB"``.
        cores : int, optional
            So many that they run that many tasks at the same time.
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
        count = wanted_workers(self.model, n, memory=memory, cores=cores)
        patch = parse_patch({"n_workers": count})
        await self._control.patch(self.id, patch, timeout=timeout)
        if wait:
            await self._control.wait_for_scale(self.id, count, timeout=timeout)

    async def scale_up(self, n: int, *, wait: bool = True, timeout: float = 120) -> None:
        """Scale to that many workers: an older word of Dask's for ``scale``."""
        await self.scale(n, wait=wait, timeout=timeout)

    async def scale_down(self, workers: Iterable[str | int], *, wait: bool = True, timeout: float = 120) -> None:
        """Retire these workers, by name or address: Dask's word for ``retire``, which says what it raises."""
        for worker in list(workers):
            names = [known.name for known in self.model.workers if known.address == worker]
            await self.retire(names[0] if names else worker, wait=wait, timeout=timeout)

    async def adapt(
        self, minimum: int | None = 0, maximum: float | None = None, *,
        interval: str | float | timedelta | None = None, wait_count: int | None = None,
        target_duration: str | float | timedelta | None = None,
        minimum_cores: float | None = None, maximum_cores: float | None = None,
        minimum_memory: str | float | None = None, maximum_memory: str | float | None = None,
        Adaptive: type | None = None,  # Dask's name
    ) -> AsyncAdaptive:  # fmt: skip
        """Let the number of workers follow the load.

        Parameters
        ----------
        minimum : int
            Fewest workers.
        maximum : int, optional
            Most workers. Default: as many as the machine has cores, or GPUs for GPU workers; for workers elsewhere, as
            many as a cluster may have.
        interval : float, str or timedelta, optional
            Seconds, or a duration such as ``"500ms"``, between two looks at the load; default: Dask's own setting.
        wait_count : int, optional
            How many looks in a row must find a worker unneeded before it goes; default: Dask's own setting.
        target_duration : float, str or timedelta, optional
            How long what is waiting should take; the less, the more workers are started. Default: Dask's own setting.
        minimum_cores, maximum_cores : int, optional
            The same bounds as the number of tasks that run at the same time.
        minimum_memory, maximum_memory : int or str, optional
            The same bounds as the memory that the workers may use together.
        Adaptive : type, optional
            Only Dask's own: the cluster's own process decides, also when this one has ended.

        Returns
        -------
        AsyncAdaptive or Adaptive
            Has the decisions in its ``log``, and ends them with ``stop``.

        Raises
        ------
        InvalidRequest, InvalidState
        """
        if Adaptive is not None and not is_adaptive_of_dask(Adaptive):
            raise refused_field(
                "Adaptive",
                "the cluster's own process decides, also when this one has ended, and takes no class of yours; use "
                "minimum, maximum, interval, wait_count and target_duration, or call scale yourself",
            )
        model = self.model
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
        patch = parse_patch({"adapt": {"minimum": fewest, "maximum": most, **given}})
        await self._control.patch(self.id, patch)
        assert patch.adapt is not None
        return AsyncAdaptive(self, patch.adapt)

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
        if wait:
            await wait_until_restarted(self._control.registry, before, timeout=timeout)

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
        if wait:
            await wait_until_retired(self._control.registry, self.id, str(worker), address, timeout=timeout)

    async def share(self, *, hours: float = DEFAULT_HOURS, tasks: bool = False, public: bool = False) -> NewLink:
        """Make a link by which others can look at the cluster, and do nothing with it: ``cluster.share().url``.

        Whoever has the link sees the gauges and pages of the dashboard. Do not leave it in a notebook that you pass on.

        Parameters
        ----------
        hours : float
            Until it ends by itself, 24 at most; it also ends with the cluster.
        tasks : bool
            Whether it shows keys of tasks too: progress, the task stream and the task graph.
        public : bool
            Whether it does without the hub's log-in, where there is a hub; the site has to allow it.

        Raises
        ------
        InvalidState
            When the cluster is about to end, or has too many links.
        LinkRefused
            When the site does not allow it.
        """
        made = await self._control.share(self.id, hours=hours, tasks=tasks, public=public)
        return await asyncio.to_thread(with_address, made)

    async def links(self) -> list[SharedLink]:
        """Return the links that were made and have not ended, with how many times each was opened."""
        return (await self._control.links(self.id)).links

    async def withdraw(self, link: str | None = None) -> list[SharedLink]:
        """Take a link back, or all of them; returns those. Views that are open end within seconds.

        Parameters
        ----------
        link : str, optional
            Id of the link, as in ``cluster.links()``.

        Raises
        ------
        LinkNotFound
        """
        return (await self._control.withdraw(self.id, link)).links

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

    async def frame(self, by: Literal["cluster", "worker"] = "cluster") -> pd.DataFrame:
        """Return the figures of the last ten minutes as a data frame of pandas.

        Parameters
        ----------
        by : {"cluster", "worker"}
            What a row is about: all workers at a moment, or one of them.

        Returns
        -------
        pandas.DataFrame
            Indexed by time in UTC, and by worker. What was not measured is ``NaN``.

        Raises
        ------
        InvalidRequest, InvalidState
        """
        history = await self.history()
        # In a thread: the first time, pandas takes a moment.
        return await asyncio.to_thread(history_frame, history, by)

    async def notify(self, futures: Any, title: str | None = None) -> None:
        """Notify when all these are done: one notice in JupyterLab for the whole batch, however it ends.

        Returns at once. Where the Jupyter server has a ``notify_command``, that is run, too, also while no browser
        is open; this process has to live as long.

        Parameters
        ----------
        futures : Future, list of Future, or a collection of Dask that was persisted
        title : str, optional
            What the batch is called.

        Raises
        ------
        InvalidRequest
            Nothing of it computes.
        """
        Batch(self._control, self.id, futures_in(futures), title)

    async def activity(self) -> list[ActivityEntry]:
        """Return who asked what and what came of it, oldest first."""
        return (await self._control.activity(self.id)).entries

    async def logs(self, lines: int = 200) -> list[str]:
        """Return the end of the log as a list of lines."""
        return (await self._control.logs(self.id, lines=lines)).lines

    async def get_logs(
        self, cluster: bool = True, scheduler: bool = True, workers: bool | Iterable[str] = True
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

    async def stop(self) -> None:
        """Stop the cluster; returns when nothing of it runs any more. Stopping twice is harmless."""
        if not self.model.state.ended:
            self._last = await self._control.stop(self.id)

    async def close(self, timeout: float | None = None) -> None:
        """Stop the cluster: Dask's word for ``stop``."""
        await self.stop()

    async def wait_for_workers(
        self, n_workers: int | None = None, timeout: str | float | timedelta | None = None
    ) -> None:
        """Wait until at least that many workers are connected, by default the wanted number.

        Parameters
        ----------
        n_workers : int, optional
            So many.
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
            await self._control.wait(self.id, timeout=seconds)
            return
        if not isinstance(n_workers, int):
            raise refused_field("n_workers", "must be a whole number")
        await wait_until_connected(self._control.registry, self.id, n_workers, timeout=seconds)

    def get_client(self, **options: Any) -> Client:
        """Return a new ``distributed.Client`` connected to this cluster; it is awaited, or entered.

        Raises
        ------
        InvalidState
            When the cluster is not running.
        """
        if options.get("asynchronous", True):
            return client_of(self, options)
        from .cluster import Cluster

        return Cluster(self.model, self._control).get_client(**options)

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


def client_of(cluster: ClusterHandle, options: dict[str, Any]) -> Client:
    """Return a new client of a cluster, whose methods are coroutines where the cluster's are."""
    import dask

    from ..dask_internals.scheduler_state import name_for_kernel
    from .notebook_client import Client

    cluster.scheduler_address  # noqa: B018  # A sentence now instead of a time-out later.
    if getattr(cluster.model.spec, "enable_cudf_spill", False):
        let_cudf_spill()
    kernel = this_kernel()
    # So that JupyterLab can say which notebooks are connected. A name of one's own goes first.
    named = {} if kernel is None or dask.config.get("client-name", None) else {"name": name_for_kernel(kernel)}
    return Client(cluster, **{"asynchronous": cluster.asynchronous, **named, **options})  # type: ignore[no-untyped-call]

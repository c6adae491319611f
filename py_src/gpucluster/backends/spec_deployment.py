"""A cluster that a ``SpecCluster`` of distributed holds, with the scheduler in this process.

The only place that uses ``SpecCluster``, which counts new workers only when all that were made together have started or
failed, closes none before that, retires by name where addresses are meant, and reports a worker that cannot start as a
*running cluster with 0 workers*, or with the cause hidden in a chain.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from distributed import SpecCluster

from ..comm.folder import SCHEME
from ..dask_internals import spec_cluster
from ..dask_internals.statuses import is_gone
from ..dask_internals.workers import memory
from ..dask_internals.workers.nannies import close_once, is_starting, kill_starting_process, report_worker_exits
from ..devices.nvml import NVMLSession, Troubles
from ..operating_system.resources import resident_bytes
from ..protocol.errors import GPUClusterError, StartFailed
from ..protocol.spec import Adapt
from ..protocol.telemetry import Decision
from ..protocol.verbs import Verb
from .backend import Plan, StartContext
from .dashboard import WEB_SOCKET, PrivateDashboardScheduler
from .deployment import Deployment, Slot, SlotState, cause_of, could_not_start
from .scheduler.in_process import InProcessScheduler

if TYPE_CHECKING:
    from distributed import Worker


logger = logging.getLogger("gpucluster.backends")

CLOSE_TIMEOUT_SECONDS = 5.0
LEFTOVERS_TIMEOUT_SECONDS = 8.0
REPLACE_SECONDS = 1.0
LIMIT_SECONDS = 0.5  # Between two checks whether a worker uses so little memory that its nanny may have a lower limit.
SYNC_SECONDS = 3600  # How often a cluster sends its scheduler its name, which never changes; Dask: each second.
KNOWN_ENDS = 1000

Make = Callable[..., SpecCluster]

_ends: dict[int, int] = {}  # Exit status of workers' processes that ended, by process id.


def _note_end(pid: int, status: int) -> None:
    _ends.pop(pid, None)
    _ends[pid] = status
    if len(_ends) > KNOWN_ENDS:
        del _ends[next(iter(_ends))]


report_worker_exits(_note_end)
close_once()


class SpecDeployment(Deployment):
    """One running ``SpecCluster``. Made by ``start``."""

    can = frozenset(Verb)

    def __init__(
        self,
        cluster: SpecCluster,
        *,
        workers_are_devices: bool = False,
        explain: Callable[[str], str] = lambda cause: cause,
    ) -> None:
        self._cluster = cluster
        self._workers_are_devices = workers_are_devices
        self._explain = explain
        self._closing: dict[asyncio.Future[None], Any] = {}
        """Names of workers that are being closed; asyncio itself keeps only weak references to tasks."""
        self._since: dict[str, tuple[SlotState, datetime]] = {}
        self._replacing: asyncio.Task[None] | None = None
        self._memory_limit: int | None = None  # What was lowered last.
        self._lowering: asyncio.Task[None] | None = None
        self._adaptive: Any = None
        self._scheduler = spec_cluster.scheduler_of(cluster)
        self.scheduler = InProcessScheduler(self._scheduler)
        self._watch = GPUWatch() if workers_are_devices else None

    @classmethod
    async def start(
        cls,
        make: Make,
        plan: Plan,
        context: StartContext,
        *,
        workers_are_devices: bool = False,
        explain: Callable[[str], str] = lambda cause: cause,
    ) -> SpecDeployment:
        """Make a cluster and start it. Raises `StartFailed` with the real cause: everything that was started is closed.

        `make`: called with the options of every local cluster; returns a ``SpecCluster`` with a local scheduler,
        not awaited. `explain`: adds what may help to the cause of a worker's failure, a text without a full stop.
        """
        cluster: SpecCluster | None = None
        try:
            context.report("scheduler", "Starting the scheduler")
            try:
                cluster = make(
                    name=context.cluster_id,
                    asynchronous=True,
                    security=context.security,
                    local_directory=str(context.scratch_directory),
                    silence_logs=False,
                    scheduler_sync_interval=SYNC_SECONDS,
                    **_listening(context),
                )
                # The scheduler does not exist yet: let it serve its pages below the secret prefix only.
                spec_cluster.use_scheduler_class(cluster, PrivateDashboardScheduler)
                await cluster
            except (asyncio.CancelledError, GPUClusterError):
                raise
            except Exception as error:
                failures = spec_cluster.failed(cluster) if cluster is not None else {}
                if failures:
                    cause = explain(cause_of(next(iter(failures.values()))))
                    raise StartFailed(could_not_start(len(failures), plan.n_workers, cause)) from error
                logger.error("The start failed", exc_info=error)
                raise StartFailed(f"The cluster could not start: {explain(cause_of(error))}.") from error
            return cls(cluster, workers_are_devices=workers_are_devices, explain=explain)
        except BaseException:
            await _close_leftovers(context.cluster_id, cluster)
            raise

    # -- what there is ---------------------------------------------------------------------------

    def slots(self) -> list[Slot]:
        cluster = self._cluster
        here = {worker.name for worker in self._scheduler.workers.values()}
        planned = spec_cluster.planned(cluster)
        failed = spec_cluster.failed(cluster)
        coming = {worker.name for worker in spec_cluster.coming(cluster)}
        gone = {name for name, worker in spec_cluster.made(cluster).items() if is_gone(worker)}
        living = set(spec_cluster.made(cluster)) - gone
        found: list[tuple[Any, SlotState, str | None]] = []
        for name in planned:
            if name in failed:
                found.append((name, SlotState.FAILED, self._explain(cause_of(failed[name]))))
            elif name in here:
                found.append((name, SlotState.RUNNING, None))
            elif name in living or name in coming or not (self._was_running(name) or name in gone):
                found.append((name, SlotState.PENDING, None))
            else:
                found.append((name, SlotState.LOST, "its process is gone"))
        # A worker that is closed while it starts may connect for a moment.
        leaving = (living | coming | set(self._closing.values())) - set(planned)
        found += [(name, SlotState.LEAVING, None) for name in leaving]
        before, now = self._since, datetime.now(UTC)
        self._since = {}
        for name, state, _ in found:
            known = before.get(str(name))
            self._since[str(name)] = known if known is not None and known[0] is state else (state, now)
        return [Slot(str(name), state, self._since[str(name)][1], why) for name, state, why in found]

    def _was_running(self, name: Any) -> bool:
        known = self._since.get(str(name))
        return known is not None and known[0] in {SlotState.RUNNING, SlotState.LOST}

    def how_ended(self, pid: int) -> int | None:
        return _ends.get(pid)

    def gpu_trouble(self, device: str) -> str | None:
        return None if self._watch is None else self._watch.trouble(device)

    def device_of(self, name: str) -> str | None:
        return name if self._workers_are_devices else None

    # -- changing it -----------------------------------------------------------------------------

    async def scale(self, n: int) -> None:
        await self.adapt(None)
        self._take_out(self.leaving(n))
        self._cluster.scale(n)

    async def lower_memory_limit(self, limit_bytes: int) -> None:
        if limit_bytes == self._memory_limit:
            return
        self._memory_limit = limit_bytes
        memory.lower_planned_limit(self._cluster, limit_bytes)
        # Also for workers that are just starting, with the previous limit.
        try:
            await self.scheduler.add_worker_plugin(PLUGIN, pickled_limit(limit_bytes))
        except Exception as error:
            # A worker left meanwhile. Workers that connect later get the plugin anyway.
            logger.warning("Not every worker has its memory limit (%s: %s)", type(error).__name__, error)
        self._stop_lowering()
        self._lowering = asyncio.create_task(self._lower_limits(limit_bytes))

    async def _lower_limits(self, limit_bytes: int) -> None:
        """Lower the limits of nannies and scheduler; some nannies have to wait for their worker."""
        while True:
            nannies = [*spec_cluster.made(self._cluster).values(), *spec_cluster.coming(self._cluster)]
            starting = any(map(is_starting, nannies))
            all_low = memory.lower_nanny_limits(self._cluster, limit_bytes, resident_bytes)
            memory.lower_known_limits(self._scheduler, limit_bytes)
            if all_low and not starting:
                return
            await asyncio.sleep(LIMIT_SECONDS)

    def _stop_lowering(self) -> None:
        if self._lowering is not None:
            self._lowering.cancel()
            self._lowering = None

    async def adapt(self, bounds: Adapt | None) -> None:
        if self._replacing is not None:
            self._replacing.cancel()
            self._replacing = None
        if bounds is not None:
            # Always all options: SpecCluster keeps the previous ones.
            self._adaptive = self._cluster.adapt(
                minimum=bounds.minimum,
                maximum=bounds.maximum,
                interval=bounds.interval_seconds,
                wait_count=bounds.wait_count,
                target_duration=bounds.target_duration_seconds,
            )
            self._replacing = asyncio.create_task(self._replace_lost())
            return
        spec_cluster.stop_adapting(self._cluster)

    def decisions(self) -> list[Decision]:
        if self._adaptive is None:
            return []
        return [
            Decision(
                at=datetime.fromtimestamp(at, UTC).isoformat(),
                status=what["status"],
                n_workers=what.get("n"),
                workers=[str(name) for name in what.get("workers", ())],
            )
            for at, what in spec_cluster.decisions_of(self._adaptive)
        ]

    async def _replace_lost(self) -> None:
        """Replace workers whose nanny is gone; a nanny that runs restarts its worker itself."""
        cluster = self._cluster
        while True:
            await asyncio.sleep(REPLACE_SECONDS)
            is_short = len(spec_cluster.made(cluster)) < len(spec_cluster.planned(cluster))
            if is_short and not spec_cluster.failed(cluster):
                self._correct_soon()

    async def release(self, names: Collection[str]) -> None:
        for name in [name for name in spec_cluster.failed(self._cluster) if str(name) in names]:
            # It must neither count nor block another worker of this name.
            spec_cluster.remove_from_plan(self._cluster, {str(name)})
            if (worker := spec_cluster.uncount(self._cluster, name)) is not None:
                self._close_soon(worker)
        self._take_out(names)
        self._correct_soon()

    def _take_out(self, names: Collection[str]) -> None:
        """Take workers out of the plan, and close at once those that have not connected.

        SpecCluster would close none before all that are starting have connected, which may never happen.
        """
        cluster = self._cluster
        spec_cluster.remove_from_plan(cluster, names)
        planned = set(spec_cluster.planned(cluster))
        here = {worker.name for worker in self._scheduler.workers.values()}
        for worker in {*spec_cluster.made(cluster).values(), *spec_cluster.coming(cluster)}:
            if worker.name not in planned and worker.name not in here:
                self._close_soon(worker)
        for name, worker in spec_cluster.made(cluster).items():
            if is_gone(worker):
                # SpecCluster itself would do this later, and meanwhile start no other worker of this name.
                spec_cluster.uncount(cluster, name)

    def _correct_soon(self) -> None:
        """Let SpecCluster start and end workers as planned; failures appear in the slots."""
        loop: Any = self._cluster.loop
        loop.add_callback(spec_cluster.reconcile, self._cluster)

    def _close_soon(self, worker: Any) -> None:
        task = asyncio.ensure_future(_close_worker(worker))
        self._closing[task] = worker.name
        task.add_done_callback(self._closing.pop)

    async def close(self) -> None:
        """Close scheduler and workers; returns in bounded time whatever they do."""
        await self.adapt(None)
        self._stop_lowering()
        if self._watch is not None:
            self._watch.close()
        await self.scheduler.close()
        for name in spec_cluster.failed(self._cluster):
            spec_cluster.uncount(self._cluster, name)
        spec_cluster.count_all(self._cluster)
        await _close_starting(self._cluster)
        try:
            closing: Awaitable[None] = self._cluster.close()  # type: ignore[assignment]  # awaitable: asynchronous
            await asyncio.wait_for(asyncio.shield(closing), CLOSE_TIMEOUT_SECONDS)
        except Exception as error:
            logger.warning("The cluster did not shut down cleanly (%s); killing what is left", type(error).__name__)


def _listening(context: StartContext) -> dict[str, Any]:
    """Return where the cluster listens, and below which path its web pages answer."""
    prefix = {"http_prefix": context.dashboard_prefix}
    if context.comm_directory is None:
        return {"dashboard_address": "127.0.0.1:0", "scheduler_kwargs": prefix}
    return {
        "protocol": SCHEME,
        # distributed writes it where it writes a host elsewhere.
        "host": str(context.comm_directory),
        "dashboard_address": "127.0.0.1:0",  # Not used; without one there are no pages.
        "scheduler_kwargs": {**prefix, "web_socket": str(context.comm_directory / WEB_SOCKET)},
    }


async def _close_worker(worker: Any) -> None:
    closing = asyncio.ensure_future(worker.close())
    await asyncio.sleep(0)  # From here on it starts no further process.
    with suppress(Exception):
        await kill_starting_process(worker)
        await asyncio.wait_for(closing, CLOSE_TIMEOUT_SECONDS)


async def _close_starting(cluster: SpecCluster) -> None:
    """Close the workers that are still starting: one may hang, and none has results."""
    starting = [worker for worker in spec_cluster.made(cluster).values() if is_starting(worker)]
    await asyncio.gather(*map(_close_worker, starting))


async def _close_leftovers(cluster_id: str, cluster: SpecCluster | None) -> None:
    """Close what a failed start left behind, even when a constructor failed half-way."""
    found = {cluster} if cluster is not None else set()
    for item in found | spec_cluster.clusters_named(cluster_id):
        spec_cluster.count_all(item)
        await _close_starting(item)
        with suppress(Exception):
            closing: Awaitable[None] = item.close()  # type: ignore[assignment]  # awaitable: it is asynchronous
            await asyncio.wait_for(asyncio.shield(closing), LEFTOVERS_TIMEOUT_SECONDS)


PLUGIN = "gpucluster-memory-limit"


def pickled_limit(limit_bytes: int) -> bytes:
    """Return the plugin that lowers the limit of each worker; its class is sent by value."""
    import cloudpickle
    from distributed import WorkerPlugin

    class MemoryLimit(WorkerPlugin):
        def __init__(self, limit_bytes: int) -> None:
            self.limit_bytes = limit_bytes

        def setup(self, worker: Worker) -> None:
            from gpucluster.dask_internals.workers.memory import lower_worker_limit

            lower_worker_limit(worker, self.limit_bytes)

    pickled: bytes = cloudpickle.dumps(MemoryLimit(limit_bytes))
    return pickled


LOOK_SECONDS = 1.0
RECENT_SECONDS = 30.0  # An error that is older has killed no worker now.


class GPUWatch:
    """Looks for errors of the GPUs once a second, in a separate thread because a driver may hang."""

    def __init__(self) -> None:
        self._troubles = Troubles(NVMLSession())
        self._closed = threading.Event()
        threading.Thread(target=self._run, name="gpu-watch", daemon=True).start()

    def trouble(self, uuid: str) -> str | None:
        """Return the last error of a GPU if it is recent, in a few words."""
        found = self._troubles.xids(uuid)
        if not found or (datetime.now(UTC) - datetime.fromisoformat(found[-1].at)).total_seconds() > RECENT_SECONDS:
            return None
        xid = found[-1]
        return f"XID {xid.number} of its GPU" + (f" ({xid.meaning})" if xid.meaning else "")

    def close(self) -> None:
        self._closed.set()

    def _run(self) -> None:
        while not self._closed.wait(LOOK_SECONDS):
            self._troubles.look()

"""A cluster of workers on other hosts; its scheduler is in this process."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from distributed import SpecCluster

from ...dask_internals.scheduler_state import forget_worker
from ...dask_internals.spec_cluster import scheduler_of
from ...dask_internals.started_elsewhere import StartedElsewhere
from ..backend import Plan, StartContext
from ..dashboard import PrivateDashboardScheduler
from ..deployment import Slot, SlotState
from ..spec_deployment import SpecDeployment
from .hosts import HostUnusable

if TYPE_CHECKING:
    from .host import Host
    from .pool import Pool


class SSHDeployment(SpecDeployment):
    """Made by ``start_on``."""

    _pool: Pool

    @classmethod
    async def start_on(cls, pool: Pool, plan: Plan, context: StartContext) -> SSHDeployment:
        """Start the scheduler here and the workers there. Raises `StartFailed`: nothing is left then."""
        worker = {"cls": SSHWorker, "options": {"pool": pool}}

        def make(**options: Any) -> SpecCluster:
            return SpecCluster(
                workers=dict.fromkeys(range(plan.n_workers), worker),
                scheduler=scheduler_spec(options, host=plan.options["host"], protocol=plan.options["protocol"]),
                worker=worker,
                **{name: options[name] for name in _OF_SPEC_CLUSTER},
            )

        try:
            deployment: SSHDeployment = await cls.start(make, plan, context)  # type: ignore[assignment]
        except BaseException:
            await asyncio.shield(pool.close())
            raise
        deployment._pool = pool
        scheduler = scheduler_of(deployment._cluster)
        pool.forget_worker = lambda name: forget_worker(scheduler, name)
        return deployment

    def device_of(self, name: str) -> str | None:
        found = {str(worker.name): worker.device for host in self._pool.hosts for worker in host.workers.values()}
        return found.get(name)

    def slots(self) -> list[Slot]:
        hosts = self._hosts()
        found = super().slots()
        return [replace(one, node=hosts.get(one.name)) if one.state is SlotState.RUNNING else one for one in found]

    def _hosts(self) -> dict[str, str]:
        """Return the name of each worker's host, as in the spec."""
        return {str(name): host.name for host in self._pool.hosts for name in host.workers}

    def _leaving_order(self) -> list[str]:
        # Where a host was lost and is back, its workers are on the others: they even out when some leave.
        running = {slot.name for slot in self.slots() if slot.state is SlotState.RUNNING}
        hosts = {name: host for name, host in self._hosts().items() if name in running}
        places = {host.name: host.places for host in self._pool.hosts}
        return fullest_host_first(super()._leaving_order(), hosts, places)

    async def close(self) -> None:
        self._pool.forget_worker = lambda name: None
        try:
            await super().close()
        finally:
            await self._pool.close()
        lost = [host.name for host in self._pool.hosts if host.unclean]
        if lost:
            raise RuntimeError(f"{', '.join(lost)}: the connection was lost while workers were running")


_OF_SPEC_CLUSTER = ("name", "asynchronous", "security", "silence_logs", "scheduler_sync_interval")


def scheduler_spec(options: Mapping[str, Any], *, host: str, protocol: str) -> dict[str, Any]:
    return {
        "cls": PrivateDashboardScheduler,
        "options": {
            "host": host,
            "port": 0,
            "protocol": f"{protocol}://",
            "security": options["security"],
            "dashboard": True,
            "dashboard_address": options["dashboard_address"],
            **options["scheduler_kwargs"],
        },
    }


def fullest_host_first(names: Sequence[str], host_of: Mapping[str, str], places: Mapping[str, int]) -> list[str]:
    """Return workers in the order in which they leave: the next one is always on the host that is then the fullest.

    * `names`: the order otherwise, and on equally full hosts.
    * `host_of`: the host of each; a worker without a host leaves first.
    * `places`: how many workers each host has by default.
    """
    left = Counter(host_of[name] for name in names if name in host_of)
    order = [name for name in names if name not in host_of]
    waiting = [name for name in names if name in host_of]
    while waiting:
        name = max(waiting, key=lambda each: left[host_of[each]] / places[host_of[each]])
        waiting.remove(name)
        left[host_of[name]] -= 1
        order.append(name)
    return order


START_SECONDS = 60.0
STOP_SECONDS = 8.0


class SSHWorker(StartedElsewhere):
    """A nanny with its worker, in the agent of a host."""

    def __init__(self, scheduler: str, name: Any, pool: Pool) -> None:
        super().__init__(scheduler, name)
        self.name = name
        self.device: str | None = None
        self._scheduler_address = scheduler
        self._pool = pool
        self._host: Host | None = None
        self._started: asyncio.Future[None] | None = None

    async def start(self) -> None:
        self._started = asyncio.get_running_loop().create_future()
        try:
            with self._pool.placing(self) as host:
                self._host = host
                await host.start(self, self._pool.command(self, host, self._scheduler_address, START_SECONDS))
            await asyncio.wait_for(asyncio.shield(self._started), START_SECONDS + STOP_SECONDS)
        except TimeoutError:
            raise self.note_failure(HostUnusable(f"{self._where}: the worker did not start in time.")) from None
        except Exception as error:
            raise self.note_failure(error) from None
        self.note_running()
        if not self.runs:
            raise self.note_failure(HostUnusable(f"{self._where}: the worker exited during startup."))

    async def close(self) -> None:
        host = self._host
        if host is not None and host.workers.get(self.name) is self:
            with suppress(Exception):
                host.stop(self)
                await asyncio.wait_for(self.has_ended(), STOP_SECONDS)
        await super().close()

    @property
    def _where(self) -> str:
        return self._host.name if self._host is not None else "No host"

    # -- called by the host ----------------------------------------------------------------------

    def has_started(self, address: str) -> None:
        self.address = address
        if self._started is not None and not self._started.done():
            self._started.set_result(None)

    def has_failed(self, why: Exception) -> None:
        if self._started is not None and not self._started.done():
            self._started.set_exception(why)
            self._started.exception()  # It may not be awaited any more.

    def has_gone(self) -> None:
        """Note that it has ended, or may have."""
        self.has_failed(HostUnusable(f"{self._where}: the worker exited during startup."))
        self.note_gone()

"""A cluster of workers on other hosts; its scheduler is in this process."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from distributed import SpecCluster

from ...dask_internals.scheduler_state import forget_worker
from ...dask_internals.spec_cluster import scheduler_of
from ..backend import Plan, StartContext
from ..deployment import Slot, SlotState
from ..nodes.listening import scheduler_spec
from ..spec_deployment import SpecDeployment
from .evenness import fullest_host_first
from .worker import SSHWorker

if TYPE_CHECKING:
    from .pool import Pool


class SSHDeployment(SpecDeployment):
    """Workers on other hosts. Made by ``start_on``."""

    _pool: Pool

    @classmethod
    async def start_on(cls, pool: Pool, plan: Plan, context: StartContext) -> SSHDeployment:
        """Start the scheduler here and the workers there.

        Raises
        ------
        StartFailed
            Nothing is left then.
        """
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
        """Return the host of each worker, as somebody named it."""
        return {str(name): host.name for host in self._pool.hosts for name in host.workers}

    def leaving(self, n: int) -> set[str]:
        # Where a host was lost and is back, its workers are on the others: they even out when some leave.
        counted = [slot for slot in self.slots() if slot.state is not SlotState.LEAVING][::-1]
        counted.sort(key=lambda slot: slot.state is SlotState.RUNNING)
        running = {slot.name for slot in counted if slot.state is SlotState.RUNNING}
        hosts = {name: host for name, host in self._hosts().items() if name in running}
        places = {host.name: host.places for host in self._pool.hosts}
        names = fullest_host_first([slot.name for slot in counted], hosts, places)
        return set(names[: max(0, len(names) - n)])

    async def close(self) -> None:
        self._pool.forget_worker = lambda name: None
        try:
            await super().close()
        finally:
            await self._pool.close()
        lost = [host.name for host in self._pool.hosts if host.unclean]
        if lost:
            raise RuntimeError(f"{', '.join(lost)} was lost while it had workers")


_OF_SPEC_CLUSTER = ("name", "asynchronous", "security", "silence_logs", "scheduler_sync_interval")

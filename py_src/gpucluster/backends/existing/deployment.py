"""The view of a scheduler started outside gpucluster. Nothing in here ends anything."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from datetime import UTC, datetime

from ...dask_internals.scheduler_state import take_worker_plugin_elsewhere
from ...telemetry.plugin import PLUGIN
from ..deployment import Deployment, Slot, SlotState
from ..scheduler.remote import RemoteScheduler

REMOVE_SECONDS = 2.0


class WatchedScheduler(RemoteScheduler):
    """Reads a scheduler started outside gpucluster, and removes its plugins at the end."""

    measure = True  # Whether its workers may get our plugin.

    async def add_worker_plugin(self, name: str, pickled: bytes) -> None:
        if self.measure:
            await super().add_worker_plugin(name, pickled)

    async def close(self) -> None:
        if self._given and self.members().ended is None:
            with suppress(Exception):
                await take_worker_plugin_elsewhere(self._client, PLUGIN, seconds=REMOVE_SECONDS)
        await super().close()


class ExistingDeployment(Deployment):
    """A scheduler and workers started outside gpucluster."""

    can = frozenset()
    why_not = "this scheduler and its workers were started outside gpucluster, which leaves them alone"

    def __init__(self, scheduler: WatchedScheduler) -> None:
        self.scheduler = scheduler
        self._since: dict[str, datetime] = {}

    def slots(self) -> list[Slot]:
        """Return the connected workers: how many there should be is unknown."""
        now = datetime.now(UTC)
        names = [worker.name for worker in self.scheduler.members().workers]
        self._since = {name: self._since.get(name, now) for name in names}
        return [Slot(name, SlotState.RUNNING, since) for name, since in self._since.items()]

    async def release(self, names: Collection[str]) -> None:
        """Refuse, because they were started outside gpucluster."""
        raise self._refusal("be stopped from here: they were started outside gpucluster")

    async def close(self) -> None:
        await self.scheduler.close()

"""When a cluster of jobs or pods that follows the load ends workers, and when it does not."""

import asyncio
from collections.abc import Collection
from datetime import UTC, datetime
from typing import Any

import pytest
from distributed.security import Security
from gpucluster.backends.backend import StartContext, load_backend
from gpucluster.backends.deployment import Slot, SlotState
from gpucluster.backends.following import Adapting
from gpucluster.backends.local import LocalSpec
from gpucluster.backends.scheduler.view import Member, Members, Retired
from gpucluster.protocol.spec import Adapt


class Scheduler:
    """Needs no worker, as Dask reports of workers that have just connected."""

    def __init__(self, *, ready: bool, n_queued: int) -> None:
        self._ready = ready
        self._n_queued = n_queued
        self.looks = 0

    def members(self) -> Members:
        workers = tuple(Member(name, name, None, 1, None, self._ready, False, False) for name in ("0-0", "0-1"))
        return Members(workers=workers, n_queued=self._n_queued, computes=self._n_queued > 0)

    async def target(self, seconds: float) -> int:
        self.looks += 1
        return 0

    async def to_close(self, count: int) -> list[str]:
        return ["0-0", "0-1"][:count]

    async def retire(self, names: Collection[str]) -> Retired:
        return Retired(gone=frozenset(names))


class Jobs:
    """One job with two workers, both connected."""

    workers_together = 2
    whole_jobs = False

    def __init__(self, scheduler: Any) -> None:
        self.scheduler = scheduler
        self.released: list[str] = []

    def slots(self) -> list[Slot]:
        now = datetime.now(UTC)
        return [Slot(name, SlotState.RUNNING, now, None, None, None, "0") for name in self.staying()]

    def staying(self) -> list[str]:
        return [name for name in ("0-0", "0-1") if name not in self.released]

    def in_the_queue(self) -> list[str]:
        return []

    async def submit(self, count: int) -> None:
        raise AssertionError("no worker is missing")

    async def release(self, names: Collection[str]) -> None:
        self.released += names


@pytest.mark.parametrize(
    ("ready", "n_queued", "stay"),
    [(False, 1, True), (True, 1, False), (False, 0, False), (True, 0, False)],
    ids=["just connected and tasks wait", "tasks that no worker can run", "just connected", "idle"],
)
async def test_new_workers_stay_while_tasks_wait(ready, n_queued, stay):
    scheduler = Scheduler(ready=ready, n_queued=n_queued)
    jobs = Jobs(scheduler)
    adapting = Adapting(jobs, Adapt(minimum=0, maximum=4, interval_seconds=0.01, wait_count=2))
    following = asyncio.create_task(adapting.run())
    while scheduler.looks < 6:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    adapting.stop()
    await following
    assert bool(jobs.released) is not stay


@pytest.mark.processes
async def test_restart_does_not_wait_for_leaving_workers(tmp_path):
    context = StartContext("0badcafe", Security.temporary(), tmp_path, "prefix")
    backend = load_backend("local")
    deployment = await backend.start(await backend.preflight(LocalSpec(n_workers=2, protocol="tls"), context), context)
    try:
        await deployment.scale(1)
        assert len(deployment.scheduler.members().workers) == 2, "Dask would wait until there are two again"
        async with asyncio.timeout(60):
            await deployment.restart()
        assert len(deployment.scheduler.members().workers) == 1
    finally:
        await deployment.close()

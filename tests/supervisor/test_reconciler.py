"""Failing steps lose no request; backoff of retries; the idle timer."""

import asyncio
import time
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from gpucluster.backends.deployment import Slot, SlotState
from gpucluster.protocol.models import ClusterState, Wanted
from gpucluster.protocol.spec import Adapt
from gpucluster.supervisor import reconciler
from gpucluster.supervisor.activity_log import WorkerTitles
from gpucluster.supervisor.idle import IdleTimer
from gpucluster.supervisor.reconciler import Backoff, Reconciler

from tests.conftest import until_async


class FailingDeployment:
    """Workers that start at once, of a queue whose service fails in one verb after a while."""

    limit = None

    def __init__(self, failing: str) -> None:
        self.failing = failing
        self.steps: list[str] = []
        self.here = 4
        members = SimpleNamespace(workers=[], named=lambda _: [])
        self.scheduler = SimpleNamespace(members=lambda: members)

    def slots(self) -> list[Slot]:
        return [Slot(str(number), SlotState.RUNNING, datetime.now(UTC)) for number in range(self.here)]

    def leaving(self, n_workers: int) -> set[str]:
        return set()

    def gives_up(self) -> None:
        return None

    async def _ask(self, verb: str) -> None:
        self.steps.append(verb)
        if verb == self.failing:
            await asyncio.sleep(0.05)
            raise ConnectionError("the service did not answer")

    async def scale(self, n_workers: int) -> None:
        await self._ask(f"scale {n_workers}")
        self.here = n_workers

    async def restart(self) -> None:
        await self._ask("restart")

    async def adapt(self, adapt: Adapt) -> None:
        await self._ask("adapt")


class Store:
    """Stands for the supervisor's store of what is wanted."""

    def __init__(self) -> None:
        self.model = SimpleNamespace(wanted=Wanted(n_workers=4), state=ClusterState.RUNNING, notice=None)

    def update(self, *, say: object = None, **changes: Any) -> None:
        vars(self.model).update(changes)


@pytest.mark.parametrize("failing", ["adapt", "scale 6", "restart"])
async def test_request_during_failing_step_is_done(failing: str) -> None:
    deployment, store, changed = FailingDeployment(failing), Store(), asyncio.Event()
    failures: list[str] = []
    log = SimpleNamespace(
        failed=failures.append, mark_leaving=lambda _: None, mark_staying=lambda *_: None, mark_lost=lambda _: None
    )
    parts = SimpleNamespace(store=store, activity_log=log, titles=WorkerTitles(), changed=changed)
    plan = SimpleNamespace(maximum_workers=100, shares_memory=False, n_workers=4)
    reconciler = Reconciler(parts, deployment, plan, queues=False, observed=dict)  # type: ignore[arg-type]
    running = asyncio.create_task(reconciler.run())
    await asyncio.sleep(0)

    def want(wanted: Wanted | None) -> None:
        if wanted is None:
            reconciler.want_restart()
        else:
            store.update(wanted=wanted)
        changed.set()

    first = {"adapt": Wanted(adapt=Adapt(minimum=1, maximum=8)), "scale 6": Wanted(n_workers=6), "restart": None}
    want(first[failing])
    await until_async(lambda: failing in deployment.steps)
    want(Wanted(n_workers=2))
    if failing != "restart":
        want(None)
    await until_async(lambda: deployment.here == 2 and not reconciler.restarting)
    want(Wanted(n_workers=2, stopped=True))
    await running
    assert deployment.steps.count(failing) == 1, "a failed step is not repeated"
    assert [failure for failure in failures if "did not answer" in failure]


def test_long_wait_is_reported_once(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(reconciler.time, "monotonic", lambda: now[0])
    backoff = Backoff()
    waits = []
    for _ in range(8):
        assert backoff.due
        backoff.note_request()
        waits.append(backoff.take_wait_to_report())
        assert backoff.take_wait_to_report() is None
        now[0] += 60.0 if backoff.due else waits[-1] or 4.0
    assert waits == [None, None, None, 8.0, 16.0, 32.0, 60.0, 60.0]


def test_use_between_updates_restarts_count() -> None:
    timer = IdleTimer(timeout_seconds=0)
    timer.update(busy=False, quiet=True, n_uses=1)
    first = timer.model()
    assert timer.expired
    timer.timeout_seconds = 60
    timer._since = time.monotonic() - 59.5
    timer._quiet_since = "2026-01-01T00:00:00Z"
    timer.update(busy=False, quiet=True, n_uses=1)
    assert timer.model() is first
    timer.update(busy=False, quiet=True, n_uses=2)
    assert not timer.expired
    time.sleep(0.6)
    assert not timer.expired, "the count restarted"
    assert timer.model().quiet_since not in {None, "2026-01-01T00:00:00Z"}
    timer.update(busy=True, quiet=False, n_uses=3)
    assert (timer.model().idle_since, timer.model().stops_at, timer.model().quiet_since) == (None, None, None)
    timer.update(busy=False, quiet=True, n_uses=3)
    assert timer.model().idle_since is not None

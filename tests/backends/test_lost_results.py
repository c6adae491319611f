"""What is known of results and data that were lost with their workers."""

import asyncio
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from distributed import Client, KilledWorker, Scheduler, Worker
from gpucluster.backends.scheduler import reader
from gpucluster.backends.scheduler.in_process import InProcessScheduler
from gpucluster.backends.scheduler.view import Failing
from gpucluster.protocol.messages import MessageCode
from gpucluster.supervisor.members import _failed


@dataclass
class Lab:
    """A scheduler in this process with its view and a client; workers are added and lost by name."""

    scheduler: Scheduler
    view: InProcessScheduler
    client: Client
    go: Path  # Tasks wait until it exists.
    workers: list[Worker] = field(default_factory=list)

    async def add(self) -> Worker:
        options: dict[str, Any] = {"host": "127.0.0.1", "dashboard": False}
        worker = await Worker(self.scheduler.address, name=str(len(self.workers)), nthreads=1, **options)
        self.workers.append(worker)
        return worker

    async def lose(self, worker: Worker) -> None:
        await self.scheduler.remove_worker(worker.address, stimulus_id="lost", close=True)

    def row(self, kind: str) -> dict[str, Any]:
        return next(row for row in self.view.tasks()[1] if row["prefix"] == kind)


@pytest.fixture
async def lab(tmp_path):
    """A lab with one worker."""
    async with Scheduler(host="127.0.0.1", port=0, dashboard_address="127.0.0.1:0") as scheduler:
        view = InProcessScheduler(scheduler)
        async with Client(scheduler.address, asynchronous=True, set_as_default=False) as client:
            made = Lab(scheduler, view, client, tmp_path / "go")
            await made.add()
            yield made
            made.go.touch()
        for worker in made.workers:
            await worker.close(nanny=False)
        await view.close()


async def test_lost_results_are_counted_once_and_missing_until_they_are_back(lab):
    client, view, [first] = lab.client, lab.view, lab.workers
    lab.go.touch()
    kept = client.map(_made_when, [lab.go] * 4, pure=False)
    await client.gather(kept)
    scattered = await client.scatter([1, 2, 3], hash=False)
    second = await lab.add()
    more = await client.scatter(4, workers=[second.address], hash=False)
    await lab.lose(first)
    await client.gather(kept)
    assert lab.row("int") == {"prefix": "int", "in_memory": 1}, "lost data is not done"
    await lab.add()
    lab.go.unlink()
    await lab.lose(second)
    assert view.members().n_recomputing == 4
    gone = view.members().gone
    assert [(one.n_recomputed, one.n_lost) for one in gone] == [(4, 3), (0, 1)], (
        "results just counted are not counted again"
    )
    assert [one.window for one in gone] == [1, 1]
    lab.go.touch()
    await client.gather(kept)
    assert view.members().n_recomputing == 0
    del scattered, more


async def test_a_lost_result_counts_once_until_it_is_back(lab, monkeypatch):
    """However often it is lost meanwhile, with inputs that are computed for it only."""
    client, view = lab.client, lab.view
    lab.go.touch()
    parts = client.map(float, range(3), pure=False)
    kept = [client.submit(_made_from, lab.go, part, pure=False) for part in parts]
    await client.gather(kept)
    del parts
    while lab.row("float").get("in_memory"):  # noqa: ASYNC110
        await asyncio.sleep(0.02)
    lab.go.unlink()
    await lab.lose(lab.workers[0])
    for _ in range(2):
        worker = await lab.add()
        while not lab.row("float").get("in_memory"):  # noqa: ASYNC110
            await asyncio.sleep(0.02)
        monkeypatch.setattr(reader, "TOGETHER_SECONDS", 0.0)
        await lab.lose(worker)
    assert view.members().n_recomputing == 3
    assert [(one.n_recomputed, one.window) for one in view.members().gone] == [(3, 1), (0, 2), (0, 3)]
    worker = await lab.add()
    lab.go.touch()
    await client.gather(kept)
    assert view.members().n_recomputing == 0
    await lab.lose(worker)
    assert view.members().gone[-1].n_recomputed == 3


async def test_a_task_whose_worker_died_has_no_traceback(lab):
    lab.scheduler.allowed_failures = 0
    raised, killed = lab.client.submit(_fail), lab.client.submit(_made_when, lab.go)
    await raised.exception()
    while not next(iter(lab.scheduler.workers.values())).processing:  # noqa: ASYNC110
        await asyncio.sleep(0.02)
    await lab.lose(lab.workers[0])
    assert isinstance(await killed.exception(), KilledWorker)
    traced = {one.task: one.has_traceback for one in lab.view.members().failures}
    assert traced == {"fail": True, "made_when": False}
    assert [one["worker"] for one in await lab.view.failures()] == [None, None], "no address for its name"
    killing = Failing("f", 1, "1 workers died while running it (KilledWorker)", has_traceback=False)
    message = _failed(killing, MessageCode.TASKS_KILLED)
    assert (message.code, message.level, message.subject) == ("tasks_killed", "error", "f")


def _made_when(path: Path) -> int:
    while not path.exists():
        time.sleep(0.02)
    return 1


def _made_from(path: Path, number: float) -> float:
    return _made_when(path) + number


def _fail() -> None:
    raise ValueError("no")

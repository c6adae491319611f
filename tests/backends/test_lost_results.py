"""What is known of results and data that were lost with their workers."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest
from distributed import Client, KilledWorker, Scheduler, Worker
from gpucluster.backends.scheduler import reader
from gpucluster.backends.scheduler.in_process import InProcessScheduler
from gpucluster.backends.scheduler.view import Failing
from gpucluster.protocol.messages import MessageCode
from gpucluster.supervisor.members import _failed

_OPTIONS: dict[str, Any] = {"host": "127.0.0.1", "dashboard": False}


async def test_lost_results_are_counted_once_and_missing_until_they_are_back(tmp_path: Path) -> None:
    go = tmp_path / "go"
    go.touch()
    async with Scheduler(host="127.0.0.1", port=0, dashboard_address="127.0.0.1:0") as scheduler:
        view = InProcessScheduler(scheduler)
        async with Client(scheduler.address, asynchronous=True, set_as_default=False) as client:
            first = await _worker(scheduler, "0")
            kept = client.map(_made_when, [go] * 4, pure=False)
            await client.gather(kept)
            scattered = await client.scatter([1, 2, 3], hash=False)
            second = await _worker(scheduler, "1")
            more = await client.scatter(4, workers=[second.address], hash=False)
            await _lose(scheduler, first)
            await client.gather(kept)
            assert _row(view, "int") == {"prefix": "int", "in_memory": 1}, "what is lost is not done"
            third = await _worker(scheduler, "2")
            go.unlink()
            await _lose(scheduler, second)
            assert view.members().n_recomputing == 4
            gone = view.members().gone
            assert [(one.n_anew, one.n_lost) for one in gone] == [(4, 3), (0, 1)], "not those of a moment ago again"
            assert [one.window for one in gone] == [1, 1]
            go.touch()
            await client.gather(kept)
            assert view.members().n_recomputing == 0
            del scattered, more
        for worker in (first, second, third):
            await worker.close(nanny=False)
        await view.close()


async def test_a_lost_result_counts_once_until_it_is_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However often it is lost meanwhile, with what is computed for it only."""
    go = tmp_path / "go"
    go.touch()
    async with Scheduler(host="127.0.0.1", port=0, dashboard_address="127.0.0.1:0") as scheduler:
        view = InProcessScheduler(scheduler)
        async with Client(scheduler.address, asynchronous=True, set_as_default=False) as client:
            first = await _worker(scheduler, "0")
            parts = client.map(float, range(3), pure=False)
            kept = [client.submit(_made_from, go, part, pure=False) for part in parts]
            await client.gather(kept)
            del parts
            while _row(view, "float").get("in_memory"):  # noqa: ASYNC110
                await asyncio.sleep(0.02)
            go.unlink()
            await _lose(scheduler, first)
            workers = [first]
            try:
                for name in ("1", "2"):
                    workers.append(await _worker(scheduler, name))
                    while not _row(view, "float").get("in_memory"):  # noqa: ASYNC110
                        await asyncio.sleep(0.02)
                    monkeypatch.setattr(reader, "TOGETHER_SECONDS", 0.0)
                    await _lose(scheduler, workers[-1])
                assert view.members().n_recomputing == 3
                assert [(one.n_anew, one.window) for one in view.members().gone] == [(3, 1), (0, 2), (0, 3)]
                workers.append(await _worker(scheduler, "3"))
            finally:
                go.touch()
            await client.gather(kept)
            assert view.members().n_recomputing == 0
            await _lose(scheduler, workers[-1])
            assert view.members().gone[-1].n_anew == 3
        for worker in workers:
            await worker.close(nanny=False)
        await view.close()


async def test_a_task_whose_worker_died_has_no_traceback(tmp_path: Path) -> None:
    async with Scheduler(host="127.0.0.1", port=0, dashboard_address="127.0.0.1:0") as scheduler:
        scheduler.allowed_failures = 0
        view = InProcessScheduler(scheduler)
        async with Client(scheduler.address, asynchronous=True, set_as_default=False) as client:
            worker = await _worker(scheduler, "0")
            raised, killed = client.submit(_fail), client.submit(_made_when, tmp_path / "go")
            await raised.exception()
            while not next(iter(scheduler.workers.values())).processing:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
            await _lose(scheduler, worker)
            assert isinstance(await killed.exception(), KilledWorker)
            traced = {one.task: one.has_traceback for one in view.members().failures}
            assert traced == {"fail": True, "made_when": False}
            assert [one["worker"] for one in await view.failures()] == [None, None], "no address for its name"
            (tmp_path / "go").touch()
        await worker.close(nanny=False)
        await view.close()
    killing = Failing("f", 1, "1 workers died while running it (KilledWorker)", has_traceback=False)
    told = _failed(killing, MessageCode.TASKS_KILLED)
    assert (told.code, told.level, told.subject) == ("tasks_killed", "error", "f")


async def _worker(scheduler: Scheduler, name: str) -> Worker:
    return await Worker(scheduler.address, name=name, nthreads=1, **_OPTIONS)


async def _lose(scheduler: Scheduler, worker: Worker) -> None:
    await scheduler.remove_worker(worker.address, stimulus_id="lost", close=True)


def _made_when(path: Path) -> int:
    while not path.exists():
        time.sleep(0.02)
    return 1


def _made_from(path: Path, number: float) -> float:
    return _made_when(path) + number


def _fail() -> None:
    raise ValueError("no")


def _row(view: InProcessScheduler, kind: str) -> dict[str, Any]:
    return next(row for row in view.tasks()[1] if row["prefix"] == kind)

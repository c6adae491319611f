"""Canaries: what an interrupt leaves behind."""

import asyncio
import gc

import pytest
from distributed import Client, as_completed
from gpucluster.dask_internals import clients, interrupts
from gpucluster.dask_internals.collections import frames_of

from tests.conftest import until_async

NEVER = {"resources": {"none": 1}, "pure": False}
"""Options of tasks that no worker can run."""


def three_frames_deep(client, level=3):
    if level > 1:
        three_frames_deep(client, level - 1)
    held = {"futures": client.map(abs, range(3), **NEVER)}
    raise KeyboardInterrupt(len(held))


def nested(client):
    futures = client.map(abs, range(3), **NEVER)

    def inner():
        raise KeyboardInterrupt(len(futures))

    inner()


def completed(client, **options):
    for _ in as_completed(client.map(abs, range(3), **NEVER), loop=client.loop, **options):
        raise AssertionError


PLACES = {
    "three frames deep": three_frames_deep,
    "closure": nested,
    "gather": lambda client: client.gather(client.map(abs, range(3), **NEVER)),
    "result": lambda client: [future.result() for future in client.map(abs, range(3), **NEVER)],
    "as_completed": completed,
    "as_completed with results": lambda client: completed(client, with_results=True),
}


@pytest.mark.parametrize("call", PLACES.values(), ids=PLACES)
def test_interrupt_forgets_futures(here, canary, wait_until, monkeypatch, call):
    kept = here.client.submit(abs, -1, pure=False)
    gc.collect()
    wait_until(lambda: kept.key in here.scheduler.tasks)
    before = set(here.scheduler.tasks)
    with canary("futures in frames, and as_completed._track_future"):
        monkeypatch.setattr(as_completed, "__next__", interrupted_next)
        monkeypatch.setattr(Client, "sync", interrupted_sync)
        with pytest.raises(KeyboardInterrupt) as stored:
            call(here.client)
        monkeypatch.undo()
        # From Python 3.12 on, the list comprehension leaves one future; an earlier test's task may still go.
        wait_until(lambda: here.scheduler.tasks.keys() - before)
        interrupts.forget_futures(stored.value)
        wait_until(lambda: kept.key in here.scheduler.tasks and set(here.scheduler.tasks) <= before)
    assert kept.result(timeout=60) == 1
    assert any(frames_of(stored.value))


def interrupted_next(self):
    """Stand for ``as_completed.__next__`` during an interrupted wait."""
    raise KeyboardInterrupt


def interrupted_sync(self, function, *arguments, **options):
    """Stand for ``Client.sync`` during an interrupted wait."""
    raise KeyboardInterrupt


def test_variables_without_futures_are_kept(here):
    kept = here.client.submit(abs, -1, pure=False)
    steps = iter(range(5))

    def loop(number):
        raise KeyboardInterrupt(number, next(steps))

    with pytest.raises(KeyboardInterrupt) as stored:
        loop(7)
    interrupts.forget_futures(stored.value)
    assert [*frames_of(stored.value)][0][-1].f_locals["number"] == 7
    assert kept.result(timeout=60) == 1


async def test_used_as_completed_is_kept(here):
    async with Client(here.scheduler.address, set_as_default=False, asynchronous=True) as client:
        waits = as_completed([client.submit(abs, -2, pure=False)], loop=client.loop)
        interrupts.forget_futures(KeyboardInterrupt())
        await asyncio.sleep(0)
        assert [await future async for future in waits] == [2]


async def test_cancelled_gather_logs_nothing(here, canary):
    reports = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _loop, context: reports.append(context))
    async with clients.ClientOfCluster(here.scheduler.address, set_as_default=False, asynchronous=True) as client:
        futures = client.map(abs, range(3), **NEVER)
        gathering = asyncio.ensure_future(client.gather(futures))
        with canary("the coroutine Client._gather, which has a task of a coroutine 'wait' for each future"):
            waits = f"{Client._gather.__qualname__}.<locals>.wait"
            await until_async(lambda: len(list(interrupts.tasks_of(waits))) == 3)
            tasks = list(interrupts.tasks_of(waits))
            gathering.cancel()
            await asyncio.wait([gathering])
            await client.cancel(futures)
            await asyncio.wait(tasks)
            del tasks
    gc.collect()
    assert reports == []

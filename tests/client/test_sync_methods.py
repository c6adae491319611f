"""Verbs that start when called, the background loop, and Ctrl-C."""

import asyncio
import threading
from typing import Any

import pytest
from gpucluster.client.background import background_loop, run
from gpucluster.client.sync_methods import eager_sync_and_async


class Verbs:
    """A verb that records its start and its cancellation."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    @eager_sync_and_async
    async def count(self, number: int) -> int:
        self.seen.append(f"begins {number}")
        try:
            await asyncio.sleep(0.01 if number else 60)
        except asyncio.CancelledError:
            self.seen.append(f"cancelled {number}")
            raise
        return number


async def test_verb_runs_unawaited_and_is_cancelled_with_its_waiter() -> None:
    verbs = Verbs()
    verbs.count(1)
    assert [await verbs.count(2), await asyncio.create_task(verbs.count(3))] == [2, 3]
    assert await asyncio.gather(verbs.count(4), verbs.count(5)) == [4, 5]
    waiting = asyncio.create_task(verbs.count(0))
    while "begins 0" not in verbs.seen:  # noqa: ASYNC110  # there is no event
        await asyncio.sleep(0)
    await asyncio.sleep(0.01)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert verbs.seen == [*(f"begins {number}" for number in (1, 2, 3, 4, 5, 0)), "cancelled 0"]
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(verbs.count(0), 0.01)


def test_without_loop_starts_when_awaited() -> None:
    verbs = Verbs()
    assert asyncio.run(verbs.count(1)) == 1
    assert verbs.seen == ["begins 1"]


def test_interrupt_during_handover_cancels(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a busy machine, the work has started before the call that starts it returns."""
    begun, cleaned_up = threading.Event(), threading.Event()
    loop = background_loop()
    hand_over = loop.call_soon_threadsafe

    def interrupted(*what: Any) -> None:
        monkeypatch.undo()
        hand_over(*what)
        begun.wait()
        raise KeyboardInterrupt

    async def work() -> None:
        begun.set()
        try:
            await asyncio.sleep(600)
        finally:
            cleaned_up.set()

    monkeypatch.setattr(loop, "call_soon_threadsafe", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run(work())
    assert cleaned_up.is_set()


def test_cancelled_verb_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> None:
        raise AssertionError

    def interrupted(*what: Any) -> None:
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr(background_loop(), "call_soon_threadsafe", interrupted)
    coroutine = work()
    with pytest.raises(KeyboardInterrupt):
        run(coroutine)
    assert coroutine.cr_frame is None, "closed"

"""Work on the background loop, and Ctrl-C."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from gpucluster.client.background import background_loop, run


def test_an_interrupt_while_the_work_is_handed_over_cancels_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has begun, and the call that was to begin it has not returned: as on a machine that is busy."""
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


def test_work_that_has_not_begun_never_does(monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> None:
        raise AssertionError

    def interrupted(*what: Any) -> None:
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr(background_loop(), "call_soon_threadsafe", interrupted)
    coroutine = work()
    with pytest.raises(KeyboardInterrupt):
        run(coroutine)
    assert coroutine.cr_frame is None, "closed: nobody waits for it"

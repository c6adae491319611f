"""Work that ends early when a stop is wanted."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

from .state_store import StateStore

Result = TypeVar("Result")


async def unless_stopped(store: StateStore, changed: asyncio.Event, work: Coroutine[Any, Any, Result]) -> Result | None:
    """Do the work, and cancel it as soon as a stop is wanted.

    Parameters
    ----------
    store : StateStore
        Says what is wanted.
    changed : asyncio.Event
        Set whenever that has changed.
    work : coroutine
        What to do.

    Returns
    -------
    Any
        What the work returns; ``None`` where it was cancelled.
    """
    task = asyncio.create_task(work)
    while not task.done():
        changed.clear()
        if store.model.wanted.stopped:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            return None
        waiter = asyncio.create_task(changed.wait())
        await asyncio.wait({task, waiter}, return_when=asyncio.FIRST_COMPLETED)
        waiter.cancel()
    return await task

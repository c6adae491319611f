"""Event loops of Dask's clients and servers, and the threads that they run in."""

from __future__ import annotations

import asyncio
import threading
from typing import Any


def asyncio_loop(owner: Any) -> asyncio.AbstractEventLoop:
    """Return the asyncio loop of a client or worker: ``loop.asyncio_loop``, as tornado names it (2021.1)."""
    loop: asyncio.AbstractEventLoop = owner.loop.asyncio_loop
    return loop


def shares_running_loop(client: Any) -> bool:
    """Whether a client runs in the event loop that runs in this thread. Relies on the same as ``asyncio_loop``."""
    try:
        running = asyncio.get_running_loop()
    except RuntimeError:
        return False
    return getattr(client.loop, "asyncio_loop", None) is running


def in_client_thread() -> bool:
    """Whether this is the thread in which a synchronous client of this process runs its event loop.

    Relies on that thread being named ``IO loop`` (``distributed.utils.LoopRunner``, 2021.1).
    """
    return threading.current_thread().name == "IO loop"

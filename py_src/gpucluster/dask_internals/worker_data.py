"""Results that workers keep, and their threads, for what runs beside tasks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any


def held(worker: Any, key: Any) -> Any:
    """Return a result that a worker keeps, from disk if need be: ``Worker.data``, a mapping (2021.1).

    Raises
    ------
    KeyError
        It does not keep it.
    """
    return worker.data[key]


async def fetched(worker: Any, address: str, keys: list[Any]) -> dict[Any, Any]:
    """Return results that another worker keeps; without those it has no more, or cannot send now.

    Relies on the coroutine function ``distributed.worker.get_data_from_worker(rpc, keys, worker, who)``, whose answer
    has ``status`` and, if that is ``"OK"``, ``data`` by key (2022.6), and on ``Worker.rpc`` (2021.1).
    """
    from distributed.worker import get_data_from_worker

    answer = await get_data_from_worker(worker.rpc, keys, address, who=worker.address)
    return dict(answer["data"]) if answer["status"] == "OK" else {}


async def in_thread(worker: Any, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function in one of the threads that a worker's tasks run in: ``Worker.executors["default"]`` (2021.4)."""
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(worker.executors["default"], function, *arguments)

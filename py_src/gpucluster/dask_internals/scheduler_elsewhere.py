"""Handlers of a scheduler in another process that distributed has and does not document, asked by a client."""

from __future__ import annotations

from typing import Any


async def target_elsewhere(client: Any, seconds: float) -> int:
    """Return with how many workers all would be done in that time.

    Relies on ``Client.scheduler`` and the handler ``adaptive_target(target_duration=)`` (2022.1).
    """
    return int(await client.scheduler.adaptive_target(target_duration=seconds))


async def to_close_elsewhere(client: Any, count: int, key: bytes | None = None) -> list[str]:
    """Return the names of so many workers that are needed least; ``key`` is a pickled function that groups them.

    Relies on the handler ``workers_to_close(n=, attribute=, key=)`` (2021.1).
    """
    found = await client.scheduler.workers_to_close(n=count, attribute="name", key=key)
    return [str(name) for name in found]


async def forget_worker_elsewhere(client: Any, address: str) -> None:
    """Let a worker go whose machine is gone, before the scheduler itself notices; its tasks are not blamed.

    Relies on the handler ``unregister(address=, stimulus_id=, expected=, close=)`` (2022.11).
    """
    await client.scheduler.unregister(address=address, stimulus_id="gpucluster-gone", expected=True, close=False)

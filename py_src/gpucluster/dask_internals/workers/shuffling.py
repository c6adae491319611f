"""Bytes that Dask's peer-to-peer shuffles move, which transfer logs do not include."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .following import Following, follow_handler


def follow_sent_shards(follower: Callable[[str, str, int], None]) -> Following | None:
    """Call a follower for each message of shards that a worker of this process sends.

    Relies on the private coroutine ``distributed.shuffle._core.ShuffleRun._send(address, shards)``, through which all
    shuffles send, and on ``ShuffleRun.local_address`` (2024.2).

    `follower`: gets the addresses of the sending and the receiving worker, which may be the same, and the bytes.
    Returns None if this Dask has no such shuffles.
    """
    try:
        from distributed.shuffle._core import ShuffleRun
    except ImportError:
        return None
    run: Any = ShuffleRun
    if not hasattr(run, "_send"):
        return None
    return Following(lambda: run._send, lambda value: setattr(run, "_send", value), _sending, follower)


def follow_received_shards(worker: Any, follower: Callable[[int], None]) -> Following | None:
    """Call a follower with the bytes of each message of shards that a worker receives, including its own.

    Relies on ``Worker.handlers["shuffle_receive"]``, a coroutine function with the argument ``data`` (2023.9).
    Returns None if this Dask has no such shuffles.
    """
    if "shuffle_receive" not in worker.handlers:
        return None

    return follow_handler(
        worker.handlers, "shuffle_receive", lambda message: follower(shard_bytes(message.get("data")))
    )


def _sending(original: Any, followers: list[Any]) -> Any:
    @functools.wraps(original)
    async def followed(self: Any, address: str, shards: Any) -> Any:
        n_bytes = shard_bytes(shards)
        for follower in followers:
            follower(self.local_address, address, n_bytes)
        return await original(self, address, shards)

    return followed


def shard_bytes(value: Any) -> int:
    """Return the bytes of a message of shards: nested lists of tables, arrays and bytes."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return len(value)
    if isinstance(value, (list, tuple)):
        return sum(map(shard_bytes, value))
    if isinstance(value, dict):
        return sum(map(shard_bytes, value.values()))
    found = getattr(value, "nbytes", 0)
    return int(found) if isinstance(found, int) else 0

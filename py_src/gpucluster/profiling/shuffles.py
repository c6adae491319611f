"""Bytes that Dask's peer-to-peer shuffles send, which no log of transfers shows.

This module also runs on workers, where it is sent by value: it imports nothing else of this package.
"""

from __future__ import annotations

from typing import Any


def _size(value: Any) -> int:
    """Return the bytes of a message of shards: nested lists of arrays and bytes."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return len(value)
    if isinstance(value, (list, tuple)):
        return sum(_size(item) for item in value)
    if isinstance(value, dict):
        return sum(_size(item) for item in value.values())
    size = getattr(value, "nbytes", 0)
    return int(size) if isinstance(size, int) else 0


def count_shuffles(address: str) -> bool:
    """Add up what the shuffles of one worker send; returns whether that can be done with this Dask."""
    try:
        from distributed.shuffle._core import ShuffleRun
    except ImportError:
        return False
    run: Any = ShuffleRun
    if not hasattr(run, "_send"):
        return False
    if not hasattr(run, "_sent_by_address"):
        original = run._send
        sent: dict[str, int] = {}

        async def counted(self: Any, to: str, shards: Any) -> Any:
            if to != self.local_address and self.local_address in sent:
                sent[self.local_address] += _size(shards)
            return await original(self, to, shards)

        run._sent_by_address = sent
        run._send = counted
        run._send_before = original
    run._sent_by_address[address] = 0
    return True


def shuffled_bytes(address: str) -> int | None:
    """Return what the shuffles of one worker have sent since ``count_shuffles``."""
    from distributed.shuffle._core import ShuffleRun

    found = getattr(ShuffleRun, "_sent_by_address", {}).get(address)
    return None if found is None else int(found)


def stop_counting_shuffles(address: str) -> None:
    """Undo ``count_shuffles``."""
    from distributed.shuffle._core import ShuffleRun

    run: Any = ShuffleRun
    sent = getattr(run, "_sent_by_address", None)
    if sent is None:
        return
    sent.pop(address, None)
    if not sent:  # Threads may be several workers in one process.
        run._send = run._send_before
        del run._sent_by_address, run._send_before

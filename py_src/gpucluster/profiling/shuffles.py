"""Bytes that Dask's peer-to-peer shuffles send, which no log of transfers shows.

This module also runs on workers, where it is sent by value: it imports nothing else of this package. Measurements
that overlap share one hook, which hangs on Dask's class.
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


class ShuffleBytes:
    """Adds up what the shuffles of one worker send from now on.

    Parameters
    ----------
    address : str
        Of the worker: threads may be several workers in one process.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self._n_bytes = 0
        self._run = _shuffle_run()
        self._hook: Any = None
        if self._run is None:
            return
        if not hasattr(self._run._send, "gpucluster_counters"):
            self._run._send = _counting(self._run._send)
        self._hook = self._run._send
        self._hook.gpucluster_counters.append(self)

    @property
    def n_bytes(self) -> int | None:
        """None where it cannot be known: another Dask, or somebody has put something else in our place."""
        return self._n_bytes if self._hook is not None and self._run._send is self._hook else None

    def add(self, shards: Any) -> None:
        """Add up one message."""
        self._n_bytes += _size(shards)

    def stop(self) -> None:
        """Add up no more; the last to go leaves Dask's class as it was."""
        if self._hook is None:
            return
        counters = self._hook.gpucluster_counters
        if self in counters:
            counters.remove(self)
        if not counters and self._run._send is self._hook:
            self._run._send = self._hook.gpucluster_before


def _shuffle_run() -> Any:
    try:
        from distributed.shuffle._core import ShuffleRun
    except ImportError:
        return None
    return ShuffleRun if hasattr(ShuffleRun, "_send") else None


def _counting(original: Any) -> Any:
    async def counted(self: Any, to: str, shards: Any) -> Any:
        if to != self.local_address:
            for counter in counters:
                if counter.address == self.local_address:
                    counter.add(shards)
        return await original(self, to, shards)

    hook: Any = counted
    counters: list[Any] = []
    hook.gpucluster_counters, hook.gpucluster_before = counters, original
    return hook

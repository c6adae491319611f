"""What one worker sends and receives from now on. Several measurements at once may add it up."""

from __future__ import annotations

import heapq
from typing import Any, Literal

from ...dask_internals.shuffling import follow_sent_shards
from ...dask_internals.transfers import follow_transfers

MOST_TRANSFERS = 500


class TransferSums:
    """Adds up the results that one worker sends, or receives.

    Parameters
    ----------
    worker : distributed.Worker
    direction : str
    """

    def __init__(self, worker: Any, direction: Literal["incoming", "outgoing"]) -> None:
        self.worker_bytes = 0
        self.client_bytes = 0
        self.n_transfers = 0
        self.largest: list[tuple[int, float, float, str]] = []
        self._following = follow_transfers(worker, direction, self._add)

    @property
    def whole(self) -> bool:
        """Whether nothing has been missed."""
        return self._following.whole

    def stop(self) -> None:
        """Add up no more."""
        self._following.stop()

    def _add(self, entry: dict[str, Any]) -> None:
        """Add up one transfer. A reader without an address is a client, or the scheduler on its behalf."""
        size = int(entry.get("total") or 0)
        if entry.get("who"):
            self.worker_bytes += size
        else:
            self.client_bytes += size
        self.n_transfers += 1
        item = (size, float(entry["start"]), float(entry["stop"]), str(entry.get("who") or ""))
        if len(self.largest) < MOST_TRANSFERS:
            heapq.heappush(self.largest, item)
        elif item > self.largest[0]:
            heapq.heapreplace(self.largest, item)


class ShuffledBytes:
    """Adds up what the peer-to-peer shuffles of one worker send to others.

    Parameters
    ----------
    address : str
        Of the worker: threads may be several workers in one process.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._n_bytes = 0
        self._following = follow_sent_shards(self._add)

    @property
    def n_bytes(self) -> int | None:
        """None where it cannot be known: another Dask, or somebody has put something else in our place."""
        return self._n_bytes if self._following is not None and self._following.whole else None

    def stop(self) -> None:
        """Add up no more."""
        if self._following is not None:
            self._following.stop()

    def _add(self, source: str, target: str, n_bytes: int) -> None:
        if source == self._address != target:
            self._n_bytes += n_bytes

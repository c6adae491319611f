"""A worker's log of transfers, which several measurements at once may add up.

This module also runs on workers, where it is sent by value: it imports nothing else of this package. What two
measurements of one worker share hangs on the worker's own log, for each brings classes of its own.
"""

from __future__ import annotations

import heapq
from collections import deque
from typing import Any

MOST_TRANSFERS = 500
_FOLLOWERS = "gpucluster_followers"


class FollowedLog(deque[dict[str, Any]]):
    """A worker's log of transfers that tells its followers each entry. Dask's own keeps only the last thousand."""

    def __init__(self, before: deque[dict[str, Any]]) -> None:
        super().__init__(before, maxlen=before.maxlen)
        self.gpucluster_followers: list[Any] = []

    def append(self, entry: dict[str, Any]) -> None:
        """Keep an entry, and tell it."""
        super().append(entry)
        for follower in self.gpucluster_followers:
            follower.add(entry)


class TransferSums:
    """Adds up the transfers of one worker from now on.

    Parameters
    ----------
    worker : distributed.Worker
    attribute : str
        Of the worker: which of its logs.
    """

    def __init__(self, worker: Any, attribute: str) -> None:
        self.worker_bytes = 0
        self.client_bytes = 0
        self.n_transfers = 0
        self.largest: list[tuple[int, float, float, str]] = []
        self._worker = worker
        self._attribute = attribute
        log = getattr(worker, attribute)
        if not hasattr(log, _FOLLOWERS):
            log = FollowedLog(log)
            setattr(worker, attribute, log)
        self._log = log
        getattr(log, _FOLLOWERS).append(self)

    @property
    def whole(self) -> bool:
        """Whether nothing has been missed: the worker still writes into the log that is followed."""
        return getattr(self._worker, self._attribute) is self._log

    def add(self, entry: dict[str, Any]) -> None:
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

    def stop(self) -> None:
        """Add up no more; the last to go leaves the worker a log of Dask's kind."""
        followers = getattr(self._log, _FOLLOWERS)
        if self in followers:
            followers.remove(self)
        if not followers and self.whole:
            setattr(self._worker, self._attribute, deque(self._log, maxlen=self._log.maxlen))

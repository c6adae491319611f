"""A worker's log of transfers that adds up.

This module also runs on workers, where it is sent by value: it imports nothing else of this package.
"""

from __future__ import annotations

import heapq
from collections import deque
from typing import Any

MOST_TRANSFERS = 500


class TransferLog(deque[dict[str, Any]]):
    """A worker's log of transfers that also adds them up. Dask's own keeps only the last thousand."""

    def __init__(self, before: deque[dict[str, Any]]) -> None:
        super().__init__(before, maxlen=before.maxlen)
        self.worker_bytes = 0
        self.client_bytes = 0
        self.n_transfers = 0
        self.largest: list[tuple[int, float, float, str]] = []

    def append(self, entry: dict[str, Any]) -> None:
        """Add up one transfer. A reader without an address is a client, or the scheduler on its behalf."""
        super().append(entry)
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

"""Bytes that a worker has sent and received since its start, Dask's peer-to-peer shuffles included.

Dask keeps the total of results sent. Of results received it keeps a log of the last ones only, and of shuffles nothing.
"""

from __future__ import annotations

from typing import Any

from ..dask_internals.shuffling import follow_received_shards, follow_sent_shards
from ..dask_internals.transfers import follow_transfers, sent_bytes


class Transfers:
    """Counts the transfers of one worker from now on.

    Parameters
    ----------
    worker : distributed.Worker
    """

    def __init__(self, worker: Any) -> None:
        self._worker = worker
        self._address = worker.address
        self._received = self._sent_shards = self._received_shards = 0
        self._results = follow_transfers(worker, "incoming", self._add_received)
        shards = [
            follow_sent_shards(self._add_sent_shards),
            follow_received_shards(worker, self._add_received_shards),
        ]
        self._counts_shuffles = None not in shards
        self._following = [self._results, *(one for one in shards if one is not None)]

    def figures(self) -> dict[str, int | None]:
        """Return both counters; what is received is not known once something else has replaced the worker's log."""
        sent, received = sent_bytes(self._worker), self._received
        if self._counts_shuffles:
            sent += self._sent_shards
            received += max(0, self._received_shards)
        return {"sent_bytes": sent, "received_bytes": received if self._results.whole else None}

    def stop(self) -> None:
        """Count no more."""
        for following in self._following:
            following.stop()

    def _add_received(self, entry: dict[str, Any]) -> None:
        self._received += int(entry.get("total") or 0)

    def _add_sent_shards(self, source: str, target: str, n_bytes: int) -> None:
        if source != self._address:
            return  # Threads may be several workers in one process.
        if target == self._address:
            self._received_shards -= n_bytes  # It will be received, and has not moved.
        else:
            self._sent_shards += n_bytes

    def _add_received_shards(self, n_bytes: int) -> None:
        self._received_shards += n_bytes

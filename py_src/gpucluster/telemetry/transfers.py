"""Bytes that a worker has sent and received since its start, Dask's peer-to-peer shuffles included.

Dask keeps the total of results sent. Of results received it keeps a log of the last ones only, and of shuffles nothing.
"""

from __future__ import annotations

import functools
from typing import Any

_sent_by_shuffles: dict[str, int] = {}
"""By address of the worker: threads may be several workers in one process."""
_sent_to_itself: dict[str, int] = {}


class Transfers:
    """Counts the transfers of one worker from now on.

    Parameters
    ----------
    worker : distributed.Worker
    """

    def __init__(self, worker: Any) -> None:
        self._worker = worker
        self._address = worker.address
        self._results = 0
        self._shuffled = 0
        self._count_results()
        self._counts_shuffles = _count_sent_shards(self._address) and self._count_received_shards()

    def figures(self) -> dict[str, int]:
        """Return both counters."""
        sent = self._worker.transfer_outgoing_bytes_total
        received = self._results
        if self._counts_shuffles:
            sent += _sent_by_shuffles.get(self._address, 0)
            received += max(0, self._shuffled - _sent_to_itself.get(self._address, 0))
        return {"sent_bytes": sent, "received_bytes": received}

    def _count_results(self) -> None:
        worker = self._worker
        log_one = worker._update_metrics_received_data

        @functools.wraps(log_one)
        def counted(*args: Any, **kwargs: Any) -> None:
            log_one(*args, **kwargs)
            log = worker.transfer_incoming_log
            if log:  # A site may have set its length to 0.
                self._results += int(log[-1].get("total") or 0)

        worker._update_metrics_received_data = counted

    def _count_received_shards(self) -> bool:
        handlers = self._worker.handlers
        receive = handlers.get("shuffle_receive")
        if receive is None:
            return False

        @functools.wraps(receive)
        async def counted(*args: Any, **kwargs: Any) -> Any:
            self._shuffled += shard_bytes(kwargs.get("data"))
            return await receive(*args, **kwargs)

        handlers["shuffle_receive"] = counted
        return True


def _count_sent_shards(address: str) -> bool:
    try:
        from distributed.shuffle._core import ShuffleRun
    except ImportError:
        return False
    run: Any = ShuffleRun
    if not hasattr(run, "_send"):
        return False
    _sent_by_shuffles[address] = _sent_to_itself[address] = 0
    if not hasattr(run, "_counted_by_gpucluster"):
        send = run._send

        @functools.wraps(send)
        async def counted(self: Any, address: str, shards: Any) -> Any:
            sent = _sent_to_itself if address == self.local_address else _sent_by_shuffles
            if self.local_address in sent:
                sent[self.local_address] += shard_bytes(shards)
            return await send(self, address, shards)

        run._send = counted
        run._counted_by_gpucluster = True
    return True


def shard_bytes(value: Any) -> int:
    """Return the bytes of a message of shards: nested lists of tables, arrays and bytes."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return len(value)
    if isinstance(value, (list, tuple)):
        return sum(map(shard_bytes, value))
    found = getattr(value, "nbytes", 0)
    return found if isinstance(found, int) else 0

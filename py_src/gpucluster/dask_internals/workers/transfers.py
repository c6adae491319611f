"""Results that workers send each other and to clients, as logged by a worker."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, Literal

from .following import FOLLOWERS, Following

LOGS = {"incoming": "transfer_incoming_log", "outgoing": "transfer_outgoing_log"}


class FollowedLog(deque[dict[str, Any]]):
    """A worker's log of transfers that passes each entry to its followers. Dask's own keeps only the last thousand."""

    def append(self, entry: dict[str, Any]) -> None:
        """Keep an entry, and pass it on."""
        super().append(entry)
        for follower in getattr(self, FOLLOWERS, ()):
            follower(entry)

    def gpucluster_restore(self) -> deque[dict[str, Any]]:
        """Return a log of Dask's kind with the same entries."""
        return deque(self, maxlen=self.maxlen)


def follow_transfers(
    worker: Any, direction: Literal["incoming", "outgoing"], follower: Callable[[dict[str, Any]], None]
) -> Following:
    """Call a follower for each transfer of results of one worker.

    Relies on the worker appending a dictionary with ``start``, ``stop`` (by the scheduler's clock), ``total`` (bytes)
    and ``who`` (the other worker's address; empty for a client) to the deques ``Worker.transfer_incoming_log`` and
    ``Worker.transfer_outgoing_log`` (2022.11).
    """
    name = LOGS[direction]
    return Following(
        lambda: getattr(worker, name),
        lambda value: setattr(worker, name, value),
        lambda log, _: FollowedLog(log, maxlen=log.maxlen),
        follower,
    )


def sent_bytes(worker: Any) -> int:
    """Return the bytes of all results that a worker has sent: ``Worker.transfer_outgoing_bytes_total`` (2023.4)."""
    return int(worker.transfer_outgoing_bytes_total)


def n_sent(worker: Any) -> int:
    """Return how often a worker has sent results: ``Worker.transfer_outgoing_count_total`` (2022.11)."""
    return int(worker.transfer_outgoing_count_total)


def sent_since(worker: Any, before: int) -> list[dict[str, Any]]:
    """Return what a worker's log of sent results still has after the first ``before``, as counted by ``n_sent``.

    Relies on ``Worker.transfer_outgoing_log``, which keeps the last thousand by default (2022.11).
    """
    new = n_sent(worker) - before
    return list(worker.transfer_outgoing_log)[-new:] if new > 0 else []

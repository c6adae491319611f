"""Messages between tasks that run on different Dask workers at the same time.

They travel on Dask's connections between the workers (with TLS where the cluster has TLS), not through the scheduler,
which is not slowed down by them. Plain sockets are handed to the ranks' threads.
"""

from __future__ import annotations

import asyncio
import queue
from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple

from ...dask_internals.messages import deserialized, set_handler, taken
from ...dask_internals.statuses import no_reply
from ..errors import PeerLost
from .sockets import Incoming

if TYPE_CHECKING:
    from .workers import WorkerCommunicator

OPERATION = "gpucluster-link"
POLL_SECONDS = 0.5  # How often a waiting rank checks whether its worker is closing.
KEPT_SECONDS = 60.0  # How long connections wait for the next job of the same client and workers.
_ENDED_JOBS = 1000


class Lost:
    """Stands in the queue for a rank that is gone."""


class Kept(NamedTuple):
    """Connections of a finished job, for the next one."""

    outgoing: WorkerCommunicator
    queues: dict[int, queue.SimpleQueue[Any]]
    incoming: dict[int, Incoming]
    expiry: asyncio.TimerHandle


class Mailbox:
    """What one worker receives for all jobs that run on it."""

    def __init__(self, worker: Any) -> None:
        self.worker = worker
        self._queues: dict[str, dict[int, queue.SimpleQueue[Any]]] = {}
        self._incoming: dict[str, dict[int, Incoming]] = {}
        self._linked: set[tuple[str, int]] = set()
        self._left: set[str] = set()
        self._ended: deque[str] = deque(maxlen=_ENDED_JOBS)
        self._kept: dict[str, Kept] = {}

    @classmethod
    def of(cls, worker: Any) -> Mailbox:
        """Return the mailbox of a worker, created on first use; call it in the worker's event loop."""
        mailbox = getattr(worker, "_gpucluster_mailbox", None)
        if mailbox is None:
            mailbox = worker._gpucluster_mailbox = cls(worker)
            set_handler(worker, OPERATION, mailbox._link)
        return mailbox

    def open(self, job: str, n_ranks: int) -> None:
        """Accept messages of a job: when its rank starts here, or when another rank's first message arrives earlier."""
        if job not in self._ended:
            self._queues.setdefault(job, {rank: queue.SimpleQueue() for rank in range(n_ranks)})
            self._incoming.setdefault(job, {})

    def close(self, job: str) -> None:
        """Forget a job; ranks that still wait for messages raise an error."""
        if job not in self._ended:
            self._ended.append(job)
        self._left.discard(job)
        self._end_kept(job)
        for waiting in self._queues.pop(job, {}).values():
            waiting.put(Lost())
        for incoming in self._incoming.pop(job, {}).values():
            incoming.close()

    def keep(self, job: str, outgoing: WorkerCommunicator) -> None:
        """Keep the connections of a job whose ranks have all returned, until a job of that name calls `take`."""
        if job in self._ended:
            outgoing.end()
            self.close(job)
            return
        expiry = asyncio.get_running_loop().call_later(KEPT_SECONDS, self._expire, job)
        self._kept[job] = Kept(outgoing, self._queues.pop(job), self._incoming.pop(job), expiry)

    def take(self, job: str) -> WorkerCommunicator | None:
        """Return the connections kept under this name, to use them again; ``None`` if there are none."""
        kept = self._kept.pop(job, None)
        if kept is None:
            return None
        kept.expiry.cancel()
        self._queues[job], self._incoming[job] = kept.queues, kept.incoming
        return kept.outgoing

    def _expire(self, job: str) -> None:
        kept = self._kept.get(job)
        if kept is not None:
            kept.outgoing.free()
        self.close(job)

    def _end_kept(self, job: str) -> None:
        kept = self._kept.pop(job, None)
        if kept is not None:
            kept.expiry.cancel()
            kept.outgoing.end()
            for incoming in kept.incoming.values():
                incoming.close()

    def expect_no_more(self, job: str, ranks: list[int]) -> None:
        """Note that these ranks have returned: a rank that waits for a message from them gets an error."""
        if job in self._queues:
            self._left.add(job)
        for rank, waiting in self._queues.get(job, {}).items():
            if rank in ranks and (job, rank) not in self._linked:
                waiting.put(Lost())

    def is_left(self, job: str) -> bool:
        """Whether a rank of a job that is open here is known to have returned."""
        return job in self._left

    def queue(self, job: str, source: int) -> queue.SimpleQueue[Any]:
        """Return where the messages of a rank arrive; raises `PeerLost` where the job was cancelled."""
        try:
            return self._queues[job][source]
        except KeyError:
            raise PeerLost("The computation was aborted.") from None

    def incoming(self, job: str) -> dict[int, Incoming]:
        """Return the connections of a job that its rank reads directly, by the ranks at the other ends."""
        return self._incoming.get(job, {})

    async def _link(self, comm: Any, job: str, n_ranks: int, source: int, direct: bool) -> Any:
        """Receive from one rank until it closes the connection, or hand the socket to this worker's rank."""
        self.open(job, n_ranks)
        arriving = self._queues.get(job, {}).get(source)
        if arriving is not None and direct:
            incoming = self._incoming[job][source] = Incoming(*taken(comm))
            arriving.put(incoming)
        elif arriving is not None:
            self._linked.add((job, source))
            try:
                while True:
                    arriving.put(deserialized(await comm.read()))
            except (OSError, asyncio.CancelledError):
                arriving.put(Lost())
            finally:
                self._linked.discard((job, source))
        comm.abort()
        return no_reply()


async def take_links(dask_worker: Any) -> None:
    """Prepare a worker for messages of ranks; runs on each worker before its first rank starts."""
    Mailbox.of(dask_worker)


async def close_job(dask_worker: Any, job: str) -> None:
    """End a job on a worker, even if its rank still waits."""
    Mailbox.of(dask_worker).close(job)


async def expect_no_more(dask_worker: Any, job: str, ranks: list[int]) -> None:
    """Notify a worker that these ranks have returned."""
    Mailbox.of(dask_worker).expect_no_more(job, ranks)

"""Messages between tasks that run on different Dask workers at the same time.

They travel on Dask's connections between the workers (with TLS where the cluster has TLS), not through the scheduler,
which is not slowed down by them. Plain sockets are handed to the ranks' threads, which read and write them without the
worker's event loop. On such a wire: the number of frames, the length of each, and the frames; all numbers have 8 bytes.
"""

from __future__ import annotations

import asyncio
import os
import queue
import select
import socket
import struct
import time
from collections import deque
from collections.abc import Generator, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from ...dask_internals.messages import deserialized, packed, set_handler, taken, unpacked
from ...dask_internals.statuses import no_reply
from ..errors import PeerLost
from .communicator import Message

if TYPE_CHECKING:
    from .workers import WorkerCommunicator

_NUMBER = struct.Struct("=Q")
_MOST_FRAMES = 512  # Of one system call, which takes 1024.
SPIN_SECONDS = 2e-4
"""How long a rank polls before it sleeps: ranks with equal parts arrive almost together, and waking up takes longer
than most waits. Other threads run between two polls."""
_ROOM_BYTES = 1 << 16
"""Shorter data are received with as few system calls as possible, and copied; longer arrays are received in place."""


class Incoming:
    """Receives messages of one rank over a non-blocking socket, ``None`` if it is closed; ``read`` was read before."""

    def __init__(self, sock: socket.socket | None, read: bytes) -> None:
        self._sock = sock
        self._messages: deque[Message] = deque()
        self._frames = self._taken_apart()
        self._space = memoryview(next(self._frames))
        self._room = memoryview(bytearray(_ROOM_BYTES))
        self._take(memoryview(read))

    @property
    def ended(self) -> bool:
        """Whether nothing more can arrive."""
        return self._sock is None

    def fileno(self) -> int:
        """Return the file descriptor to wait for; -1 after the end."""
        sock = self._sock
        return -1 if sock is None else sock.fileno()

    def pop(self) -> Message:
        """Return the next message; raises `IndexError` if none has arrived."""
        return self._messages.popleft()

    def fill(self) -> None:
        """Read what has arrived, without waiting."""
        # The event loop may close it meanwhile.
        while (sock := self._sock) is not None:
            direct = len(self._space) >= len(self._room)
            space = self._space if direct else self._room
            try:
                size = sock.recv_into(space)
            except BlockingIOError:
                return
            except OSError:
                size = 0
            if not size:
                self.close()
            elif direct:
                self._advance(size)
            else:
                self._take(space[:size])
            # Otherwise there may be more.
            if 0 < size < len(space):
                return

    def close(self) -> None:
        """Close the socket; a rank that waits for a message gets an error."""
        sock, self._sock = self._sock, None
        if sock is not None:
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
            sock.close()

    def _take(self, rest: memoryview) -> None:
        while rest:
            size = min(len(rest), len(self._space))
            self._space[:size] = rest[:size]
            rest = rest[size:]
            self._advance(size)

    def _advance(self, size: int) -> None:
        self._space = self._space[size:]
        while not self._space:
            self._space = memoryview(next(self._frames))

    def _taken_apart(self) -> Generator[bytearray]:
        """Yield the buffers to fill next; arrays stay in these buffers, which belong to the receiver."""
        while True:
            yield (count := bytearray(_NUMBER.size))
            yield (lengths := bytearray(_NUMBER.size * _NUMBER.unpack(count)[0]))
            frames = [bytearray(length) for (length,) in _NUMBER.iter_unpack(lengths)]
            yield from frames
            self._messages.append(unpacked(frames))


class Outgoing:
    """Sends messages to one rank over a non-blocking socket."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock

    def fileno(self) -> int:
        return self._sock.fileno()

    def write(self, views: list[memoryview]) -> list[memoryview]:
        """Send as much as possible without waiting, and return the rest; raises `OSError` if the rank is gone."""
        while views:
            try:
                size = self._sock.sendmsg(views[:_MOST_FRAMES])
            except BlockingIOError:
                break
            while views and size >= len(views[0]):
                size -= len(views.pop(0))
            if size:
                views[0] = views[0][size:]
        return views

    def close(self) -> None:
        """Close the socket; the other rank still receives what was sent."""
        self._sock.close()


_let_others_run = getattr(os, "sched_yield", lambda: time.sleep(0))  # Gives the processor to another thread.


def views_of(message: Message) -> list[memoryview]:
    frames = [memoryview(frame).cast("B") for frame in packed(message)]
    head = b"".join(map(_NUMBER.pack, [len(frames), *map(len, frames)]))
    return [memoryview(head), *(frame for frame in frames if len(frame))]


def wait_for(readable: Iterable[Incoming], writable: Outgoing | None, seconds: float) -> list[Any]:
    """Return the connections that are ready, after waiting for one of them; none after the timeout."""
    waiting: dict[int, Any] = {}
    poll = select.poll()
    for incoming in readable:
        if (number := incoming.fileno()) >= 0:
            waiting[number] = incoming
            poll.register(number, select.POLLIN)
    if writable is not None:
        waiting[writable.fileno()] = writable
        poll.register(writable, select.POLLOUT)
    until = time.perf_counter() + SPIN_SECONDS
    while not (ready := poll.poll(0)) and time.perf_counter() < until:
        _let_others_run()
    return [waiting[number] for number, _ in ready or poll.poll(seconds * 1000)]


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

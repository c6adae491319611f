"""Ranks that are tasks on Dask workers, and collective operations made of messages between two of them.

The messages follow a binomial tree: with ``n`` ranks, the longest path from a leaf to the root has ``log2(n)`` edges,
so a reduction takes that many messages one after the other. An allreduce takes no more: partners exchange what they
have (recursive doubling). Source: R. Thakur, R. Rabenseifner and W. Gropp, "Optimization of Collective Communication
Operations in MPICH", International Journal of High Performance Computing Applications 19 (2005), section 4.
For messages of many megabytes a ring needs less bandwidth; models of this package are smaller.
"""

from __future__ import annotations

import asyncio
import queue
from abc import abstractmethod
from collections.abc import Coroutine
from concurrent.futures import wait
from typing import Any

from ...dask_internals.loops import asyncio_loop
from ...dask_internals.messages import can_be_taken, connection_arguments, flushed, serialized, taken
from ...dask_internals.statuses import still_works
from ...dask_internals.workers.worker_state import is_cancelled
from ..errors import InvalidParameter, PeerLost
from .communicator import Communicator, Message, Operator, combine, disagreement
from .mailbox import OPERATION, POLL_SECONDS, Incoming, Lost, Mailbox, Outgoing, views_of, wait_for
from .mpi import MPICommunicator, over_mpi


class TreeCommunicator(Communicator):
    """Implements all operations with ``_send`` and ``_receive``."""

    def __init__(self, rank: int, size: int) -> None:
        self.rank = rank
        self.size = size
        self._operations = 0

    @abstractmethod
    def _send(self, message: tuple[str, Message], to: int) -> None:
        """Send a message without waiting for its arrival. Messages to one rank keep their order."""

    @abstractmethod
    def _receive(self, source: int) -> tuple[str, Message]:
        """Wait for the next message of that rank."""

    def reduce(self, value: Message, op: Operator = "sum", root: int = 0) -> Message | None:
        """Combine with the children's messages, in the order of the ranks, and send the result to the parent."""
        name = self._begin("reduce")
        self._position(root)
        # To rank 0 first: along another root's tree, the order of the ranks would change.
        value = self._collect(name, value, op, 0)
        if root == 0:
            return value
        if self.rank == 0:
            self._send_named(name, value, root)
        return self._receive_named(name, 0) if self.rank == root else None

    def _collect(self, name: str, value: Message, op: Operator, root: int) -> Message | None:
        position = self._position(root)
        step = 1
        while step < self.size:
            if position & step:
                self._send_named(name, value, self._at(position - step, root))
                return None
            if position + step < self.size:
                value = combine(op, value, self._receive_named(name, self._at(position + step, root)))
            step *= 2
        return value

    def allreduce(self, value: Message, op: Operator = "sum") -> Message:
        """Exchange with a partner at distance 1, then 2, 4, …; both combine the same two messages in the same order.

        Ranks beyond the largest power of two are represented by their neighbours.
        """
        return self._exchange_all(self._begin("allreduce"), value, op)

    def _exchange_all(self, name: str, value: Message, op: Operator) -> Message:
        doubling = 1 << (self.size.bit_length() - 1)
        extra = self.size - doubling
        paired = self.rank < 2 * extra
        if paired and self.rank % 2:
            self._send_named(name, value, self.rank - 1)
            return self._receive_named(name, self.rank - 1)
        if paired:
            value = combine(op, value, self._receive_named(name, self.rank + 1))
        place = self.rank // 2 if paired else self.rank - extra
        step = 1
        while step < doubling:
            partner = place ^ step
            other = 2 * partner if partner < extra else partner + extra
            self._send_named(name, value, other)
            theirs = self._receive_named(name, other)
            value = combine(op, value, theirs) if place < partner else combine(op, theirs, value)
            step *= 2
        if paired:
            self._send_named(name, value, self.rank + 1)
        return value

    def allgather(self, value: Message) -> list[Message]:
        """Collect by an allreduce."""
        found = self._exchange_all(self._begin("allgather"), {self.rank: value}, lambda one, other: one | other)
        return [found[rank] for rank in range(self.size)]

    def broadcast(self, value: Message | None = None, root: int = 0) -> Message:
        """Receive from the parent, and send to the children, those with the most ranks below them first."""
        name = self._begin("broadcast")
        position = self._position(root)
        step = 1
        while step < self.size and not position & step:
            step *= 2
        if position:
            value = self._receive_named(name, self._at(position - step, root))
        while step > 1:
            step //= 2
            if position + step < self.size:
                self._send_named(name, value, self._at(position + step, root))
        return value

    def gather(self, value: Message, root: int = 0) -> list[Message] | None:
        """Collect along the tree."""
        found = self._collect(self._begin("gather"), {self.rank: value}, lambda one, other: one | other, root)
        return None if found is None else [found[rank] for rank in range(self.size)]

    def _position(self, root: int) -> int:
        """Return the position of this rank in the tree of that root."""
        if not 0 <= root < self.size:
            raise InvalidParameter(f"root: must be a rank from 0 to {self.size - 1}, not {root!r}.")
        return (self.rank - root) % self.size

    def _at(self, position: int, root: int) -> int:
        return (position + root) % self.size

    def _begin(self, operation: str) -> str:
        self._operations += 1
        return f"{operation} ({self._operations})"

    def _send_named(self, name: str, value: Message, to: int) -> None:
        try:
            self._send((name, value), to)
        except PeerLost as lost:
            lost.calls = self._calls(name)
            raise

    def _receive_named(self, name: str, source: int) -> Message:
        try:
            theirs, value = self._receive(source)
        except PeerLost as lost:
            lost.calls = self._calls(name)
            raise
        if theirs != name:
            raise disagreement(self.rank, name, source, theirs)
        return value

    def _calls(self, name: str) -> str:
        return f"rank {self.rank} calls {name}"


Waiting = asyncio.Queue[Any]  # Messages that the event loop is to send.


class WorkerCommunicator(TreeCommunicator):
    """Connects tasks that run at the same time, one on each of some Dask workers.

    Use `gpucluster.learn.run` to start such tasks.

    Connections are Dask's own. Where they are plain sockets (unix sockets and TCP), the task takes them over and reads
    and writes them directly; an event loop in between would take longer than most messages. Others (TLS, UCX) stay
    with the worker's event loop.

    Parameters
    ----------
    worker : distributed.Worker
        Runs this rank.
    job : str
        Identifies the computation.
    rank : int
        Number of this rank.
    addresses : list of str
        The workers, in the order of the ranks.
    key : optional
        Key of this rank's task; with it, the rank ends soon after its task is cancelled or its client is gone.
    patience : float, optional
        Seconds to wait for the connection of another rank; for ranks that all start at the same time.
    """

    def __init__(
        self, worker: Any, job: str, rank: int, addresses: list[str], key: Any = None, patience: float = float("inf")
    ) -> None:
        super().__init__(rank, len(addresses))
        self._worker = worker
        self._job = job
        self._addresses = addresses
        self._key = key
        self._patience = patience
        self._mailbox = Mailbox.of(worker)
        self._mailbox.open(job, self.size)
        self._links: dict[int, Outgoing | Waiting] = {}
        self._mpi: MPICommunicator | None = None
        self._writers: list[asyncio.Task[None]] = []
        self._loop: asyncio.AbstractEventLoop = asyncio_loop(worker)

    @property
    def n_operations(self) -> int:
        """Number of operations of this rank; where it is the same on all ranks, no message is on its way."""
        return self._operations + (0 if self._mpi is None else self._mpi.n_operations)

    def over_mpi(self, *, nanny: bool) -> MPICommunicator:
        """Return an MPI communicator of the same ranks, which stays for all computations on these links.

        Raises `MissingMPI` where the workers are not processes of one MPI program, and `PeerLost` where a rank is
        missing.
        """
        if self._mpi is None:
            # MPI would wait for a missing rank forever.
            self.barrier()
            self._mpi = over_mpi(self, nanny=nanny, addresses=self._addresses, job=self._job, look=self.raise_if_left)
        return self._mpi

    def end_well(self) -> None:
        """Wait until no message is on its way over MPI, so that the next computation can use it as well."""
        if self._mpi is not None:
            self._mpi.barrier()

    def free(self) -> None:
        """Release MPI's communicator; only where all ranks have finished without an error."""
        if self._mpi is not None:
            self._mpi.free()
            self._mpi = None

    def close(self, *, failed: bool = False) -> None:
        """Close all connections after everything was sent; at once where the computation failed."""
        self.disconnect()
        asyncio.run_coroutine_threadsafe(self._finish(failed), self._loop).result()

    def disconnect(self) -> None:
        """Close the sockets that this rank writes to directly."""
        for link in self._links.values():
            if isinstance(link, Outgoing):
                link.close()

    def end(self) -> None:
        """Close all connections; in the worker's event loop."""
        self.disconnect()
        for link in self._links.values():
            if not isinstance(link, Outgoing):
                link.put_nowait(None)

    def raise_if_cancelled(self) -> None:
        """Raise `PeerLost` if the job was closed, or the task cancelled."""
        # A single rank never waits for a message, so this is its only check.
        self._mailbox.queue(self._job, self.rank)
        if is_cancelled(self._worker, self._key):
            raise PeerLost("The computation was aborted.")

    def raise_if_left(self) -> None:
        """Do the same, and raise it if a rank has returned: over MPI, a waiting rank waits for all others."""
        self.raise_if_cancelled()
        if self._mailbox.is_left(self._job):
            raise PeerLost("Another rank has returned.")

    def _begin(self, operation: str) -> str:
        self.raise_if_cancelled()
        return super()._begin(operation)

    def _send(self, message: tuple[str, Message], to: int) -> None:
        link = self._links.get(to)
        if link is None:
            link = self._links[to] = self._in_loop(self._connect(to), to)
        if not isinstance(link, Outgoing):
            self._loop.call_soon_threadsafe(link.put_nowait, serialized(message))
            return
        views = views_of(message)
        try:
            while views := link.write(views):
                # The other rank may wait until this one has received what it sends.
                for ready in self._waited(list(self._mailbox.incoming(self._job).values()), link):
                    if isinstance(ready, Incoming):
                        ready.fill()
        except OSError:
            raise self._lost(to) from None

    def _receive(self, source: int) -> tuple[str, Message]:
        waited = 0.0
        while (incoming := self._mailbox.incoming(self._job).get(source)) is None:
            try:
                message = self._mailbox.queue(self._job, source).get(timeout=POLL_SECONDS)
            except queue.Empty:
                self._raise_if_closing()
                waited += POLL_SECONDS
                if waited > self._patience:
                    raise self._lost(source) from None
                continue
            if isinstance(message, Lost):
                raise self._lost(source)
            if not isinstance(message, Incoming):
                return message
        while True:
            incoming.fill()
            try:
                return incoming.pop()
            except IndexError:
                if incoming.ended:
                    raise self._lost(source) from None
            self._waited([incoming])

    def _waited(self, readable: list[Incoming], writable: Outgoing | None = None) -> list[Any]:
        ready = wait_for(readable, writable, POLL_SECONDS)
        if not ready:
            self._raise_if_closing()
        return ready

    def _in_loop(self, work: Coroutine[Any, Any, Outgoing | Waiting], to: int) -> Outgoing | Waiting:
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            while not wait([future], POLL_SECONDS).done:
                self._raise_if_closing()
                self.raise_if_cancelled()
        except PeerLost:
            future.cancel()
            raise
        try:
            return future.result()
        except OSError:
            raise self._lost(to) from None

    def _raise_if_closing(self) -> None:
        if not still_works(self._worker):
            raise PeerLost("This worker is closing.")

    def _lost(self, other: int) -> PeerLost:
        return PeerLost(f"Rank {other} was lost, so rank {self.rank} cannot continue.")

    # -- in the worker's event loop --------------------------------------------------------------

    async def _connect(self, to: int) -> Outgoing | Waiting:
        from distributed.comm.core import connect

        comm = await connect(self._addresses[to], **connection_arguments(self._worker))
        direct = can_be_taken(comm)
        try:
            link = {"job": self._job, "n_ranks": self.size, "source": self.rank, "direct": direct}
            await comm.write({"op": OPERATION, **link, "reply": False})
            if direct:
                await flushed(comm)
                sock, _ = taken(comm)
                if sock is None:
                    raise ConnectionResetError
                return Outgoing(sock)
        except BaseException:
            comm.abort()
            raise
        outgoing: Waiting = asyncio.Queue()
        self._writers.append(asyncio.ensure_future(self._write(comm, outgoing)))
        return outgoing

    async def _write(self, comm: Any, outgoing: Waiting) -> None:
        try:
            while (message := await outgoing.get()) is not None:
                await comm.write(message)
            await comm.close()
        except OSError:
            # Ranks that wait for that rank, or for this one, must get an error.
            self._mailbox.close(self._job)
        finally:
            comm.abort()

    async def _finish(self, failed: bool) -> None:
        self.end()
        if failed:
            for writer in self._writers:
                writer.cancel()
        await asyncio.gather(*self._writers, return_exceptions=failed)
        self._mailbox.close(self._job)

"""Ranks that are tasks on Dask workers."""

from __future__ import annotations

import asyncio
import queue
from collections.abc import Coroutine
from concurrent.futures import wait
from typing import Any

from ...dask_internals.loops import asyncio_loop
from ...dask_internals.messages import can_be_taken, connection_arguments, flushed, serialized, taken
from ...dask_internals.statuses import still_works
from ...dask_internals.workers.worker_state import is_cancelled
from ..errors import PeerLost
from .communicator import Message
from .mailbox import OPERATION, POLL_SECONDS, Lost, Mailbox
from .mpi import MPICommunicator, over_mpi
from .sockets import Incoming, Outgoing, views_of, wait_for
from .tree import TreeCommunicator

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
        return PeerLost(f"Rank {other} is gone, so rank {self.rank} cannot continue.")

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

"""Ranks that are tasks on Dask workers."""

from __future__ import annotations

import asyncio
import queue
from typing import Any

from ...dask_internals.loops import asyncio_loop
from ...dask_internals.messages import connection_arguments, serialized
from ...dask_internals.statuses import still_works
from ...dask_internals.worker_state import is_cancelled
from ..errors import PeerLost
from .mailbox import OPERATION, POLL_SECONDS, Lost, Mailbox
from .operators import Message
from .tree import TreeCommunicator


class WorkerCommunicator(TreeCommunicator):
    """Connects tasks that run at the same time, one on each of some Dask workers.

    Use `gpucluster.learn.run` to start such tasks.

    Parameters
    ----------
    worker : distributed.Worker
        The one that this rank runs on.
    job : str
        Identifies the computation.
    rank : int
        Number of this rank.
    addresses : list of str
        The workers, in the order of the ranks.
    key : optional
        Of this rank's task; with it, the rank ends soon after its task is cancelled or its client is gone.
    """

    def __init__(self, worker: Any, job: str, rank: int, addresses: list[str], key: Any = None) -> None:
        super().__init__(rank, len(addresses))
        self._worker = worker
        self._job = job
        self._addresses = addresses
        self._key = key
        self._mailbox = Mailbox.of(worker)
        self._links: dict[int, asyncio.Queue[Any]] = {}
        self._writers: list[asyncio.Task[None]] = []
        self._loop: asyncio.AbstractEventLoop = asyncio_loop(worker)

    def close(self, *, failed: bool = False) -> None:
        """End all connections, after what was sent has left; at once where the computation failed."""
        asyncio.run_coroutine_threadsafe(self._finish(failed), self._loop).result()

    def raise_if_cancelled(self) -> None:
        """Look whether the job is still open, and the task not cancelled."""
        # A rank that is alone never waits for a message, and would not learn from one that it was given up.
        self._mailbox.queue(self._job, self.rank)
        if is_cancelled(self._worker, self._key):
            raise PeerLost("The computation was given up.")

    def _begin(self, operation: str) -> str:
        self.raise_if_cancelled()
        return super()._begin(operation)

    def _send(self, message: tuple[str, Message], to: int) -> None:
        self._loop.call_soon_threadsafe(self._enqueue, serialized(message), to)

    def _receive(self, source: int) -> tuple[str, Message]:
        arriving = self._mailbox.queue(self._job, source)
        while True:
            try:
                message = arriving.get(timeout=POLL_SECONDS)
            except queue.Empty:
                if not still_works(self._worker):
                    raise PeerLost("This worker is closing.") from None
                continue
            if isinstance(message, Lost):
                raise PeerLost(f"Rank {source} is gone, so rank {self.rank} cannot go on.")
            return message

    # -- in the worker's event loop --------------------------------------------------------------

    def _enqueue(self, message: Message, to: int) -> None:
        if to not in self._links:
            self._links[to] = asyncio.Queue()
            self._writers.append(asyncio.ensure_future(self._write(to, self._links[to])))
        self._links[to].put_nowait(message)

    async def _write(self, to: int, outgoing: asyncio.Queue[Any]) -> None:
        from distributed.comm.core import connect

        comm = None
        try:
            comm = await connect(self._addresses[to], **connection_arguments(self._worker))
            await comm.write({"op": OPERATION, "job": self._job, "source": self.rank, "reply": False})
            while (message := await outgoing.get()) is not None:
                await comm.write(message)
            await comm.close()
        except OSError:
            # Whoever waits for that rank, or for this one, must learn it.
            self._mailbox.close(self._job)
        finally:
            if comm is not None:
                comm.abort()

    async def _finish(self, failed: bool) -> None:
        for outgoing in self._links.values():
            outgoing.put_nowait(None)
        if failed:
            for writer in self._writers:
                writer.cancel()
        await asyncio.gather(*self._writers, return_exceptions=failed)
        self._mailbox.close(self._job)

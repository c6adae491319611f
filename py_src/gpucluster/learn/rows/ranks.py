"""Run a function on several workers at the same time, each on its blocks; the ranks exchange messages.

The scheduler starts one task per worker and takes no part until they return, so an iteration costs no task and no round
trip to the client. When a worker dies, the computation restarts on the others; Dask recomputes lost blocks.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from weakref import WeakKeyDictionary

from dask.base import annotate

from ...dask_internals.collections import keys, leaving_no_futures
from ...dask_internals.scheduler_information import known_workers
from ...dask_internals.workers.worker_state import has_nanny, n_threads
from ..communicators.communicator import SAME_ORDER, Communicator
from ..communicators.mailbox import close_job, expect_no_more, take_links
from ..communicators.mpi import MPICommunicator, over_mpi
from ..communicators.workers import WorkerCommunicator
from ..errors import PeerLost, RanksDisagree, WorkersLost
from .block import Block
from .placement import place, within_limits
from .shard import Shard
from .table import Table
from .waiting import release

logger = logging.getLogger("gpucluster.learn")

ATTEMPTS = 4
POLL_SECONDS = 1.0  # How often the client checks whether all ranks are still there.
GRACE_SECONDS = 5.0  # How long cancelled ranks may take to report their errors.
MOST_SHOWN = 5  # Most ranks whose calls an error shows.
FAILED = frozenset({"error", "cancelled", "lost"})

_prepared: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()  # For each client the workers that are prepared.


class _Unmatched(PeerLost):
    """Ranks have returned although others still wait for their messages, and no worker is gone."""


class Placed:
    """Blocks of a persisted table on workers; raises `PeerLost` where all of these have just ended."""

    def __init__(self, client: Any, table: Table) -> None:
        from distributed import futures_of, wait

        self.client = client
        self.table = table
        self.starts = table.starts()
        first = _futures(table.X, client)
        self.parts = [first, *(None if part is None else _futures(part, client) for part in (table.y, table.weights))]
        futures = futures_of(table.collections)
        wait(futures)
        for future in futures:
            if future.status == "error":
                raise future.exception()
        from ...dask_internals.scheduler_information import kept

        known = kept(client, [future.key for part in self.parts if part for future in part])
        self.keys = [future.key for future in first]
        self.sizes = [
            sum(known.sizes.get(part[number].key, 0) for part in self.parts if part) for number in range(len(self.keys))
        ]
        self.holders = [list(known.holders.get(key, ())) for key in self.keys]
        self.workers = known.workers
        if not self.workers:
            raise PeerLost("All workers exited.")

    def addresses(self) -> list[str]:
        """Return the worker of each block."""
        return place(self.holders, self.sizes, {address: info["nthreads"] for address, info in self.workers.items()})

    def fits(self, share: float) -> bool:
        """Whether every worker's blocks take at most this share of its memory."""
        return within_limits(self.addresses(), self.sizes, self.workers, share)


def prepare(client: Any, addresses: list[str]) -> None:
    """Prepare workers for messages of ranks: once for each of them, because it takes as long as a task."""
    prepared = _prepared.setdefault(client, set())
    new = [address for address in addresses if address not in prepared]
    answers = client.run(take_links, workers=new, on_error="return") if new else {}
    for address, answer in answers.items():
        if isinstance(answer, BaseException):
            raise PeerLost(f"The worker at {address} does not respond.")
    prepared.update(new)


def forget_prepared(client: Any) -> None:
    """Prepare workers again the next time: a new one may have the address of a lost one."""
    _prepared.pop(client, None)


def run_ranks(
    placed: Placed,
    function: Callable[..., Any],
    parameters: dict[str, Any],
    *,
    mpi: bool,
    first_only: bool,
    everybody: bool = False,
) -> list[Any]:
    """Call ``function(shard, **parameters)`` on all workers that have blocks, at the same time, and return the results.

    With ``mpi``, ranks communicate over MPI, not over Dask's connections; with ``first_only``, only rank 0's result is
    brought to the client; with ``everybody``, workers without blocks take part. Raises the function's errors,
    `WorkersLost` where workers died repeatedly, and `RanksDisagree` where ranks call different collective operations.
    """
    for attempt in range(1, ATTEMPTS + 1):
        try:
            if attempt > 1:
                placed = Placed(placed.client, placed.table)
            return _Attempt(placed, mpi=mpi, everybody=everybody).run(function, parameters, first_only=first_only)
        except PeerLost as lost:
            if isinstance(lost, _Unmatched):
                # The first time, a connection may have broken; the second time, it is the function.
                if attempt > 1:
                    raise RanksDisagree(lost.message) from None
                logger.warning("%s Retrying once: a connection may have been lost.", lost.message)
            else:
                logger.warning("A worker was lost (%s); attempt %d of %d failed", lost.message, attempt, ATTEMPTS)
    raise WorkersLost(
        f"Workers were lost in {ATTEMPTS} attempts, so the computation was aborted. They most likely ran out of "
        "memory: see the cluster's log."
    )


class _Attempt:
    def __init__(self, placed: Placed, *, mpi: bool, everybody: bool) -> None:
        self._client = placed.client
        self._placed = placed
        self._mpi = mpi
        self._job = f"job-{uuid.uuid4().hex}"
        self._blocks: dict[str, list[int]] = {}
        self._tasks: list[Any] = []
        for number, address in enumerate(placed.addresses()):
            self._blocks.setdefault(address, []).append(number)
        for address in placed.workers if everybody else ():
            self._blocks.setdefault(address, [])
        self._addresses = list(self._blocks)

    def run(self, function: Callable[..., Any], parameters: dict[str, Any], *, first_only: bool) -> list[Any]:
        prepare(self._client, self._addresses)
        done = False
        try:
            tasks = self._tasks = self._submit(function, parameters, first_only)
            self._wait(tasks)
            results = self._client.gather(tasks[:1] if first_only else tasks, errors="raise")
            done = True
            return list(results)
        finally:
            if not done:
                self._give_up()
            # A wait that timed out leaves a reference cycle with the tasks and their results, which Python's garbage
            # collection may never free in a large process.
            release(self._tasks)

    def _submit(self, function: Callable[..., Any], parameters: dict[str, Any], first_only: bool) -> list[Any]:
        """Submit all ranks with one message, because a second one would wait for 10 ms in the client."""
        placed, ranks = self._placed, range(len(self._addresses))
        blocks = [
            [
                (number, placed.starts[number], *(part[number] if part else None for part in placed.parts))
                for number in self._blocks[address]
            ]
            for address in self._addresses
        ]
        keys = [f"gpucluster-rank-{self._job}-{rank}" for rank in ranks]
        places = {key: [address] for key, address in zip(keys, self._addresses, strict=True)}
        with leaving_no_futures(), annotate(workers=places.__getitem__):
            tasks: list[Any] = self._client.map(
                _rank, ranks, blocks, [rank == 0 or not first_only for rank in ranks], key=keys, pure=False,
                job=self._job, addresses=self._addresses, function=function, parameters=parameters, mpi=self._mpi,
                counted=placed.table.n_rows is not None,
            )  # fmt: skip
        return tasks

    def _wait(self, tasks: list[Any]) -> None:
        """Wait for all ranks; raise the error of the first failing one, or ``PeerLost`` if a worker is gone."""
        from distributed import wait

        pending = list(tasks)
        while pending:
            ended = None
            try:
                wait(pending, timeout=POLL_SECONDS, return_when="FIRST_COMPLETED")
            except TimeoutError:
                # If the scheduler is gone, the client cancels the tasks.
                with suppress(OSError):
                    ended = set(self._addresses) - set(known_workers(self._client))
            if any(task.status in FAILED for task in pending):
                raise self._cause(pending)
            if ended:
                raise PeerLost(f"{len(ended)} of {len(self._addresses)} workers ended.")
            before, pending = pending, [task for task in pending if task.status != "finished"]
            if pending and len(pending) == len(before):
                self._report_returned_ranks(tasks)

    def _give_up(self) -> None:
        forget_prepared(self._client)
        # Raise the original error, even where the client is gone and cannot notify the workers.
        with suppress(Exception):
            self._client.cancel(self._tasks, force=True)
        with suppress(Exception):
            self._close()

    def _report_returned_ranks(self, tasks: list[Any]) -> None:
        returned = [rank for rank, task in enumerate(tasks) if task.status == "finished"]
        others = [address for rank, address in enumerate(self._addresses) if rank not in returned]
        if returned:
            self._client.run(expect_no_more, job=self._job, ranks=returned, workers=others, on_error="ignore")

    def _cause(self, tasks: list[Any]) -> BaseException:
        """Return the error that made ranks fail, not those of ranks that lost a peer as a consequence."""
        from distributed import wait

        with suppress(OSError):
            self._close()
        with suppress(TimeoutError):
            wait(tasks, timeout=GRACE_SECONDS)
        errors: list[BaseException] = [task.exception() for task in tasks if task.status == "error"]
        for error in errors:
            if not isinstance(error, PeerLost):
                return error
        returned = [str(rank) for rank, task in enumerate(self._tasks) if task.status == "finished"]
        if returned and known_workers(self._client).keys() >= set(self._addresses):
            calls = [error.calls for error in errors if isinstance(error, PeerLost) and error.calls]
            waits = f": {', '.join(calls[:MOST_SHOWN])}{', …' if len(calls) > MOST_SHOWN else ''}" if calls else ""
            return _Unmatched(
                f"Ranks that have returned already ({', '.join(returned)}) are still waited for by others{waits}. "
                f"{SAME_ORDER}"
            )
        return PeerLost("A rank was lost.")

    def _close(self) -> None:
        self._client.run(
            close_job, job=self._job, workers=[a for a in self._addresses if a in known_workers(self._client)],
            on_error="ignore",
        )  # fmt: skip


def _futures(part: Any, client: Any) -> list[Any]:
    from distributed import futures_of

    by_key = {future.key: future for future in futures_of(part, client)}
    return [by_key[key] for key in keys(part)]


def _rank(
    rank: int,
    blocks: list[tuple[Any, ...]],
    answers: bool,
    *,
    job: str,
    addresses: list[str],
    function: Callable[..., Any],
    parameters: dict[str, Any],
    mpi: bool,
    counted: bool,
) -> Any:
    """Run one rank: a Dask task."""
    from distributed import get_worker, secede

    worker = get_worker()
    threads = n_threads(worker)
    key = worker.get_current_task()
    # Give the slot back at once: otherwise two computations that each have half of the workers would wait forever.
    secede()
    links = WorkerCommunicator(worker, job, rank, addresses, key)
    failed = True
    try:
        communicator: Communicator = links
        if mpi:
            communicator = over_mpi(
                links, nanny=has_nanny(worker), addresses=addresses, job=job, look=links.raise_if_left
            )
        shard = Shard(communicator, [Block(*block) for block in blocks], n_threads=threads, counted=counted)
        result = function(shard, **parameters)
        failed = False
        if isinstance(communicator, MPICommunicator):
            communicator.free()
        return result if answers else None
    finally:
        links.close(failed=failed)

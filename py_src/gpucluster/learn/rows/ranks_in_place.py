"""Ranks on blocks that workers keep already, without tasks: for what is over in less than half a second.

A task for each rank costs 15 ms: its way through the scheduler, connecting the ranks, and the result's way back. Here
each worker gets one message, runs its rank in a thread beside its tasks, and answers with the result; the connections
stay for the next computation of the same client and workers. Dask's dashboard shows nothing of it, so only what is
short may run this way (`PASSES_BYTES`). Where a block or a worker is missing, or a rank was lost, tasks do it.
"""

from __future__ import annotations

import asyncio
import threading
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from ...dask_internals.worker_state import has_nanny, n_threads
from ..communicators.communicator import Communicator
from ..communicators.mailbox import KEPT_SECONDS, Mailbox, close_job
from ..communicators.workers import WorkerCommunicator
from ..errors import PeerLost
from .assignment import Asked, assigned, forget_assigned
from .in_place import MOST_BLOCKS, block_of, from_others
from .ranks import forget_prepared, prepare
from .shard import Shard
from .table import Table

PASSES_BYTES = 1 << 30
"""So much the passes over each thread's part of a table may read together, which takes about half a second. On GPUs it
is more by their speed."""
MOST_RANKS = 16
"""Each takes a connection from the client to the scheduler."""
RETURN_SECONDS = 5.0
"""When a rank has returned, the others do so soon, unless they wait for a message that it never sends."""
CONNECT_SECONDS = 30.0
"""So long ranks wait for each other in the beginning, should nobody be left who could tell them."""


class Group(NamedTuple):
    """Ranks that know each other."""

    name: str
    addresses: tuple[str, ...]
    connected: bool
    """Whether they have had a computation before, and kept their connections."""


class Returned(NamedTuple):
    """What a rank answers that has come to its end."""

    value: Any
    n_operations: int


class Raised(NamedTuple):
    """What a rank answers that has failed. It is not raised there, where it would be logged as the worker's failure."""

    error: BaseException


_idle: WeakKeyDictionary[Any, dict[tuple[str, ...], list[tuple[Group, float]]]] = WeakKeyDictionary()
"""For each client the groups that have nothing to do, by their addresses, and since when."""
_lock = threading.Lock()


def are_short(table: Table, passes: int) -> bool:
    """Whether so many passes over a table can be short: it is kept on workers, in few blocks."""
    return (
        table.is_persisted()
        and table.n_rows is not None
        and table.n_blocks <= MOST_BLOCKS
        and passes * sum(part.nbytes for part in table.collections) <= PASSES_BYTES * table.speed * MOST_RANKS
    )


def run_ranks_in_place(
    client: Any,
    table: Table,
    function: Callable[..., Any],
    parameters: dict[str, Any],
    *,
    passes: int,
    mpi: bool = False,
) -> tuple[Any] | None:
    """Call ``function(shard, **parameters)`` on all workers that keep blocks, at the same time.

    Parameters
    ----------
    client : distributed.Client
    table : Table
        Kept on workers.
    function : callable
        Gets a `Shard` first; all ranks return the same.
    parameters : dict
        The same for all ranks.
    passes : int
        About how often it goes through all rows, at most.
    mpi : bool
        Ranks talk over MPI, not over Dask's connections.

    Returns
    -------
    tuple or None
        The result; ``None`` where tasks are needed.

    Raises
    ------
    Exception
        What the function raises.
    """
    asked = assigned(client, table, PASSES_BYTES * table.speed / passes)
    if asked is None or len(asked) > MOST_RANKS:
        return None
    group = _leased(client, tuple(asked))
    try:
        prepare(client, list(asked))
        answers = client.sync(_all, client, group, asked, function, parameters, mpi)
    except PeerLost:
        forget_assigned(client, table)
        return None
    except BaseException:
        # Also after Ctrl-C. What ended it is what counts, also where the workers cannot be told.
        with suppress(Exception):
            client.run(close_job, job=group.name, workers=list(asked), on_error="ignore")
        raise
    for answer in answers:
        if isinstance(answer, Raised) and not isinstance(answer.error, PeerLost):
            raise answer.error
    if not all(isinstance(answer, Returned) for answer in answers):
        forget_prepared(client)
        forget_assigned(client, table)
        return None
    # With different numbers, messages that nobody has read may be on their way.
    if len({answer.n_operations for answer in answers}) == 1:
        with _lock:
            ours = _idle.setdefault(client, {}).setdefault(group.addresses, [])
            ours.append((group._replace(connected=True), time.monotonic()))
    return (answers[0].value,)


def _leased(client: Any, addresses: tuple[str, ...]) -> Group:
    """Return ranks on these workers that have nothing to do; new ones where all have."""
    with _lock:
        ours = _idle.setdefault(client, {}).pop(addresses, [])
        # Well before they are given up there.
        fresh = [(group, since) for group, since in ours if time.monotonic() - since < KEPT_SECONDS / 2]
        group = fresh.pop()[0] if fresh else Group(f"ranks-{uuid.uuid4().hex}", addresses, connected=False)
        if fresh:
            _idle[client][addresses] = fresh
    return group


# -- in the client's event loop ------------------------------------------------------------------------


async def _all(
    client: Any,
    group: Group,
    asked: dict[str, list[Asked]],
    function: Callable[..., Any],
    parameters: dict[str, Any],
    mpi: bool,
) -> list[Any]:
    """Return each rank's answer. When one has failed, or has nothing more to say, the others need not wait for it."""
    from ...dask_internals.clients import AFTER_THE_END

    calls = {
        asyncio.ensure_future(_one(client, address, group, rank, own, function, parameters, mpi)): address
        for rank, (address, own) in enumerate(asked.items())
    }
    pending, told = set(calls), False
    while pending:
        timeout = RETURN_SECONDS if len(pending) < len(calls) and not told else None
        done, pending = await asyncio.wait(pending, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        well = done and all(isinstance(call.result(), Returned) for call in done)
        if pending and not told and not well:
            told = True
            with suppress(*AFTER_THE_END):
                others = [calls[call] for call in pending]
                await client.run(close_job, job=group.name, workers=others, on_error="ignore")
    return [call.result() for call in calls]


async def _one(client: Any, address: str, *arguments: Any) -> Any:
    """Return a rank's answer, or why there is none."""
    from ...dask_internals.clients import AFTER_THE_END

    try:
        answers = await client.run(_rank, *arguments, workers=[address], on_error="return")
    except AFTER_THE_END as error:
        return error
    return answers.get(address)


# -- on the workers ------------------------------------------------------------------------------------


async def _rank(
    group: Group,
    rank: int,
    asked: list[Asked],
    function: Callable[..., Any],
    parameters: dict[str, Any],
    mpi: bool,
    dask_worker: Any,
) -> Returned | Raised | None:
    """Run one rank; ``None`` where a part of its data or its connections are missing, as after a restart."""
    mailbox = Mailbox.of(dask_worker)
    if group.connected:
        links = mailbox.take(group.name)
    else:
        links = WorkerCommunicator(dask_worker, group.name, rank, list(group.addresses), patience=CONNECT_SECONDS)
    if links is None:
        return None
    try:
        others = await from_others(dask_worker, asked)
        blocks = [block_of(dask_worker, each, others) for each in asked]
    except (KeyError, OSError):
        links.end()
        mailbox.close(group.name)
        return None
    threads, nanny = n_threads(dask_worker), has_nanny(dask_worker)

    def result() -> Any:
        communicator: Communicator = links.over_mpi(nanny=nanny) if mpi else links
        value = function(Shard(communicator, blocks, n_threads=threads, counted=True), **parameters)
        links.end_well()
        return value

    answer = await _in_own_thread(lambda: _answer(links, result))
    if isinstance(answer, Returned):
        mailbox.keep(group.name, links)
    return answer


def _answer(links: WorkerCommunicator, result: Callable[[], Any]) -> Returned | Raised:
    try:
        value = result()
    except BaseException as error:
        links.close(failed=True)
        return Raised(error)
    return Returned(value if links.rank == 0 else None, links.n_operations)


async def _in_own_thread(function: Callable[[], Any]) -> Any:
    """Call a function in a thread of its own, and return its result.

    In the threads of tasks, two computations that each have half of these would wait for each other for ever.
    """
    loop = asyncio.get_running_loop()
    result: asyncio.Future[Any] = loop.create_future()

    def run() -> None:
        found = function()
        # The worker may have ended meanwhile.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(settle, found)

    def settle(found: Any) -> None:
        if not result.done():
            result.set_result(found)

    threading.Thread(target=run, name="gpucluster-rank", daemon=True).start()
    return await result

"""Algorithms and single totals on blocks that workers keep already, without tasks: for what is over in half a second.

A graph costs 20 to 50 ms however little there is to compute, and a task for each rank 15 ms: the way through the
scheduler, connecting the ranks, and the way of the results back. Here each worker gets one message, runs its rank in a
thread beside its tasks, and answers with the result; the connections stay for the next computation of the same client
and workers. Which worker is asked for which block is remembered, as asking the scheduler takes 3 ms; whoever is asked
looks whether it has its blocks.

Dask's dashboard shows nothing of it, so only what is short may run this way (`PASSES_BYTES`). Where a block or a worker
is missing, or a rank was lost, tasks do it.
"""

from __future__ import annotations

import asyncio
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from ...dask_internals.collections import keys
from ...dask_internals.workers.worker_state import fetched, has_nanny, held, n_threads
from ..communicators.communicator import Communicator, Message, Operator, combine_all, in_host_memory
from ..communicators.mailbox import KEPT_SECONDS, Mailbox, close_job
from ..communicators.workers import WorkerCommunicator
from ..errors import PeerLost
from .block import Block, Partial
from .placement import block_bytes
from .ranks import forget_prepared, prepare
from .shard import Shard
from .table import Table

PASSES_BYTES = 1 << 30
"""So much the passes over each thread's part of a table may read together, which takes about half a second. On GPUs it
is more by their speed."""
PASSES_OF_TOTAL = 16  # A single total counts as so many passes: what it computes of each number is not known.
MOST_RANKS = 16  # Each takes a connection from the client to the scheduler.
RETURN_SECONDS = 5.0  # When a rank has returned, the others do so soon, unless they wait for a lost message.
CONNECT_SECONDS = 30.0  # So long ranks wait for each other in the beginning, should nobody be left who could tell them.
MOST_BLOCKS = 64
ANSWER_BYTES = 16 << 20  # So much all blocks' messages may have, where each has a square matrix of the columns.
MOST_TABLES = 8  # So many tables are remembered for each client.


class Asked(NamedTuple):
    """What a worker is to do with one block."""

    number: int
    start: int | None
    keys: tuple[Any, ...]  # Of X, y and weights; ``None`` for what there is not.
    holders: tuple[str, ...]  # Who keeps each of them.


class Assignment(NamedTuple):
    """Which worker is asked for which blocks of a table."""

    asked: dict[str, list[Asked]]  # By the worker's address.
    thread_bytes: float  # The most that one of them has for each of its threads.


class Group(NamedTuple):
    """Ranks that know each other."""

    name: str
    addresses: tuple[str, ...]
    connected: bool  # Whether they have had a computation before, and kept their connections.


class Returned(NamedTuple):
    """What a rank answers that has come to its end."""

    value: Any
    n_operations: int


class Raised(NamedTuple):
    """What a rank answers that has failed. It is not raised there, where it would be logged as the worker's failure."""

    error: BaseException


_known: WeakKeyDictionary[Any, dict[Any, Assignment]] = WeakKeyDictionary()
"""For each client by the keys of the table, the last ones used at the end."""
_idle: WeakKeyDictionary[Any, dict[tuple[str, ...], list[tuple[Group, float]]]] = WeakKeyDictionary()
"""For each client the groups that have nothing to do, by their addresses, and since when."""
_lock = threading.Lock()


def assigned(client: Any, table: Table, thread_bytes: float) -> dict[str, list[Asked]] | None:
    """Return for each worker, by its address, the blocks it is asked for: those it keeps, as evenly as possible.

    ``None`` where a block was not found, or a worker would have more than ``thread_bytes`` for each of its threads.
    """
    name = _name(table)
    with _lock:
        tables = _known.setdefault(client, {})
        assignment = tables.pop(name, None)
    if assignment is None:
        assignment = _asked_for(client, table)
    if assignment is None:
        return None
    with _lock:
        tables[name] = assignment
        while len(tables) > MOST_TABLES:
            del tables[next(iter(tables))]
    return assignment.asked if assignment.thread_bytes <= thread_bytes else None


def forget_assigned(client: Any, table: Table) -> None:
    """Ask the scheduler the next time: somebody who was asked had a block no more, or was not there."""
    with _lock:
        _known.get(client, {}).pop(_name(table), None)


def _parts(table: Table) -> list[Any]:
    return [None if part is None else keys(part) for part in (table.X, table.y, table.weights)]


def _name(table: Table) -> tuple[Any, ...]:
    return tuple(None if part is None else tuple(part) for part in _parts(table))


def _asked_for(client: Any, table: Table) -> Assignment | None:
    """Ask the scheduler who keeps the blocks; ``None`` where one was not found."""
    from distributed import futures_of

    from ...dask_internals.scheduler_information import kept

    parts = _parts(table)
    _, who_has, workers = kept(client, [future.key for future in futures_of(table.collections)])
    asked: dict[str, list[Asked]] = {}
    load: dict[str, int] = {}
    for number, (start, size) in enumerate(zip(table.starts(), block_bytes(table), strict=True)):
        own = tuple(None if part is None else part[number] for part in parts)
        holders = [() if key is None else tuple(who_has.get(key, ())) for key in own]
        if not all(each or key is None for each, key in zip(holders, own, strict=True)):
            return None
        address = min(holders[0], key=lambda each: load.get(each, 0))
        load[address] = load.get(address, 0) + size
        kept_by = tuple(address if address in each or not each else each[0] for each in holders)
        asked.setdefault(address, []).append(Asked(number, start, own, kept_by))
    if not workers.keys() >= load.keys():
        return None
    return Assignment(asked, max((size / workers[address]["nthreads"] for address, size in load.items()), default=0.0))


def is_small(table: Table) -> bool:
    """Whether a table is kept on workers in few blocks, whose totals are small."""
    width = 1 + sum(part.shape[1] if part.ndim == 2 else 1 for part in table.collections)
    return (
        table.is_persisted()
        and table.n_rows is not None
        and table.n_blocks <= MOST_BLOCKS
        and table.n_blocks * 8 * width**2 <= ANSWER_BYTES
    )


async def from_others(worker: Any, mine: Sequence[Asked]) -> dict[Any, Any]:
    """Return what belongs to this worker's blocks and is kept by others: y or weights."""
    wanted: dict[str, list[Any]] = {}
    for each in mine:
        for key, address in zip(each.keys, each.holders, strict=True):
            if key is not None and address != worker.address:
                wanted.setdefault(address, []).append(key)
    parts = await asyncio.gather(*(fetched(worker, address, keys) for address, keys in wanted.items()))
    return {key: value for part in parts for key, value in part.items()}


def block_of(worker: Any, asked: Asked, others: dict[Any, Any]) -> Block:
    """Return a block of which this worker keeps what others do not; `KeyError` where a part has been released."""
    values: list[Any] = [
        None if key is None else held(worker, key) if address == worker.address else others[key]
        for key, address in zip(asked.keys, asked.holders, strict=True)
    ]
    return Block(asked.number, asked.start, *values)


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
    """Call ``function(shard, **parameters)`` at the same time on all workers that keep blocks of the table.

    All ranks return the same. About ``passes`` times it goes through all rows, at most; with ``mpi``, ranks talk over
    MPI. Returns the result in a tuple, and ``None`` where tasks are needed.
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
        # Also after Ctrl-C. What ended it is what counts, also where the workers cannot be notified.
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


def total_in_place(
    client: Any, table: Table, partial: Partial, arguments: tuple[Any, ...], op: Operator
) -> tuple[Message] | None:
    """Return the total over all blocks, as `Rows.total`; ``None`` where a graph is needed."""
    parameters = {"partial": partial, "arguments": arguments, "op": op}
    return run_ranks_in_place(client, table, _total, parameters, passes=PASSES_OF_TOTAL)


def _total(shard: Shard, partial: Partial, arguments: tuple[Any, ...], op: Operator) -> Message:
    """Combine the messages of all ranks' blocks in the order of the rows."""

    def message(block: Block) -> Message:
        shard.communicator.raise_if_cancelled()
        return in_host_memory(partial(block, *arguments))

    return combine_all(op, *shard.map_blocks(message))


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

"""Algorithms and single totals on blocks that workers keep, without tasks: for computations below half a second.

Each worker gets one message, runs its rank in a thread beside its tasks, and returns the result; the connections stay
for the next computation of the same client and workers. The assignment of blocks to workers is cached, because a
request to the scheduler takes 3 ms; each worker checks whether it has its blocks. Dask's dashboard does not show these
computations, so they must be short (`PASSES_BYTES`).
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
"""Most bytes that all passes over a thread's part of a table read, in about half a second; on GPUs more by their
speed."""
PASSES_OF_TOTAL = 16  # A single total counts as 16 passes, because its work per number is unknown.
MOST_RANKS = 16  # Each takes a connection from the client to the scheduler.
RETURN_SECONDS = 5.0  # When a rank has returned, the others do so soon, unless they wait for a lost message.
CONNECT_SECONDS = 30.0  # How long ranks wait for each other's connections, even if the client is lost.
MOST_BLOCKS = 64
ANSWER_BYTES = 16 << 20  # Most bytes of all blocks' messages, if each has a square matrix of the columns.
MOST_TABLES = 8  # Tables that are cached for each client.


class Placement(NamedTuple):
    """One block of a worker, and where its parts are."""

    number: int
    start: int | None
    keys: tuple[Any, ...]  # Of X, y and weights; ``None`` for missing ones.
    holders: tuple[str, ...]  # Addresses of the workers that keep them.


class Assignment(NamedTuple):
    """The blocks of each worker."""

    blocks: dict[str, list[Placement]]  # By the worker's address.
    thread_bytes: float  # The most bytes for each thread of a worker.


class Group(NamedTuple):
    """Ranks that are connected, or will be."""

    name: str
    addresses: tuple[str, ...]
    connected: bool  # Whether they have kept their connections from an earlier computation.


class Returned(NamedTuple):
    """The answer of a rank that has finished."""

    value: Any
    n_operations: int


class Raised(NamedTuple):
    """The answer of a rank that has failed; raised on the worker, it would be logged as the worker's failure."""

    error: BaseException


_known: WeakKeyDictionary[Any, dict[Any, Assignment]] = WeakKeyDictionary()
"""For each client by the keys of the table, the last ones used at the end."""
_idle: WeakKeyDictionary[Any, dict[tuple[str, ...], list[tuple[Group, float]]]] = WeakKeyDictionary()
"""For each client the idle groups by their addresses, and since when."""
_lock = threading.Lock()


def assigned(client: Any, table: Table, thread_bytes: float) -> dict[str, list[Placement]] | None:
    """Return for each worker, by its address, the blocks that it computes: those it keeps, as evenly as possible.

    ``None`` where a block was not found, or a worker would have more than ``thread_bytes`` for each of its threads.
    """
    name = _name(table)
    with _lock:
        tables = _known.setdefault(client, {})
        assignment = tables.pop(name, None)
    if assignment is None:
        assignment = _assignment_of(client, table)
    if assignment is None:
        return None
    with _lock:
        tables[name] = assignment
        while len(tables) > MOST_TABLES:
            del tables[next(iter(tables))]
    return assignment.blocks if assignment.thread_bytes <= thread_bytes else None


def forget_assigned(client: Any, table: Table) -> None:
    """Drop the cached assignment of a table, because a worker has lost a block or has ended."""
    with _lock:
        _known.get(client, {}).pop(_name(table), None)


def _parts(table: Table) -> list[Any]:
    return [None if part is None else keys(part) for part in (table.X, table.y, table.weights)]


def _name(table: Table) -> tuple[Any, ...]:
    return tuple(None if part is None else tuple(part) for part in _parts(table))


def _assignment_of(client: Any, table: Table) -> Assignment | None:
    """Ask the scheduler for the workers that keep the blocks; ``None`` where one was not found."""
    from distributed import futures_of

    from ...dask_internals.scheduler_information import kept

    parts = _parts(table)
    _, who_has, workers = kept(client, [future.key for future in futures_of(table.collections)])
    blocks: dict[str, list[Placement]] = {}
    load: dict[str, int] = {}
    for number, (start, size) in enumerate(zip(table.starts(), block_bytes(table), strict=True)):
        own = tuple(None if part is None else part[number] for part in parts)
        holders = [() if key is None else tuple(who_has.get(key, ())) for key in own]
        if not all(each or key is None for each, key in zip(holders, own, strict=True)):
            return None
        address = min(holders[0], key=lambda each: load.get(each, 0))
        load[address] = load.get(address, 0) + size
        kept_by = tuple(address if address in each or not each else each[0] for each in holders)
        blocks.setdefault(address, []).append(Placement(number, start, own, kept_by))
    if not workers.keys() >= load.keys():
        return None
    return Assignment(blocks, max((size / workers[address]["nthreads"] for address, size in load.items()), default=0.0))


def _in_few_blocks(table: Table) -> bool:
    return table.is_persisted() and table.n_rows is not None and table.n_blocks <= MOST_BLOCKS


def is_small(table: Table) -> bool:
    """Whether workers keep a table in few blocks, with small totals."""
    width = 1 + sum(part.shape[1] if part.ndim == 2 else 1 for part in table.collections)
    return _in_few_blocks(table) and table.n_blocks * 8 * width**2 <= ANSWER_BYTES


async def from_others(worker: Any, mine: Sequence[Placement]) -> dict[Any, Any]:
    """Fetch the parts of this worker's blocks, y or weights, that other workers keep."""
    wanted: dict[str, list[Any]] = {}
    for each in mine:
        for key, address in zip(each.keys, each.holders, strict=True):
            if key is not None and address != worker.address:
                wanted.setdefault(address, []).append(key)
    parts = await asyncio.gather(*(fetched(worker, address, keys) for address, keys in wanted.items()))
    return {key: value for part in parts for key, value in part.items()}


def block_of(worker: Any, placement: Placement, others: dict[Any, Any]) -> Block:
    """Return a block from this worker's parts and those of others; raises `KeyError` where a part was released."""
    values: list[Any] = [
        None if key is None else held(worker, key) if address == worker.address else others[key]
        for key, address in zip(placement.keys, placement.holders, strict=True)
    ]
    return Block(placement.number, placement.start, *values)


def are_short(table: Table, passes: int) -> bool:
    """Whether this number of passes over a table can be short: workers keep it, in few blocks."""
    most_bytes = PASSES_BYTES * table.speed * MOST_RANKS
    return _in_few_blocks(table) and passes * sum(part.nbytes for part in table.collections) <= most_bytes


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

    All ranks return the same. The function makes at most about ``passes`` passes over all rows; with ``mpi``, ranks
    communicate over MPI. Returns the result in a tuple, and ``None`` where tasks are needed.
    """
    placements = assigned(client, table, PASSES_BYTES * table.speed / passes)
    if placements is None or len(placements) > MOST_RANKS:
        return None
    group = _leased(client, tuple(placements))
    try:
        prepare(client, list(placements))
        answers = client.sync(_all, client, group, placements, function, parameters, mpi)
    except PeerLost:
        forget_assigned(client, table)
        return None
    except BaseException:
        # Also after Ctrl-C. Raise the original error, even where the workers cannot be notified.
        with suppress(Exception):
            client.run(close_job, job=group.name, workers=list(placements), on_error="ignore")
        raise
    for answer in answers:
        if isinstance(answer, Raised) and not isinstance(answer.error, PeerLost):
            raise answer.error
    if not all(isinstance(answer, Returned) for answer in answers):
        forget_prepared(client)
        forget_assigned(client, table)
        return None
    # If the numbers differ, unread messages may be on their way.
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
    """Return idle ranks on these workers, or new ones."""
    with _lock:
        ours = _idle.setdefault(client, {}).pop(addresses, [])
        # Well before they expire on the workers.
        fresh = [(group, since) for group, since in ours if time.monotonic() - since < KEPT_SECONDS / 2]
        group = fresh.pop()[0] if fresh else Group(f"ranks-{uuid.uuid4().hex}", addresses, connected=False)
        if fresh:
            _idle[client][addresses] = fresh
    return group


# -- in the client's event loop ------------------------------------------------------------------------


async def _all(
    client: Any,
    group: Group,
    placements: dict[str, list[Placement]],
    function: Callable[..., Any],
    parameters: dict[str, Any],
    mpi: bool,
) -> list[Any]:
    """Return each rank's answer; when one has failed, or returned some time ago, end the others."""
    from ...dask_internals.clients import AFTER_THE_END

    calls = {
        asyncio.ensure_future(_one(client, address, group, rank, own, function, parameters, mpi)): address
        for rank, (address, own) in enumerate(placements.items())
    }
    pending, notified = set(calls), False
    while pending:
        timeout = RETURN_SECONDS if len(pending) < len(calls) and not notified else None
        done, pending = await asyncio.wait(pending, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        well = done and all(isinstance(call.result(), Returned) for call in done)
        if pending and not notified and not well:
            notified = True
            with suppress(*AFTER_THE_END):
                others = [calls[call] for call in pending]
                await client.run(close_job, job=group.name, workers=others, on_error="ignore")
    return [call.result() for call in calls]


async def _one(client: Any, address: str, *arguments: Any) -> Any:
    """Return a rank's answer, or the error if there is none."""
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
    placements: list[Placement],
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
        others = await from_others(dask_worker, placements)
        blocks = [block_of(dask_worker, each, others) for each in placements]
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
    """Call a function in a separate thread, and return its result.

    In the threads of tasks, two computations that each have half of these would wait for each other forever.
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

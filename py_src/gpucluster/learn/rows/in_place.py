"""Totals over blocks that workers keep already, asked of these workers directly.

A graph of tasks costs 50 ms however little there is to compute: building it, the client's message to the scheduler,
each task's way through the scheduler, and the result's way back. Here the client sends each worker one message, which
computes in the threads of its tasks, and gets one answer. That is for small tables, where those 50 ms are most of the
time. Dask's dashboard shows nothing of it: each thread has so little to do (`THREAD_BYTES`) that it would be over
before somebody has looked; larger tables are tasks. What is given up ends with the blocks that are being computed.
"""

from __future__ import annotations

import asyncio
import uuid
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from ...dask_internals.statuses import still_works
from ...dask_internals.worker_data import fetched, held, in_thread
from ...dask_internals.worker_state import n_threads
from ..communicators.communicator import Message, Operator, combine_all, in_host_memory
from .assignment import Asked, assigned, forget_assigned
from .block import Block, Partial
from .table import Table

THREAD_BYTES = 64 << 20
"""So much of a table each thread of the workers may have: it goes through that in about a tenth of a second. On GPUs it
is more by their speed."""
MOST_BLOCKS = 64
ANSWER_BYTES = 16 << 20
"""So much all blocks' messages may have together, where each has a square matrix of the columns."""
_REMEMBERED = 1000
"""So many totals that were given up a worker remembers."""


class Found(NamedTuple):
    """What comes of neighbouring blocks."""

    first: int
    """Number of the first of them."""
    message: Message


def is_small(table: Table) -> bool:
    """Whether a table is kept on workers in few blocks, whose totals are small."""
    width = 1 + sum(part.shape[1] if part.ndim == 2 else 1 for part in table.collections)
    return (
        table.is_persisted()
        and table.n_rows is not None
        and table.n_blocks <= MOST_BLOCKS
        and table.n_blocks * 8 * width**2 <= ANSWER_BYTES
    )


def total_in_place(
    client: Any, table: Table, partial: Partial, arguments: tuple[Any, ...], op: Operator
) -> tuple[Message] | None:
    """Return the total over all blocks; ``None`` where a graph is needed.

    That is where a block or worker was not found, and where a worker would have too much to do.

    Parameters
    ----------
    client : distributed.Client
    table : Table
        Kept on workers.
    partial, arguments, op
        As those of `Rows.total`.
    """
    asked = assigned(client, table, THREAD_BYTES * table.speed)
    if asked is None:
        return None
    with _given_up_when_interrupted(client, list(asked)) as job:
        answers = client.run(_totals, job, partial, arguments, op, asked, workers=list(asked), on_error="return")
    found: list[Found] = []
    missing = len(answers) < len(asked)
    for answer in answers.values():
        if answer is None or isinstance(answer, OSError):
            missing = True
        elif isinstance(answer, BaseException):
            raise answer
        else:
            found += answer
    if missing:
        forget_assigned(client, table)
        return None
    return (combine_all(op, *(part.message for part in sorted(found, key=lambda part: part.first))),)


@contextmanager
def _given_up_when_interrupted(client: Any, workers: list[str]) -> Iterator[str]:
    """Give a total a name, and tell the workers when nobody waits for it any more, as after Ctrl-C."""
    job = uuid.uuid4().hex
    try:
        yield job
    except BaseException:
        # What ended it is what counts, also where the workers cannot be told.
        with suppress(Exception):
            client.run(_give_up, job, workers=workers, on_error="ignore")
        raise


def _given_up_totals(worker: Any) -> deque[str]:
    """Return the totals that nobody waits for any more."""
    found: deque[str] = worker.__dict__.setdefault("_gpucluster_given_up", deque(maxlen=_REMEMBERED))
    return found


async def _give_up(job: str, dask_worker: Any) -> None:
    _given_up_totals(dask_worker).append(job)


async def _totals(
    job: str,
    partial: Partial,
    arguments: tuple[Any, ...],
    op: Operator,
    asked: dict[str, list[Asked]],
    dask_worker: Any,
) -> list[Found] | None:
    """Return the totals of this worker's blocks, those of neighbours together.

    ``None`` where a part is missing, as after its data were released, and where the total is given up.
    """
    mine = asked[dask_worker.address]
    others = await from_others(dask_worker, mine)
    left = deque(enumerate(mine))
    messages: list[Message] = [None] * len(mine)

    async def work() -> bool:
        while left:
            if job in _given_up_totals(dask_worker) or not still_works(dask_worker):
                return False
            place, each = left.popleft()
            try:
                block = block_of(dask_worker, each, others)
            except KeyError:
                return False
            messages[place] = await in_thread(dask_worker, _applied, partial, block, *arguments)
        return True

    if not all(await asyncio.gather(*(work() for _ in range(n_threads(dask_worker))))):
        return None
    return _of_neighbours(mine, messages, op)


def _applied(partial: Partial, block: Block, *arguments: Any) -> Message:
    """Return a block's message in host memory: brought there by the thread that made it, not by the event loop."""
    return in_host_memory(partial(block, *arguments))


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
    """Return a block of which this worker keeps what others do not.

    Raises
    ------
    KeyError
        A part is missing, as after its data were released.
    """
    values: list[Any] = [
        None if key is None else held(worker, key) if address == worker.address else others[key]
        for key, address in zip(asked.keys, asked.holders, strict=True)
    ]
    return Block(asked.number, asked.start, *values)


def _of_neighbours(asked: Sequence[Asked], messages: Sequence[Message], op: Operator) -> list[Found]:
    found: list[Found] = []
    last = None
    for each, message in sorted(zip(asked, messages, strict=True), key=lambda pair: pair[0].number):
        if last is not None and each.number == last + 1:
            found[-1] = Found(found[-1].first, combine_all(op, found[-1].message, message))
        else:
            found.append(Found(each.number, message))
        last = each.number
    return found

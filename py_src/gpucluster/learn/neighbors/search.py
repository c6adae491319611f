"""Ask all blocks of the training data for the neighbours of queries, wherever the blocks are.

Exact search: every query is compared with every row of a block (or with a k-d or ball tree of it) by scikit-learn, and
what was found in several blocks is merged along a tree. Source: V. Garcia, E. Debreuve and M. Barlaud, "Fast k nearest
neighbor search using GPU", CVPR Workshops (2008), whose distances, sorted, are here cut into blocks of rows.

Communication, for a block of q queries with d features: at most ``8 q d`` bytes to each block of the training data that
is on another worker, and ``16 q k`` bytes from it. The training data stay where they are, and nothing goes through the
client.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any, NamedTuple

from ..arrays import Array, Delayed
from ..communicators.communicator import Communicator
from ..rows.footprint import block_bytes
from ..rows.ranks import workers_of
from ..rows.reduction import tree_reduced
from ..rows.table import Table
from ..rows.threads import available_threads
from ..rows.waiting import current_client, persisted
from .block_index import BlockIndex, Found, build_joined, merge, nearest

INDEX_BYTES = 256 << 20
"""Blocks share an index up to that size."""


class Training(NamedTuple):
    """The rows among which neighbours are looked for."""

    blocks: list[Any]
    """`BlockIndex` of each block; on Dask what stands for it."""
    starts: list[int]
    """Number of the first row of each block."""
    lengths: list[int]
    """Number of rows of each block."""
    lazy: bool
    """Whether the blocks are on Dask."""


def build_indexes(table: Table, options: dict[str, Any], scope: ExitStack) -> list[Any]:
    """Make and keep the indexes of a table: one for each block, or for some small ones that follow each other.

    They are released when the scope ends, as that of `waiting`.
    """
    from dask.delayed import delayed

    make = delayed(build_joined, pure=False, traverse=False)
    blocks = table.delayed_blocks()
    # Each block on its own, not in a list: Dask would forget persisted blocks behind them.
    indexes = [make(options, *(part for number in group for part in blocks[number][:2])) for group in groups(table)]
    return list(persisted(scope, *indexes))


def groups(table: Table) -> list[list[int]]:
    """Return the blocks that share an index: as few indexes as there are threads, if they do not get too large.

    Each query is compared with each index, in a task of its own.
    """
    numbers = list(range(table.n_blocks))
    if table.n_rows is None:
        return [[number] for number in numbers]
    client = current_client()
    threads = (
        available_threads() if client is None else sum(worker["nthreads"] for worker in workers_of(client).values())
    )
    sizes = block_bytes(table)
    most = min(max(sum(sizes) / max(threads, 1), 1), INDEX_BYTES)
    found: list[list[int]] = []
    size = 0.0
    for number in numbers:
        # Halfway beyond the limit, the next group begins.
        if not found or size + sizes[number] / 2 > most:
            found.append([])
            size = 0.0
        found[-1].append(number)
        size += sizes[number]
    return found


def search_lazily(training: Training, queries: Delayed, k: int) -> Delayed:
    """Return what stands for the `Found` of one block of queries."""
    from dask.delayed import delayed

    ask = delayed(nearest, pure=False, traverse=False)
    found = [ask(block, start, queries, k) for block, start in zip(training.blocks, training.starts, strict=True)]
    return tree_reduced(merge, found, k)


def search_ranks(communicator: Communicator, block: BlockIndex, start: int, queries: Array, k: int) -> Found:
    """Return the neighbours of this rank's queries among all ranks' rows; all ranks must call this."""
    mine: Any = None
    for root in range(communicator.size):
        asked = communicator.broadcast(queries, root)
        found = communicator.reduce(nearest(block, start, asked, k), lambda one, other: merge(k, one, other), root=root)
        mine = found if communicator.rank == root else mine
    found_for_me: Found = mine
    return found_for_me

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

import numpy as np

from ...dask_internals.scheduler_information import known_workers
from ..arrays import Array, Delayed
from ..communicators.communicator import Communicator
from ..rows.placement import block_bytes
from ..rows.shard import available_threads
from ..rows.stream import tree_reduced
from ..rows.table import Table
from ..rows.waiting import current_client, persisted
from .block_index import BlockIndex, Found, build_joined, merge, nearest, queries_for

INDEX_BYTES = 256 << 20  # Blocks share an index up to that size.


class Training(NamedTuple):
    """The rows among which neighbours are looked for."""

    blocks: list[Any]  # `BlockIndex` of each block; on Dask what stands for it.
    starts: list[int]  # Number of the first row of each block.
    lengths: list[int]  # Number of rows of each block.
    lazy: bool  # Whether the blocks are on Dask.


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
        available_threads() if client is None else sum(worker["nthreads"] for worker in known_workers(client).values())
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
    return mine


class Around(NamedTuple):
    """The rows around some queries, in the order of their numbers; how many differs from query to query."""

    ends: Array  # Where the rows of each query end: array of shape (n_queries,).
    distances: Array  # Of all queries, one after the other: array of shape (n_found,), float64.
    rows: Array  # Numbers among all training rows: array of shape (n_found,), int64.

    def queries(self) -> Array:
        return np.repeat(np.arange(len(self.ends)), np.diff(self.ends, prepend=0))


def around(index: BlockIndex, start: int, queries: Array, radius: float) -> Around:
    """Return the rows of one block, whose first row has the number ``start``, that are so near to the queries."""
    if index.search is None or not len(queries):
        return Around(np.zeros(len(queries), np.int64), np.zeros(0), np.zeros(0, np.int64))
    distances, rows = index.search.radius_neighbors(queries_for(index.search, queries), radius)
    lengths = np.array([len(found) for found in rows], dtype=np.int64)
    flat = np.concatenate(rows).astype(np.int64) + start
    return _ordered(lengths, np.concatenate(distances).astype(np.float64), flat)


def merge_around(*found: Around) -> Around:
    """Return what was found in several blocks together."""
    lengths = np.sum([np.diff(one.ends, prepend=0) for one in found], axis=0)
    queries = np.concatenate([one.queries() for one in found])
    order = np.argsort(queries, kind="stable")
    distances = np.concatenate([one.distances for one in found])[order]
    return _ordered(lengths, distances, np.concatenate([one.rows for one in found])[order])


def around_but_itself(found: Around, start: int) -> Around:
    """Drop each query, which is a training row, from its own neighbours; ``start`` is the first one's number."""
    queries = found.queries()
    keep = found.rows != start + queries
    lengths = np.bincount(queries[keep], minlength=len(found.ends))
    return Around(np.cumsum(lengths), found.distances[keep], found.rows[keep])


def around_lazily(training: Training, queries: Delayed, radius: float) -> Delayed:
    """Return what stands for the rows around one block of queries."""
    from dask.delayed import delayed

    ask = delayed(around, pure=False, traverse=False)
    found = [ask(block, start, queries, radius) for block, start in zip(training.blocks, training.starts, strict=True)]
    return tree_reduced(merge_around, found)


def around_ranks(communicator: Communicator, block: BlockIndex, start: int, queries: Array, radius: float) -> Around:
    """Return the rows of all ranks around this rank's queries; all ranks must call this."""
    mine: Any = None
    for root in range(communicator.size):
        asked = communicator.broadcast(queries, root)
        found = communicator.reduce(around(block, start, asked, radius), merge_around, root=root)
        mine = found if communicator.rank == root else mine
    return mine


def split_up(found: Around, what: str, sort: bool) -> Array:
    """Return the ``distances`` or ``rows`` of each query: array of shape (n_queries,) of arrays, as in scikit-learn.

    Sorted: nearest first, and among equal distances those with the lower number; else by their numbers.
    """
    values = getattr(found, what)
    if sort:
        values = values[np.lexsort((found.rows, found.distances, found.queries()))]
    result = np.empty(len(found.ends), dtype=object)
    result[:] = np.split(values, found.ends[:-1]) if len(found.ends) else []
    return result


def _ordered(lengths: Array, distances: Array, rows: Array) -> Around:
    ends = np.cumsum(lengths)
    order = np.lexsort((rows, np.repeat(np.arange(len(lengths)), lengths)))
    return Around(ends, distances[order], rows[order])

"""Search all blocks of the training data for the neighbours of queries, on Dask and on ranks.

Exact search: scikit-learn compares every query with every row of a block (or with a k-d or ball tree of it), and the
results of several blocks are merged along a tree. Source: V. Garcia, E. Debreuve and M. Barlaud, "Fast k nearest
neighbor search using GPU", CVPR Workshops (2008); here their sorted distances are divided into blocks of rows.

Communication, for a block of q queries with d features: at most ``8 q d`` bytes to each block of the training data on
another worker, and ``16 q k`` bytes from it. The training data do not move, and nothing goes through the client.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from dask.delayed import delayed

from ...dask_internals.scheduler_information import known_workers
from ..arrays import Array, Delayed
from ..communicators.communicator import Communicator
from ..rows.placement import block_bytes
from ..rows.running import tree_reduced
from ..rows.shard import available_threads
from ..rows.table import Table
from ..rows.waiting import current_client, persisted
from .block_index import BlockIndex, build_joined, merge, nearest, queries_for, without_itself

INDEX_BYTES = 256 << 20  # Blocks share an index up to that size.


class Training(NamedTuple):
    """The training rows."""

    blocks: list[Any]  # `BlockIndex` of each block; on Dask delayed.
    starts: list[int]  # Number of the first row of each block.
    lengths: list[int]  # Number of rows of each block.
    lazy: bool  # Whether the blocks are on Dask.


def build_indexes(table: Table, options: dict[str, Any], scope: ExitStack) -> list[Any]:
    """Make and keep the indexes of a table: one for each block, or for some small ones that follow each other.

    They are released when the scope of `waiting` ends.
    """
    make = delayed(build_joined, pure=False, traverse=False)
    blocks = table.delayed_blocks()
    # Each block as a separate argument: Dask would forget persisted blocks in lists.
    indexes = [make(options, *(part for number in group for part in blocks[number][:2])) for group in groups(table)]
    return list(persisted(scope, *indexes))


def groups(table: Table) -> list[list[int]]:
    """Return the blocks that share an index: as few indexes as threads, if they do not get too large.

    Each query is compared with each index in a separate task.
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
        # A block that is more than half beyond the limit begins the next group.
        if not found or size + sizes[number] / 2 > most:
            found.append([])
            size = 0.0
        found[-1].append(number)
        size += sizes[number]
    return found


class Search(NamedTuple):
    """A kind of search: what to find in one block, and how to merge the results of several blocks."""

    find: Callable[..., Any]  # Called as ``find(block, start, queries)``.
    merge: Callable[..., Any]  # Called as ``merge(*found)``.
    without_itself: Callable[..., Any]
    """Called as ``without_itself(found, start)`` where queries are training rows from ``start`` on."""

    def delayed(self, training: Training, queries: Delayed) -> Delayed:
        find = delayed(self.find, pure=False, traverse=False)
        found = [find(block, start, queries) for block, start in zip(training.blocks, training.starts, strict=True)]
        return tree_reduced(self.merge, found)

    def on_ranks(self, communicator: Communicator, block: BlockIndex, start: int, queries: Array) -> Any:
        """Return the result for this rank's queries among all ranks' rows; all ranks must call this."""
        mine: Any = None
        for root in range(communicator.size):
            theirs = communicator.broadcast(queries, root)
            found = communicator.reduce(self.find(block, start, theirs), self.merge, root=root)
            mine = found if communicator.rank == root else mine
        return mine


def nearest_search(k: int) -> Search:
    return Search(partial(nearest, k=k), partial(merge, k), without_itself)


def radius_search(radius: float) -> Search:
    return Search(partial(around, radius=radius), merge_around, around_but_itself)


class Around(NamedTuple):
    """The rows around each query, in the order of their numbers."""

    ends: Array  # Where the rows of each query end: array of shape (n_queries,).
    distances: Array  # Of all queries, one after the other: array of shape (n_found,), float64.
    rows: Array  # Numbers among all training rows: array of shape (n_found,), int64.

    def queries(self) -> Array:
        return np.repeat(np.arange(len(self.ends)), np.diff(self.ends, prepend=0))


def around(index: BlockIndex, start: int, queries: Array, radius: float) -> Around:
    """Return the rows of one block within a radius of the queries; ``start`` is the number of its first row."""
    if index.search is None or not len(queries):
        return Around(np.zeros(len(queries), np.int64), np.zeros(0), np.zeros(0, np.int64))
    distances, rows = index.search.radius_neighbors(queries_for(index.search, queries), radius)
    lengths = np.array([len(found) for found in rows], dtype=np.int64)
    flat = np.concatenate(rows).astype(np.int64) + start
    return _ordered(lengths, np.concatenate(distances).astype(np.float64), flat)


def merge_around(*found: Around) -> Around:
    """Merge the results of several blocks."""
    lengths = np.sum([np.diff(one.ends, prepend=0) for one in found], axis=0)
    queries = np.concatenate([one.queries() for one in found])
    order = np.argsort(queries, kind="stable")
    distances = np.concatenate([one.distances for one in found])[order]
    return _ordered(lengths, distances, np.concatenate([one.rows for one in found])[order])


def around_but_itself(found: Around, start: int) -> Around:
    """Drop each query, a training row, from its own neighbours; ``start`` is the number of the first query."""
    queries = found.queries()
    keep = found.rows != start + queries
    lengths = np.bincount(queries[keep], minlength=len(found.ends))
    return Around(np.cumsum(lengths), found.distances[keep], found.rows[keep])


def split_up(found: Around, what: str, sort: bool) -> Array:
    """Return the ``distances`` or ``rows`` of each query: array of shape (n_queries,) of arrays, as in scikit-learn.

    Sorted: nearest first, at equal distances those with lower numbers first; otherwise by their numbers.
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

"""All training rows within a radius of each query, wherever the blocks are."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..arrays import Array, Delayed
from ..communicators.communicator import Communicator
from ..rows.reduction import tree_reduced
from .block_index import BlockIndex, queries_for
from .search import Training


class Around(NamedTuple):
    """The rows around some queries, in the order of their numbers; how many differs from query to query."""

    ends: Array
    """Where the rows of each query end: array of shape (n_queries,)."""
    distances: Array
    """Of all queries, one after the other: array of shape (n_found,), float64."""
    rows: Array
    """Numbers among all training rows: array of shape (n_found,), int64."""

    def queries(self) -> Array:
        """Return for each found row the query it belongs to."""
        return np.repeat(np.arange(len(self.ends)), np.diff(self.ends, prepend=0))


def around(index: BlockIndex, start: int, queries: Array, radius: float) -> Around:
    """Return the rows of one block that are at most so far from the queries.

    Parameters
    ----------
    index : BlockIndex
    start : int
        Number of the block's first row among all rows.
    queries : array of shape (n_queries, n_features)
    radius : float
    """
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
    found_for_me: Around = mine
    return found_for_me


def split_up(found: Around, what: str, sort: bool) -> Array:
    """Return the ``distances`` or ``rows`` of each query: array of shape (n_queries,) of arrays, as in scikit-learn.

    Parameters
    ----------
    found : Around
    what : {"distances", "rows"}
    sort : bool
        Nearest first, and among equal distances those with the lower number; else by their numbers.
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

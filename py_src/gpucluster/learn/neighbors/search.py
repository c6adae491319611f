"""Ask all blocks of the training data for the neighbours of queries, wherever the blocks are.

Exact search: every query is compared with every row of a block (or with a k-d or ball tree of it) by scikit-learn, and
what was found in several blocks is merged along a tree. Source: V. Garcia, E. Debreuve and M. Barlaud, "Fast k nearest
neighbor search using GPU", CVPR Workshops (2008), whose distances, sorted, are here cut into blocks of rows.

Communication, for a block of q queries with d features: at most ``8 q d`` bytes to each block of the training data that
is on another worker, and ``16 q k`` bytes from it. The training data stay where they are, and nothing goes through the
client.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..arrays import Array, Delayed
from ..communicators.communicator import Communicator
from ..rows.reduction import tree_reduced
from .block_index import BlockIndex, Found, build, merge, nearest


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


def build_indexes(table: Any, options: dict[str, Any]) -> list[Any]:
    """Make and keep the index of each block of a table where the block is."""
    from dask.base import persist
    from dask.delayed import delayed

    make = delayed(build, pure=False, traverse=False)
    return list(persist(*[make(X, y, options) for X, y, _ in table.delayed_blocks()]))


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

"""The rows of all ranks on each rank, or a random sample where not all fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ...dask_internals.machine import memory_bytes
from ...dask_internals.scheduler_information import known_workers
from ..arrays import Array, to_numpy
from ..checks import no_rows, not_finite
from ..rows.block import Block
from ..rows.placement import block_bytes
from ..rows.shard import Shard
from ..rows.table import Table
from ..rows.waiting import current_client

REPLICA_SHARE = 0.3  # Of the smallest worker's memory for all rows; its own blocks and the trees need the rest.


def all_rows(shard: Shard, target: Callable[[Block], Array] | None = None, *, missing: bool = False) -> Block:
    """Return the rows of all ranks as one block in their order, float32; each block goes to every rank once.

    ``target(block)`` replaces a block's y; ``missing`` allows NaN. Refuses infinity, and tables without rows.
    """
    comm = shard.communicator
    mine = {block.number: block for block in shard.blocks}
    places = [
        place
        for part in comm.allgather([(block.number, len(block), comm.rank) for block in shard.blocks])
        for place in part
    ]
    n_rows = sum(length for _, length, _ in places)
    if not n_rows:
        raise no_rows()
    X: Array | None = None
    targets: list[Array] = []
    weights: list[Array] = []
    start = 0
    for number, length, owner in sorted(places):
        message = None
        if (block := mine.get(number)) is not None:
            y = target(block) if target else to_numpy(block.y)
            message = _single(block.X), y, None if block.weights is None else to_numpy(block.weights)
        rows, y, weight = comm.broadcast(message, owner)
        if X is None:
            X = np.empty((n_rows, rows.shape[1]), np.float32)
        X[start : start + length] = rows
        start += length
        targets.append(y)
        weights += [] if weight is None else [weight]
    assert X is not None
    if np.isinf(X).any() if missing else not np.isfinite(X).all():
        raise not_finite(missing=missing)
    return Block(0, 0, X, np.concatenate(targets), np.concatenate(weights) if weights else None)


def fitting_table(table: Table, seed: int) -> Table:
    """Return the table, or a random sample that fits into the memory of every worker, as float32.

    A persisted table keeps its type, because float32 would be a second copy.
    """
    client = current_client()
    if client is None:
        smallest = float(memory_bytes())
    else:
        smallest = min((info["memory_limit"] or np.inf for info in known_workers(client).values()), default=np.inf)
    if np.isfinite(smallest):
        # X is sent as float32.
        needed = sum(block_bytes(table)) * (4 / table.X.dtype.itemsize)
        share = REPLICA_SHARE * smallest / max(needed, 1)
        if share < 1:
            table = _thinned(table.with_known_lengths(), share, seed)
    lazy: Any = table.X
    return table if table.is_persisted() else replace(table, X=lazy.map_blocks(_single, dtype=np.float32))


def _thinned(table: Table, share: float, seed: int) -> Table:
    from ..model_selection.split import train_test_split

    kept = max(1, int(share * (table.n_rows or 0)))
    parts: list[Any] = train_test_split(*table.collections, train_size=kept, random_state=seed)
    chosen = iter(parts[::2])
    return replace(table, **{name: next(chosen) for name in ("X", "y", "weights") if getattr(table, name) is not None})


def _single(X: Array) -> Array:
    # Numbers that are too large become infinite, which is refused.
    with np.errstate(over="ignore"):
        return to_numpy(X).astype(np.float32, copy=False)

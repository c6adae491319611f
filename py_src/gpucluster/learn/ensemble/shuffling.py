"""Shuffle rows between blocks, so that blocks are alike."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...dask_internals.collections import meta
from ..arrays import Array
from ..model_selection.choice import draws
from ..rows.table import Table


def shuffled(table: Table, seed: int) -> Table:
    """Return the same rows in as many blocks, each of them at random in one of these; lazily.

    Each row draws the number of its new block, which depends on its place among all rows only. Nearly all rows move to
    another block once: ``n_rows n_features`` numbers, in ``n_blocks²`` pieces.

    Parameters
    ----------
    table : Table
        Its rows are counted first where their number is unknown.
    seed : int
    """
    import dask.array as da
    from dask.delayed import delayed

    table = table.with_known_lengths()
    n_blocks = table.n_blocks
    piece, join = delayed(_piece, pure=True), delayed(_joined, pure=True)
    lengths = _lengths(table, seed)
    moved = {}
    for name in ("X", "y", "weights"):
        array = getattr(table, name)
        if array is None:
            continue
        blocks = list(zip(array.to_delayed().ravel(), table.starts(), strict=True))
        parts = [
            da.from_delayed(
                join(*[piece(block, start, seed, number, n_blocks) for block, start in blocks]),
                shape=(length, *array.shape[1:]), meta=meta(array),
            )
            for number, length in enumerate(lengths)
        ]  # fmt: skip
        moved[name] = da.concatenate(parts)
    return replace(table, **moved)


def _lengths(table: Table, seed: int) -> list[int]:
    counts = np.zeros(table.n_blocks, dtype=np.int64)
    for start, length in zip(table.starts(), table.X.chunks[0], strict=True):
        counts += np.bincount(_places(start or 0, length, seed, table.n_blocks), minlength=table.n_blocks)
    return [int(count) for count in counts]


def _places(start: int, length: int, seed: int, n_blocks: int) -> Array:
    """Return the new block of each of some consecutive rows."""
    return (draws(seed, start, length) % np.uint64(n_blocks)).astype(np.int64)


def _piece(block: Array, start: int, seed: int, number: int, n_blocks: int) -> Array:
    return block[_places(start, len(block), seed, n_blocks) == number]


def _joined(*pieces: Array) -> Array:
    return np.concatenate(pieces)

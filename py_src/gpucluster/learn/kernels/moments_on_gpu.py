"""Sums and products of the columns of a block on a GPU, which reads each row once.

As CuPy's operations, shifting the rows writes all of them down once more, and they are read twice after that.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from ..arrays import Array, Dtype, array_namespace_of, to_numpy
from .cuda import ALIGNED_BYTES, REALS, Launch, are_taken, device, device_of, n_blocks_for, on_device, pieces, run

MOST_COLUMNS = 64
"""With more, the products take longer than reading the rows, and matrix products of CuPy are better at them."""
ROWS = 128
SIDE = 4
"""Of the squares of products that a thread has in registers; with 8, fewer threads work at the same time (measured)."""
THREADS = 256


def is_taken(X: Array) -> bool:
    """Whether the kernel takes these rows: on a GPU, with few columns."""
    return 0 < int(X.shape[1]) <= MOST_COLUMNS and are_taken(X)


def products_of(X: Array, shift: Array, weights: Array | None, work: Dtype) -> tuple[Array, Array]:
    """Return the sums of rows and of their products with themselves, relative to a shift.

    Parameters
    ----------
    X : array of shape (n_rows, d)
        On a GPU; see `is_taken`.
    shift : array of shape (d,)
    weights : array of shape (n_rows,) or None
    work : numpy.dtype
        Of the products of some hundred rows, which then are added up in float64.

    Returns
    -------
    sums : array of shape (d,), float64
    products : array of shape (d, d), float64
        Both in this computer's memory.
    """
    number = device_of(X)
    with device(number):
        return _products(X, shift, weights, work, number)


def _products(X: Array, shift: Array, weights: Array | None, work: Dtype, number: int) -> tuple[Array, Array]:
    xp = array_namespace_of(X)
    n_rows, n_features = X.shape
    padded = _padded(n_features)
    launch = launch_for(X.dtype, n_features, work)
    n_blocks = n_blocks_for(launch, -(-n_rows // ROWS), number)
    inputs = [on_device(values, X, X.dtype) for values in (weights, shift)]
    total = xp.zeros((padded + 1, padded))
    for part, rows in pieces(X, max(1, n_rows)):
        made = xp.empty((n_blocks, padded + 1, padded))
        own = None if inputs[0] is None else inputs[0][part]
        run(launch, n_blocks, number, [rows, own, inputs[1], np.int64(len(rows)), made])
        total = total + made.sum(axis=0) if part.start else made.sum(axis=0)
    found = to_numpy(total)[:, :n_features]
    upper = found[1 : n_features + 1]
    return found[0], np.triu(upper) + np.triu(upper, 1).T


@cache
def launch_for(dtype: Dtype, n_features: int, work: Dtype) -> Launch:
    """Return how the kernel is launched."""
    padded, real = _padded(n_features), REALS[dtype.name]
    sides = padded // SIDE
    squares = sides * (sides + 1) // 2
    groups = max(1, THREADS // squares)
    n_threads = -(-groups * squares // 32) * 32
    macros = (
        ("REAL", real.name),
        ("REAL_BYTES", real.n_bytes),
        ("WORK", REALS[work.name].name),
        ("COLUMNS", n_features),
        ("SIDE", SIDE),
        ("GROUPS", groups),
        ("THREADS", n_threads),
        ("ROWS", ROWS),
    )
    tile = ROWS * (padded + ALIGNED_BYTES // work.itemsize + 1) * work.itemsize
    return Launch("moments", macros, n_threads, max(tile, padded * (padded + 1) * 8))


def _padded(n_features: int) -> int:
    return -(-n_features // SIDE) * SIDE

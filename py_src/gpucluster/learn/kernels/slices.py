"""Blocks in pieces that fit a processor's cache."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..arrays import Array, is_of_numpy

CACHE_BYTES = 2 << 20
FEWEST_ROWS = 4096  # Of a piece of any width: with fewer, adding up results costs more than the product.
GPU_BYTES = 256 << 20


def slices(X: Array) -> Iterator[slice]:
    """Yield slices of rows that fit into the cache, or that limit the temporary memory on GPUs."""
    n_rows, row_bytes = X.shape[0], max(1, X.shape[1] * X.dtype.itemsize)
    on_cpu = is_of_numpy(X)
    step = max(FEWEST_ROWS, (CACHE_BYTES if on_cpu else GPU_BYTES) // row_bytes)
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))


def pieces(X: Array) -> Iterator[tuple[slice, Array]]:
    """Yield slices and their rows, aligned for BLAS; the rows are only valid until the next step.

    Data that Dask has sent often begin at an odd address. NumPy multiplies such matrices without BLAS, 20 times slower;
    copying them piece by piece costs far less.
    """
    buffer = None
    for part in slices(X):
        if not is_of_numpy(X) or X.flags.aligned:
            yield part, X[part]
            continue
        if buffer is None:
            buffer = np.empty((part.stop - part.start, X.shape[1]), X.dtype)
        piece = buffer[: part.stop - part.start]
        piece[...] = X[part]
        yield part, piece

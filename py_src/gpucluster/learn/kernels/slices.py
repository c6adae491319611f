"""Blocks in pieces that fit a processor's cache; rows scaled or multiplied by a small matrix without another copy."""

from collections.abc import Iterator

import numpy as np

from ..arrays import Array, array_namespace_of, is_of_numpy

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


def projected(X: Array, shift: Array | None, axes: Array, offset: Array | None) -> Array:
    """Return ``(X - shift) @ axes + offset``, of shape (n_rows, n_components).

    ``shift`` has shape (n_features,) and the type of X, ``axes`` has shape (n_features, n_components), ``offset``
    (n_components,).
    """
    xp = array_namespace_of(X)
    axes = xp.asarray(axes)
    result = xp.empty((X.shape[0], axes.shape[1]), np.result_type(X.dtype, axes.dtype))
    if shift is not None:
        shift = xp.asarray(shift)
    for part, rows in pieces(X):
        xp.matmul(rows if shift is None else rows - shift, axes, out=result[part])
    if offset is not None:
        result += xp.asarray(offset)
    return result


Scale = tuple[Array | None, Array | None]  # Mean and scale of each column; ``None`` leaves the step out.


def scaled(X: Array, model: Scale) -> Array:
    """Return ``(X - mean) / scale``, in the type of X."""
    xp = array_namespace_of(X)
    mean, scale = model
    result = xp.empty(X.shape, X.dtype)
    for part in slices(X):
        rows = result[part]
        rows[...] = X[part]
        if mean is not None:
            # In two steps, so that float32 does not round the mean of data far from zero.
            rounded = mean.astype(X.dtype)
            rows -= xp.asarray(rounded)
            rows -= xp.asarray((mean - rounded).astype(X.dtype))
        if scale is not None:
            rows /= xp.asarray(scale, X.dtype)
    return result


def unscaled(X: Array, model: Scale) -> Array:
    """Return ``X * scale + mean``, in the type of X."""
    xp = array_namespace_of(X)
    mean, scale = model
    result = xp.empty(X.shape, X.dtype)
    for part in slices(X):
        rows = result[part]
        rows[...] = X[part]
        if scale is not None:
            rows *= xp.asarray(scale, X.dtype)
        if mean is not None:
            rows += xp.asarray(mean, X.dtype)
    return result


def clipped(X: Array, model: Scale) -> Array:
    """Return the same as `scaled`, clipped to -1 and 1."""
    result = scaled(X, model)
    array_namespace_of(X).clip(result, -1, 1, out=result)
    return result


def stretched(X: Array, model: Scale, bounds: tuple[float, float] | None) -> Array:
    """Return the same as `unscaled`, clipped to the bounds, if any."""
    result = unscaled(X, model)
    if bounds is not None:
        array_namespace_of(X).clip(result, *bounds, out=result)
    return result

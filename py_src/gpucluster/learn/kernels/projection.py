"""Rows times a small matrix, piece by piece, so that no shifted copy of the whole block is made."""

from __future__ import annotations

import numpy as np

from ..arrays import Array, array_namespace_of
from .slices import pieces


def projected(X: Array, shift: Array | None, axes: Array, offset: Array | None) -> Array:
    """Return ``(X - shift) @ axes + offset``.

    Parameters
    ----------
    X : array of shape (n_rows, n_features)
    shift : ndarray of shape (n_features,) or None
        Of the type of X, where differences to rows matter more than their size.
    axes : ndarray of shape (n_features, n_components)
    offset : ndarray of shape (n_components,) or None

    Returns
    -------
    array of shape (n_rows, n_components)
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

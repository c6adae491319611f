"""QR of one block, and of the small triangles of all blocks.

Source: A. Benson, D. Gleich and J. Demmel, "Direct QR Factorizations for Tall-and-Skinny Matrices in MapReduce
Architectures", IEEE Big Data 2013. Q is orthogonal to the last digits even where columns depend on each other.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array, array_namespace_of, to_numpy
from ..rows.block import Block


@np.errstate(invalid="ignore", over="ignore")
def triangle(block: Block) -> Array:
    """Return the R of a block: at most d rows of d columns, float64."""
    return to_numpy(array_namespace_of(block.X).linalg.qr(block.X.astype(np.float64), mode="r"))


def qr_of_stack(triangles: list[Array]) -> tuple[list[Array], Array]:
    """Return the QR of triangles that lie above each other.

    Parameters
    ----------
    triangles : list of ndarray of shape (at most d, d)

    Returns
    -------
    rotations : list of ndarray
        For each block, the small matrix T with ``Q = Q_block T``.
    R : ndarray of shape (at most d, d)
        Its diagonal is not negative, so that it does not depend on how rows were cut into blocks.
    """
    Q, R = np.linalg.qr(np.vstack(triangles))
    signs = np.where(np.diagonal(R) < 0, -1.0, 1.0)
    ends = np.cumsum([len(part) for part in triangles])
    return np.split(Q * signs, ends[:-1]), R * signs[:, None]


def orthogonal_rows(X: Array, rotation: Array) -> Array:
    """Return a block's rows of Q T, in the type of X."""
    xp = array_namespace_of(X)
    Q = xp.linalg.qr(X.astype(np.float64))[0]
    return (Q @ xp.asarray(rotation)).astype(X.dtype)

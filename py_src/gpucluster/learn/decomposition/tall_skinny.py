"""QR and singular value decomposition of tables with many rows and few columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from dask.delayed import delayed
from dask.highlevelgraph import HighLevelGraph
from sklearn.utils.extmath import svd_flip

from ...dask_internals.collections import meta
from ..arrays import Array, DaskArray, Data, Output
from ..checks import check_columns, check_finite, no_rows
from ..errors import InvalidData
from ..kernels.factor import orthogonal_rows, qr_of_stack, triangle
from ..keywords import takes_client
from ..rows.block import Rows
from ..rows.running import local_communicator, local_rows, run_table
from ..rows.table import Table, as_table, is_dask

Rest = TypeVar("Rest")


@takes_client
def tsqr(X: Data) -> tuple[Output, Array]:
    """Return the QR decomposition of a tall table, X = Q R.

    Algorithm: direct tall-skinny QR (Benson, Gleich and Demmel, 2013): each block's own QR, then one QR of their
    triangles. Computed in float64, whatever the type of X. Singular values of R are those of X to rounding errors of
    their largest one; Q is orthogonal even where columns depend on each other.

    Communication: ``8 d^2`` bytes per block to the client for R, and as many back with each block of Q, d the number of
    columns. Blocks with many more rows than columns keep that small. cuML has no such function.

    Parameters
    ----------
    X : Dask array or data frame, or array, of shape (n_rows, n_columns)
        Blocks may have fewer rows than columns, or none.

    Returns
    -------
    Q : Dask array of shape (n_rows, k)
        Lazy where X is, with the blocks and the type of X; k is the smaller one of n_rows and n_columns. Computing it
        goes through X once more.
    R : ndarray of shape (k, n_columns)
        float64; its diagonal is not negative.

    Raises
    ------
    InvalidData
        X holds NaN or infinity, or has too many columns.
    """
    return _decomposed(X, lambda R: (np.eye(len(R)), R))


@takes_client
def tssvd(X: Data) -> tuple[Output, Array, Array]:
    """Return the singular value decomposition of a tall table, X = U diag(s) Vt; see `tsqr`.

    Parameters
    ----------
    X : Dask array or data frame, or array, of shape (n_rows, n_columns)

    Returns
    -------
    U : Dask array of shape (n_rows, k)
        Lazy where X is, with the blocks and the type of X.
    s : ndarray of shape (k,)
        float64, largest first.
    Vt : ndarray of shape (k, n_columns)
        float64; the largest entry of each row is positive.

    Raises
    ------
    InvalidData
        X holds NaN or infinity, or has too many columns.
    """

    def decomposed(R: Array) -> tuple[Array, tuple[Array, Array]]:
        U, s, Vt = np.linalg.svd(R, full_matrices=False)
        U, Vt = svd_flip(U, Vt, u_based_decision=False)
        return U, (s, Vt)

    U, (s, Vt) = _decomposed(X, decomposed)
    return U, s, Vt


def _triangles(rows: Rows) -> list[Array]:
    return rows.map_blocks(triangle)


def _decomposed(X: Data, decomposed: Callable[[Array], tuple[Array, Rest]]) -> tuple[Output, Rest]:
    """Return Q times the first result of ``decomposed(R)``, and the second result."""
    if is_dask(X):
        table = as_table(X)
        check_columns(table.X, "tsqr")
        rotations, R = qr_of_stack(_checked(run_table(_triangles, table, {}, passes=1)))
        rotation, rest = decomposed(R)
        return _lazy(table, [part @ rotation for part in rotations]), rest
    X = np.asarray(X)
    if X.ndim != 2 or X.dtype.kind not in "fiub":
        raise InvalidData(f"X: a table of numbers with 2 dimensions is needed, not {X.ndim} of {X.dtype}.")
    X = X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)
    rotations, R = qr_of_stack(_checked(_triangles(local_rows(X))))
    rotation, rest = decomposed(R)
    return orthogonal_rows(X, rotations[local_communicator().rank] @ rotation), rest


def _checked(triangles: list[Array]) -> list[Array]:
    for part in triangles:
        check_finite(part)
    if not sum(map(len, triangles)):
        raise no_rows()
    return triangles


def _lazy(table: Table, rotations: list[Array]) -> DaskArray:
    """Return the Dask array whose blocks are those of X, made orthogonal."""
    import dask.array as da

    make = delayed(orthogonal_rows, pure=False)
    blocks = table.X.to_delayed(optimize_graph=False).ravel()
    made = [make(block, rotation) for block, rotation in zip(blocks, rotations, strict=True)]
    name = f"orthogonal-rows-{made[0].key}"
    # Not da.concatenate, which drops blocks without rows.
    graph = HighLevelGraph.from_collections(
        name, {(name, number, 0): block.key for number, block in enumerate(made)}, dependencies=made
    )
    return da.Array(graph, name, (table.X.chunks[0], (rotations[0].shape[1],)), meta=meta(table.X))

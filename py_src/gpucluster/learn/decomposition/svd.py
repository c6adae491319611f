"""Singular value decomposition without centring, and QR of tables with many rows and few columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np
from dask.delayed import delayed
from dask.highlevelgraph import HighLevelGraph
from sklearn.utils.extmath import svd_flip

from ...dask_internals.collections import meta
from ..arrays import Array, DaskArray, Data, Output, RandomState
from ..checks import check_columns, check_finite, no_rows
from ..delegation.methods import delegable
from ..errors import InvalidData, InvalidParameter
from ..kernels.moments import (
    Factor,
    Moments,
    factor,
    merge_factors,
    merge_moments,
    moments,
    orthogonal_rows,
    qr_of_stack,
    triangle,
    uncentred,
)
from ..keywords import takes_client
from ..parameters import one_of, parameter, whole
from ..rows.block import Rows
from ..rows.running import local_communicator, local_rows, run_table
from ..rows.table import Table, as_table, floating_type, is_dask
from .pca import AxesTransformer


class SingularAxes(NamedTuple):
    """Singular values and axes of the rows, not centred, largest singular value first."""

    values: Array  # Array of shape (k,).
    axes: Array  # Array of shape (k, n_features).
    variances: Array  # Of the rows along each axis: array of shape (k,).
    all_variance: float  # Sum of the columns' variances.


def axes_of_products(rows: Rows) -> SingularAxes:
    """Return the axes from X^T X: quick; singular values below 1e-8 of the largest one are rounding errors."""
    found: Moments = rows.total(moments, "float64", op=merge_moments)
    check_finite(found.scatter)
    if not found.n_rows:
        raise no_rows()
    products = found.scatter + found.weight * np.outer(found.mean, found.mean)
    squares, vectors = np.linalg.eigh(products)
    axes = vectors.T[::-1]
    variances = np.einsum("ij,jk,ik->i", axes, found.scatter, axes, optimize=True) / found.weight
    values = np.sqrt(np.maximum(squares[::-1], 0.0))
    return _signed(values, axes, variances, np.trace(found.scatter) / found.weight, found.n_rows)


def axes_of_factor(rows: Rows) -> SingularAxes:
    """Return the axes from the triangular factor of X: slower, with all digits of small singular values."""
    found: Factor = rows.total(factor, op=merge_factors)
    check_finite(found.R)
    if not found.n_rows:
        raise no_rows()
    _, values, axes = np.linalg.svd(uncentred(found), full_matrices=False)
    variances = ((found.R @ axes.T) ** 2).sum(axis=0) / found.weight
    return _signed(values, axes, variances, float((found.R**2).sum()) / found.weight, found.n_rows)


class TruncatedSVD(AxesTransformer):
    """Largest singular values and their axes, without centring the columns, in one pass over the rows.

    Algorithm: eigenvalues of X^T X, added up over blocks in float64 (``randomized``), or the singular values of the
    triangular factor of X, from a tree of small QRs (``arpack``; Demmel, Grigori, Hoemmen and Langou, 2012). Both are
    exact to rounding: the first one to 1e-8 of the largest singular value, the second one to 1e-15 of it.

    Communication: one message of ``8 (d + 1) d`` bytes per block of rows, combined along a tree, d the number of
    columns. scikit-learn's randomized algorithm would need ``n_iter`` more passes over the rows. cuML's
    ``cuml.dask.decomposition.TruncatedSVD`` sums X^T X as the first algorithm does.

    Parameters
    ----------
    n_components : int
        At most the number of columns.
    algorithm : {"randomized", "arpack"}
        scikit-learn's names; see above for what they mean here. ``full``, ``jacobi`` and ``auto`` (cuML) mean
        ``randomized``, ``tsqr`` (Dask-ML) means ``arpack``.
    n_iter, n_oversamples, power_iteration_normalizer, random_state, tol
        Without effect: nothing is approximated.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features_in_)
        float32 for float32 data. The largest entry of each row is positive.
    singular_values_ : ndarray of shape (n_components,)
    explained_variance_, explained_variance_ratio_ : ndarray of shape (n_components,)
        Variance of the transformed rows, and its share of the variance of all columns.
    n_components_ : int
    """

    _scikit_learn = "sklearn.decomposition.TruncatedSVD"

    n_components: int = parameter(2, whole(1), kw_only=False)
    algorithm: str = parameter("randomized", one_of("randomized", "arpack"))
    n_iter: int = 5
    n_oversamples: int = 10
    power_iteration_normalizer: str = "auto"
    random_state: RandomState = None
    tol: float = 0.0

    @delegable
    def fit(self, X: Data, y: Data | None = None) -> TruncatedSVD:
        """Find the axes."""
        algorithms = {"randomized": axes_of_products, "arpack": axes_of_factor}
        wanted = self.n_components
        check_columns(X, "TruncatedSVD")
        found: SingularAxes = self._fit_with(algorithms[self.algorithm], X, passes=1)
        if wanted > len(found.values):
            raise InvalidParameter(
                f"n_components({wanted}) must be <= n_features({self.n_features_in_}), and at most the number of rows."
            )
        dtype = floating_type(X)
        self.components_ = found.axes[:wanted].astype(dtype)
        self.n_components_ = int(wanted)
        self.singular_values_ = found.values[:wanted].astype(dtype)
        self.explained_variance_ = found.variances[:wanted].astype(dtype)
        self.explained_variance_ratio_ = (found.variances[:wanted] / (found.all_variance or 1.0)).astype(dtype)
        return self


def _signed(values: Array, axes: Array, variances: Array, all_variance: float, n_rows: float) -> SingularAxes:
    k = min(int(n_rows), len(axes))
    _, axes = svd_flip(None, np.ascontiguousarray(axes[:k]), u_based_decision=False)
    return SingularAxes(values[:k], axes, variances[:k], float(all_variance))


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
        raise InvalidData(f"X: must be a table of numbers with 2 dimensions, not {X.ndim} of {X.dtype}.")
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

"""Mean and scatter matrix of all rows in one pass, or its triangular factor; safe for data far from zero.

Sources: T. F. Chan, G. H. Golub and R. J. LeVeque, "Algorithms for Computing the Sample Variance: Analysis and
Recommendations", The American Statistician 37 (1983); B. P. Welford, Technometrics 4 (1962).

Each piece of rows is shifted by the median of a few of its rows before anything is squared, so that float32 data with
values like 1,000,000.1 keep their differences. The product of a piece is computed in the type of the data (a ``syrk``
of BLAS), pieces are added up in float64. On a GPU, a block of few columns is one piece for a kernel that reads each row
once (`on_gpu.moments`).

The factor has the content of the scatter matrix with twice the digits: the scatter matrix of nearly equal columns loses
their differences; its square root R, computed without squaring, keeps them. Sources: J. Demmel, L. Grigori, M. Hoemmen
and J. Langou, "Communication-optimal Parallel and Sequential QR and LU Factorizations", SIAM Journal on Scientific
Computing 34 (2012), for the tree of small QRs; Chan, Golub and LeVeque for the means. Their correction is one more row.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Array, Dtype, Namespace, array_namespace_of, to_numpy
from ..rows.block import Block
from .on_gpu import moments as moments_on_gpu
from .slices import slices

SAMPLE_ROWS = 64


class Moments(NamedTuple):
    """Moments of some rows, sent between ranks: ``8 (k + 1) k`` bytes for k columns."""

    n_rows: float  # Number of rows.
    weight: float  # Sum of their weights.
    mean: Array  # Array of shape (k,), float64.
    scatter: Array  # Weighted sum of ``(x - mean) (x - mean)^T``: array of shape (k, k), float64.


@np.errstate(invalid="ignore", over="ignore")
def moments(block: Block, work: str | None = None) -> Moments:
    """Return the moments of a block's columns, those of X followed by those of y.

    ``work`` is the type that products of pieces are computed in; that of X when not given. NaN where the data hold NaN
    or infinity, without a warning: the caller checks the total of all blocks.
    """
    xp = array_namespace_of(block.X)
    n_features = block.X.shape[1]
    y = None if block.y is None else as_columns(block.y)
    k = n_features + (0 if y is None else y.shape[1])
    dtype = np.dtype(work or block.X.dtype)
    if y is None and len(block) and moments_on_gpu.is_taken(block.X, dtype):
        return _in_one_piece(block, dtype)
    total = xp.zeros((k, k))
    weights, shifts, offsets = [], [], []
    buffer = None
    for part in slices(block.X):
        if buffer is None:
            buffer = xp.empty((part.stop - part.start, k), dtype)
        piece = buffer[: part.stop - part.start]
        shift = _shifted(xp, piece[:, :n_features], block.X[part])
        if y is not None:
            shift = xp.concatenate([shift, _shifted(xp, piece[:, n_features:], y[part])])
        weight = xp.ones(len(piece), dtype) if block.weights is None else block.weights[part].astype(dtype)
        sums = (weight @ piece).astype(np.float64)
        if block.weights is not None:
            piece *= xp.sqrt(weight)[:, None]
        total += piece.T @ piece
        size = float(weight.sum(dtype=np.float64))
        weights.append(size)
        shifts.append(shift)
        offsets.append(sums / size if size else xp.zeros(k))
    if not weights:
        return Moments(0.0, 0.0, np.zeros(k), np.zeros((k, k)))
    return _joined(xp, float(len(block)), xp.asarray(weights), xp.stack(shifts), xp.stack(offsets), total)


def merge_moments(one: Moments, other: Moments) -> Moments:
    """Return the moments of two sets of rows together (Chan et al., formula 2.1)."""
    weight = one.weight + other.weight
    if not weight:
        return one._replace(n_rows=one.n_rows + other.n_rows)
    apart = other.mean - one.mean
    scatter = one.scatter + other.scatter
    scatter += np.outer(apart, apart * (one.weight * (other.weight / weight)))
    return Moments(one.n_rows + other.n_rows, weight, one.mean + apart * (other.weight / weight), scatter)


def as_columns(y: Array) -> Array:
    """Return an array of one dimension as one column, others unchanged."""
    return y[:, None] if y.ndim == 1 else y


def _in_one_piece(block: Block, work: Dtype) -> Moments:
    shift = _shift(to_numpy(_sample(block.X)), block.X.dtype)
    weights = None if block.weights is None else block.weights.astype(block.X.dtype, copy=False)  # As in the kernel.
    sums, products = moments_on_gpu.products_of(block.X, shift, weights, work)
    weight = float(len(block) if weights is None else weights.sum(dtype=np.float64))
    offset = sums / weight if weight else np.zeros(len(sums))
    return _joined(
        array_namespace_of(sums),
        float(len(block)),
        np.asarray([weight]),
        shift[None].astype(np.float64),
        offset[None],
        products,
    )


def _sample(values: Array) -> Array:
    return values[:: max(1, len(values) // SAMPLE_ROWS)]


def _shift(sample: Array, dtype: Dtype) -> Array:
    """Return the median of some rows in this computer's memory.

    Not the mean: a single outlier would move it away from all other rows, and float32 would lose their differences.
    """
    middle = len(sample) // 2
    return np.partition(sample, middle, axis=0)[middle].astype(dtype)


def _shifted(xp: Namespace, into: Array, values: Array) -> Array:
    """Write values minus the median of some of them, and return that median as float64."""
    shift = xp.asarray(_shift(to_numpy(_sample(values)), into.dtype))
    xp.subtract(values, shift, out=into, casting="same_kind")
    return shift.astype(np.float64)


def _joined(xp: Namespace, n_rows: float, weights: Array, shifts: Array, offsets: Array, total: Array) -> Moments:
    """Return the moments of pieces, given the sum of their products about their shifts.

    A piece of weight w with mean m, ``shift + offset``, has contributed ``w offset offset^T`` too much, and
    ``w (m - mean) (m - mean)^T`` too little.
    """
    weight = float(weights.sum())
    means = shifts + offsets
    mean = means[0] + (weights @ (means - means[0]) / weight if weight else 0.0)
    roots = xp.sqrt(weights)[:, None]
    about = roots * offsets
    apart = roots * (means - mean)
    total += apart.T @ apart - about.T @ about
    return Moments(n_rows, weight, to_numpy(mean), to_numpy(total))


class Factor(NamedTuple):
    """Mean and factor of some rows, sent between ranks: at most ``8 (k + 1) k`` bytes for k columns."""

    n_rows: float
    weight: float
    mean: Array  # Array of shape (k,), float64.
    R: Array  # Array of shape (at most k, k), float64: R^T R is the scatter matrix.


@np.errstate(invalid="ignore", over="ignore")
def factor(block: Block) -> Factor:
    """Return mean and triangular factor of a block's columns, those of X followed by those of y."""
    xp = array_namespace_of(block.X)
    parts = [block.X] if block.y is None else [block.X, as_columns(block.y)]
    k = sum(part.shape[1] for part in parts)
    total = Factor(0.0, 0.0, np.zeros(k), np.zeros((0, k)))
    for part in slices(block.X):
        rows = xp.concatenate([values[part].astype(np.float64) for values in parts], axis=1)
        weights = xp.ones(len(rows)) if block.weights is None else block.weights[part].astype(np.float64)
        weight = float(weights.sum())
        shift = rows[0].copy()
        rows -= shift
        offset = weights @ rows / (weight or 1.0)
        rows -= offset
        if block.weights is not None:
            rows *= xp.sqrt(weights)[:, None]
        R = to_numpy(xp.linalg.qr(rows, mode="r"))
        total = merge_factors(total, Factor(float(len(rows)), weight, to_numpy(shift + offset), R))
    return total


def merge_factors(one: Factor, other: Factor) -> Factor:
    weight = one.weight + other.weight
    n_rows = one.n_rows + other.n_rows
    if not one.weight or not other.weight:
        return (one if one.weight else other)._replace(n_rows=n_rows)
    apart = other.mean - one.mean
    bridge = np.sqrt(one.weight * (other.weight / weight)) * apart
    R = array_namespace_of(one.R).linalg.qr(np.vstack([one.R, other.R, bridge]), mode="r")
    return Factor(n_rows, weight, one.mean + apart * (other.weight / weight), R)


def uncentred(found: Factor) -> Array:
    """Return the factor without centring: R^T R is the weighted sum of ``x x^T``."""
    return array_namespace_of(found.R).linalg.qr(np.vstack([found.R, np.sqrt(found.weight) * found.mean]), mode="r")


@np.errstate(invalid="ignore", over="ignore")
def triangle(block: Block) -> Array:
    """Return the R of a block: at most d rows of d columns, float64."""
    return to_numpy(array_namespace_of(block.X).linalg.qr(block.X.astype(np.float64), mode="r"))


def qr_of_stack(triangles: list[Array]) -> tuple[list[Array], Array]:
    """Return the QR of stacked triangles, each of shape (at most d, d).

    Returns a small matrix T for each block with ``Q = Q_block T``, and R. Its diagonal is not negative, so that it does
    not depend on the blocks.
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

"""Triangular factor of the centred rows in one pass: the content of the scatter matrix with twice the digits.

The scatter matrix of nearly equal columns loses their differences; its square root R, computed without squaring, keeps
them. Sources: J. Demmel, L. Grigori, M. Hoemmen and J. Langou, "Communication-optimal Parallel and Sequential QR and LU
Factorizations", SIAM Journal on Scientific Computing 34 (2012), for the tree of small QRs; Chan, Golub and LeVeque
(1983) for the means. Their correction is one more row here.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Array, array_namespace_of, to_numpy
from ..rows.block import Block
from .moments import as_columns
from .slices import slices


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

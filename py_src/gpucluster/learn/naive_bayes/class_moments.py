"""Means and variances of each class, whose rows are in many blocks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Array, Namespace, array_namespace_of, to_numpy
from ..checks import not_finite
from ..labels import checked_classes, labels_of, merge_classes
from ..rows.block import Block, Rows


class Moments(NamedTuple):
    """Weights, means and summed squared differences from the mean: of each class, and last of all rows, unweighted."""

    classes: Array
    """Array of shape (n_classes,)."""
    weight: Array
    """Array of shape (n_classes + 1,)."""
    mean: Array
    """Array of shape (n_classes + 1, n_features), float64."""
    squares: Array
    """Array of shape (n_classes + 1, n_features), float64."""


def gaussian_moments(rows: Rows) -> Moments:
    """Return each class's moments, in one pass.

    Source: T. F. Chan, G. H. Golub and R. J. LeVeque, "Updating Formulae and a Pairwise Algorithm for Computing Sample
    Variances", COMPSTAT (1982).
    """
    found = rows.total(_moments_of, op=merge_moments)
    checked_classes(None if found is None else found.classes)
    moments: Moments = found
    if not np.isfinite(moments.squares[-1]).all():
        raise not_finite()
    return moments


def _moments_of(block: Block) -> Moments | None:
    if len(block) == 0:
        return None
    xp = array_namespace_of(block.X)
    X = block.X.astype(np.float64, copy=False)
    classes, codes = np.unique(labels_of(block), return_inverse=True)
    codes = xp.asarray(codes)
    parts = [
        _moments(xp, X[codes == code], None if block.weights is None else block.weights[codes == code])
        for code in range(len(classes))
    ]
    weight, mean, squares = zip(*parts, _moments(xp, X, None), strict=True)
    return Moments(classes, np.asarray(weight), np.stack(mean), np.stack(squares))


def _moments(xp: Namespace, X: Array, weights: Array | None) -> tuple[float, Array, Array]:
    weights = xp.ones(len(X)) if weights is None else weights.astype(np.float64)
    weight = weights.sum()
    if weight == 0:
        return 0.0, np.zeros(X.shape[1]), np.zeros(X.shape[1])
    with np.errstate(invalid="ignore"):  # infinite values are told of later
        mean = weights @ X / weight
        return float(weight), to_numpy(mean), to_numpy(weights @ (X - mean) ** 2)


def merge_moments(one: Moments, other: Moments) -> Moments:
    """Return the moments of two sets of rows together."""
    classes = merge_classes(one.classes, other.classes)
    one, other = _widened(one, classes), _widened(other, classes)
    weight = one.weight + other.weight
    with np.errstate(invalid="ignore"):  # infinite weights are refused later
        share = np.divide(other.weight, weight, out=np.zeros_like(weight), where=weight != 0)[:, None]
        shift = other.mean - one.mean
        squares = one.squares + other.squares + shift**2 * (one.weight[:, None] * share)
        return Moments(classes, weight, one.mean + shift * share, squares)


def _widened(found: Moments, classes: Array) -> Moments:
    """Return the same with places for more classes."""
    places = [*np.searchsorted(classes, found.classes), len(classes)]

    def wider(array: Array) -> Array:
        result = np.zeros((len(classes) + 1, *array.shape[1:]))
        result[places] = array
        return result

    return Moments(classes, wider(found.weight), wider(found.mean), wider(found.squares))

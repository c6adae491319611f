"""A linear model of log-odds, on one block: its loss and gradient, and its predictions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Array, Namespace, array_namespace_of, to_numpy
from ..labels import codes_of, labels_at, labels_of
from ..rows.block import Block
from .slices import pieces, projected


class LossGradient(NamedTuple):
    """Sums over some rows, sent between ranks in each evaluation: ``8 K (d + 1) + 8`` bytes, K classes (1 for two)."""

    loss: float  # Sum of the rows' weighted losses.
    gradient: Array  # Array of shape (K, d + 1), the last column for the intercepts; float64.


@np.errstate(invalid="ignore", over="ignore")
def loss_gradient(block: Block, coef: Array, classes: Array, class_weights: Array) -> LossGradient:
    """Return loss and gradient of a block; all its labels are in the sorted ``classes``.

    ``coef`` has shape (K, d + 1), intercepts in the last column; ``class_weights`` has shape (n_classes,) or is
    ``None``.
    """
    xp = array_namespace_of(block.X)
    total, gradient = 0.0, np.zeros(coef.shape)
    if not len(block):
        return LossGradient(total, gradient)
    labels = labels_of(block)
    codes = (labels == classes[1]).astype(np.intp) if len(classes) == 2 else codes_of(labels, classes)
    weights = row_weights(block, codes, class_weights)
    codes = xp.asarray(codes)
    slopes, intercepts = xp.asarray(coef[:, :-1].T, block.X.dtype), xp.asarray(coef[:, -1], block.X.dtype)
    one = _two_classes if len(classes) == 2 else _many_classes
    for part, X in pieces(block.X):
        raw = X @ slopes
        raw += intercepts
        losses, residual = one(xp, raw, codes[part])
        if weights is not None:
            here = xp.asarray(weights[part])
            losses = losses * here
            residual *= here[:, None].astype(residual.dtype)
        total += float(losses.sum(dtype=np.float64))
        gradient[:, :-1] += to_numpy(residual.T @ X)
        gradient[:, -1] += to_numpy(residual.sum(axis=0, dtype=np.float64))
    return LossGradient(total, gradient)


def row_weights(block: Block, codes: Array, class_weights: Array) -> Array:
    """Return the weight of each row: array of shape (n_rows,), or ``None`` where all weigh 1."""
    weights = None if block.weights is None else to_numpy(block.weights).astype(np.float64)
    if class_weights is None:
        return weights
    return class_weights[codes] if weights is None else weights * class_weights[codes]


def _two_classes(xp: Namespace, raw: Array, codes: Array) -> tuple[Array, Array]:
    """Return losses, and probability minus truth as an array of shape (n_rows, 1)."""
    truth = codes[:, None].astype(raw.dtype)
    small = xp.exp(-xp.abs(raw))
    losses = xp.log1p(small) + xp.maximum(raw, 0) - truth * raw
    residual = xp.where(raw >= 0, xp.ones_like(small), small) / (1 + small) - truth
    return losses[:, 0], residual


def _many_classes(xp: Namespace, raw: Array, codes: Array) -> tuple[Array, Array]:
    """Return losses, and probabilities minus truth as an array of shape (n_rows, K)."""
    rows = xp.arange(len(raw))
    raw -= raw.max(axis=1, keepdims=True)
    chosen = raw[rows, codes]
    xp.exp(raw, out=raw)
    sums = raw.sum(axis=1)
    raw /= sums[:, None]
    raw[rows, codes] -= 1
    return xp.log(sums) - chosen, raw


def scores(X: Array, coef: Array) -> Array:
    """Return log-odds, (n_rows,) or (n_rows, K); ``coef``, (K, d + 1), has intercepts last; K = 1 for two classes."""
    raw = projected(X, None, coef[:, :-1].T, coef[:, -1])
    return raw[:, 0] if len(coef) == 1 else raw


def predicted(X: Array, coef: Array, classes: Array) -> Array:
    """Return each row's most probable class."""
    found = scores(X, coef)
    codes = (found > 0).astype(np.intp) if found.ndim == 1 else found.argmax(axis=1)
    return labels_at(codes, classes, X)


def log_probabilities(X: Array, coef: Array) -> Array:
    """Return the logarithms of `probabilities`."""
    xp = array_namespace_of(X)
    with np.errstate(divide="ignore"):
        return xp.log(probabilities(X, coef))


def probabilities(X: Array, coef: Array) -> Array:
    """Return each row's probability of each class: array of shape (n_rows, n_classes)."""
    xp = array_namespace_of(X)
    raw = projected(X, None, coef[:, :-1].T, coef[:, -1])
    if raw.shape[1] == 1:
        small = xp.exp(-xp.abs(raw))
        second = xp.where(raw >= 0, 1.0, small) / (1 + small)
        return xp.concatenate([1 - second, second], axis=1)
    raw -= raw.max(axis=1, keepdims=True)
    xp.exp(raw, out=raw)
    raw /= raw.sum(axis=1, keepdims=True)
    return raw

"""Forward and backward pass of a fully connected network, on NumPy and CuPy arrays alike.

Source: D. E. Rumelhart, G. E. Hinton and R. J. Williams, "Learning representations by back-propagating errors", Nature
323 (1986).
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from ..arrays import Array, array_namespace_of

Layers = tuple[Array, ...]
"""Weights and biases by turns: arrays of shape (n_in, n_out) and (n_out,)."""


def first_layers(sizes: list[int], seed: int, dtype: DTypeLike) -> Layers:
    """Return weights to begin with.

    Uniform within ``sqrt(6 / (n_in + n_out))``: X. Glorot and Y. Bengio, "Understanding the difficulty of training deep
    feedforward neural networks", AISTATS 2010.

    Parameters
    ----------
    sizes : list of int
        Of the input, the hidden layers and the output.
    seed : int
        The same weights on all ranks.
    dtype
        Of the weights.
    """
    rng = np.random.default_rng(seed)
    layers: list[Array] = []
    for n_in, n_out in pairwise(sizes):
        bound = np.sqrt(6 / (n_in + n_out))
        layers += [rng.uniform(-bound, bound, (n_in, n_out)).astype(dtype), np.zeros(n_out, dtype=dtype)]
    return tuple(layers)


def forward(X: Array, layers: Layers) -> list[Array]:
    """Return the input and what each layer makes of it; the last one's are scores, before the softmax."""
    xp = array_namespace_of(X)
    values = [X]
    last = len(layers) // 2 - 1
    for number in range(last + 1):
        weights, bias = xp.asarray(layers[2 * number]), xp.asarray(layers[2 * number + 1])
        score = values[-1] @ weights + bias
        values.append(score if number == last else xp.maximum(score, 0))
    return values


def probabilities(X: Array, layers: Layers) -> Array:
    """Return the probability of each class, of shape (n_rows, n_classes)."""
    return _softmax(forward(X, layers)[-1])


def gradients(X: Array, wanted: Array, weights: Array | None, layers: Layers) -> tuple[Any, ...]:
    """Return the gradients of the summed cross entropy, then that sum and the sum of weights.

    Sums, not means: the gradient of two blocks together is the sum of theirs, however many rows each has.

    Parameters
    ----------
    X : array of shape (n_rows, n_features)
    wanted : integer array of shape (n_rows,)
        Number of each row's class.
    weights : array of shape (n_rows,), optional
        Of the rows.
    layers
        As `first_layers` makes them.
    """
    xp = array_namespace_of(X)
    values = forward(X, layers)
    chances = _softmax(values[-1])
    rows = xp.arange(len(wanted))
    weigh = xp.ones(len(wanted), dtype=X.dtype) if weights is None else xp.asarray(weights, dtype=X.dtype)
    tiny = np.finfo(X.dtype).tiny
    loss = float(-(weigh * xp.log(xp.maximum(chances[rows, wanted], tiny))).sum())
    error = chances
    error[rows, wanted] -= 1
    error *= weigh[:, None]
    found: list[Array] = []
    for number in reversed(range(len(layers) // 2)):
        found += [error.sum(axis=0), values[number].T @ error]
        if number:
            error = (error @ xp.asarray(layers[2 * number]).T) * (values[number] > 0)
    return (*reversed(found), np.float64(loss), np.float64(weigh.sum()))


def _softmax(scores: Array) -> Array:
    xp = array_namespace_of(scores)
    # Only differences count; without this, large scores overflow.
    powers = xp.exp(scores - scores.max(axis=1, keepdims=True)) if len(scores) else scores
    return powers / powers.sum(axis=1, keepdims=True)

"""A fully connected network and its data-parallel training: all ranks add up their gradients at each step.

Sources: D. E. Rumelhart, G. E. Hinton and R. J. Williams, "Learning representations by back-propagating errors", Nature
323 (1986); P. Goyal et al., "Accurate, Large Minibatch SGD: Training ImageNet in 1 Hour", arXiv:1706.02677 (2017), for
one allreduce of the gradients per step; D. P. Kingma and J. Ba, "Adam: A Method for Stochastic Optimization", ICLR
2015.

Each step takes one allreduce of all weights: ``8 n`` bytes per message in float64, with ``n`` weights.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from ..arrays import Array, array_namespace_of, to_numpy
from ..checks import check_weight, no_rows, total_weight
from ..errors import InvalidData
from ..kernels.random_numbers import uniform
from ..labels import codes_of, labels_of
from ..rows.block import Block, Rows

Layers = tuple[Array, ...]  # Weights and biases, alternating: arrays of shape (n_in, n_out) and (n_out,).


def first_layers(sizes: list[int], seed: int, dtype: DTypeLike) -> Layers:
    """Return the first weights, the same on all ranks, for sizes of the input, the hidden layers and the output.

    Uniform within ``sqrt(6 / (n_in + n_out))``: X. Glorot and Y. Bengio, "Understanding the difficulty of training deep
    feedforward neural networks", AISTATS 2010.
    """
    rng = np.random.default_rng(seed)
    layers: list[Array] = []
    for n_in, n_out in pairwise(sizes):
        bound = np.sqrt(6 / (n_in + n_out))
        layers += [rng.uniform(-bound, bound, (n_in, n_out)).astype(dtype), np.zeros(n_out, dtype=dtype)]
    return tuple(layers)


def forward(X: Array, layers: Layers) -> list[Array]:
    """Return the input and the output of each layer; that of the last one before the softmax."""
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

    Sums, not means, so that the gradients of two blocks can be added. ``wanted`` is the number of each row's class.
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
    # The shift does not change the result, but avoids overflow.
    powers = xp.exp(scores - scores.max(axis=1, keepdims=True)) if len(scores) else scores
    return powers / powers.sum(axis=1, keepdims=True)


FIRST_MOMENT, SECOND_MOMENT, SMALL = 0.9, 0.999, 1e-8  # Of Adam, as in the paper.


class Network(NamedTuple):
    """A trained network."""

    layers: Layers
    losses: list[float]  # Mean cross entropy per epoch, with the penalty.
    step: Any = None  # The optimizer with its state.


def train(
    rows: Rows, *, classes: Array, hidden: list[int], alpha: float, batch_size: int, learning_rate: float,
    max_iter: int, tol: float, patience: int, solver: str, momentum: float, seed: int, shuffle: bool,
    start: Network | None = None,
) -> Network:  # fmt: skip
    """Train a network by mini-batches of the rows of all ranks, optionally from the network ``start``.

    A row's batch depends on its number among all rows, on the epoch and on the seed, not on its block. So apart from
    rounding, a network does not depend on the blocks. ``batch_size`` is the average of all ranks together. Training
    stops after ``max_iter`` epochs, or when the loss has not improved by ``tol`` in ``patience`` of them. Raises
    `InvalidData` where there is no row, or the loss is not finite.
    """
    rows = rows.with_starts()
    n_rows = rows.total(len)
    if not n_rows:
        raise no_rows()
    check_weight(rows.total(total_weight), negative=True)
    n_features, double = rows.total(_shape, op="max")
    if start is None:
        layers = first_layers([n_features, *hidden, len(classes)], seed, np.float64 if double else np.float32)
    else:
        layers = start.layers
    step = None if start is None else start.step
    if step is None:
        step = _Adam(layers, learning_rate) if solver == "adam" else _Momentum(layers, learning_rate, momentum)
    n_batches = max(1, -(-n_rows // batch_size))
    past = 0 if start is None else len(start.losses)
    losses: list[float] = []
    best, since = np.inf, 0
    for epoch in range(past, past + max_iter):
        total = weight = 0.0
        for batch in range(n_batches):
            summed = rows.total(_batch_gradients, classes, layers, batch, n_batches, seed, epoch if shuffle else 0)
            if summed is None or not summed[-1]:
                continue
            *sums, loss, count = summed
            if not np.isfinite(loss):
                raise InvalidData(
                    "X: the loss is not finite. Check X for NaN and infinity, scale its columns (StandardScaler), or "
                    "lower learning_rate_init."
                )
            penalty = sum(float((part.astype(np.float64) ** 2).sum()) for part in layers[::2])
            total += loss + 0.5 * alpha * penalty
            weight += count
            means = [
                to_numpy(part) / count + (alpha * layers[number] / count if number % 2 == 0 else 0)
                for number, part in enumerate(sums)
            ]
            layers = step(layers, means)
        losses.append(total / weight)
        since = 0 if losses[-1] < best - tol else since + 1
        best = min(best, losses[-1])
        if since >= patience:
            break
    return Network(layers, losses, step)


def _shape(block: Block) -> tuple[int, int]:
    """Return the number of columns, and whether they are float64."""
    return int(block.X.shape[1]), int(block.X.dtype == np.float64)


def _batch_gradients(
    block: Block, classes: Array, layers: Layers, batch: int, n_batches: int, seed: int, epoch: int
) -> tuple[Any, ...] | None:
    xp = array_namespace_of(block.X)
    X, y, weights = block.X, labels_of(block), block.weights
    if n_batches > 1:
        assert block.start is not None
        order, ends = _batches(block.start, len(block), seed, epoch, n_batches)
        chosen = order[ends[batch] : ends[batch + 1]]
        y, chosen = y[chosen], xp.asarray(chosen)
        X, weights = X[chosen], None if weights is None else weights[chosen]
    if not len(y):
        return None
    wanted = xp.asarray(codes_of(y, classes))
    return gradients(X.astype(layers[0].dtype, copy=False), wanted, weights, layers)


@lru_cache(maxsize=64)
def _batches(start: int, length: int, seed: int, epoch: int, n_batches: int) -> tuple[Array, Array]:
    """Return the rows of a block in the order of their batches, and the start of each batch."""
    numbers = np.floor(uniform(np.empty(0), start, length, seed, epoch) * n_batches).astype(np.intp)
    ends = np.searchsorted(np.sort(numbers), np.arange(n_batches + 1))
    return np.argsort(numbers, kind="stable"), ends


class _Adam:
    def __init__(self, layers: Layers, rate: float) -> None:
        self._rate = rate
        self._mean = [np.zeros_like(part) for part in layers]
        self._square = [np.zeros_like(part) for part in layers]
        self._steps = 0

    def __call__(self, layers: Layers, slopes: list[Array]) -> Layers:
        self._steps += 1
        bias = np.sqrt(1 - SECOND_MOMENT**self._steps) / (1 - FIRST_MOMENT**self._steps)
        moved = []
        for number, (part, slope) in enumerate(zip(layers, slopes, strict=True)):
            self._mean[number] = FIRST_MOMENT * self._mean[number] + (1 - FIRST_MOMENT) * slope
            self._square[number] = SECOND_MOMENT * self._square[number] + (1 - SECOND_MOMENT) * slope**2
            change = self._rate * bias * self._mean[number] / (np.sqrt(self._square[number]) + SMALL)
            moved.append((part - change).astype(part.dtype))
        return tuple(moved)


class _Momentum:
    def __init__(self, layers: Layers, rate: float, momentum: float) -> None:
        self._rate, self._momentum = rate, momentum
        self._speed = [np.zeros_like(part) for part in layers]

    def __call__(self, layers: Layers, slopes: list[Array]) -> Layers:
        moved = []
        for number, (part, slope) in enumerate(zip(layers, slopes, strict=True)):
            self._speed[number] = self._momentum * self._speed[number] - self._rate * slope
            moved.append((part + self._speed[number]).astype(part.dtype))
        return tuple(moved)

"""Momentum, and a loop over rows."""

import math

import numpy as np


def loss_and_gradient(X, y, weights):
    loss, gradient = 0.0, [0.0] * len(weights)
    for row, label in zip(X.tolist(), y.tolist(), strict=False):
        z = weights[-1] + sum(w * x for w, x in zip(weights, row, strict=False))
        v = -z if label == 1 else z
        loss += v + math.log1p(math.exp(-v)) if v > 0 else math.log1p(math.exp(v))
        chance = 1 / (1 + math.exp(-z)) if z > 0 else math.exp(z) / (1 + math.exp(z))
        for j, x in enumerate([*row, 1.0]):
            gradient[j] += (chance - label) * x
    return loss, np.array(gradient)


def descend(evaluate, weights):
    speed = np.zeros_like(weights)
    for _ in range(250):
        _, gradient = evaluate(weights)
        speed = 0.7 * speed - 0.5 * gradient
        weights = weights + speed
    return weights

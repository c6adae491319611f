"""Wrong: asks evaluate 5,000 times, and at most 500 are allowed."""

import numpy as np


def loss_and_gradient(X, y, weights):
    z = X @ weights[:-1] + weights[-1]
    sign = np.where(np.asarray(y) > 0, 1.0, -1.0)
    loss = np.logaddexp(0, -sign * z).sum()
    chance = np.exp(-np.logaddexp(0, -z))
    error = chance - (sign > 0)
    return loss, np.append(error @ X, error.sum())


def descend(evaluate, weights):
    weights = np.array(weights, dtype=float)
    for _ in range(5000):
        loss, gradient = evaluate(weights)
        weights = weights - 0.1 * gradient
    return weights

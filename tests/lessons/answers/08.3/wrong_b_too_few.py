"""Wrong: stops after 20 small steps, when each of them still helps a lot."""

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
    for _ in range(20):
        loss, gradient = evaluate(weights)
        weights = weights - 0.01 * gradient
    return weights

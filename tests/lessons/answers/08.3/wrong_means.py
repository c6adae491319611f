"""Means per block do not add up."""

import numpy as np


def loss_and_gradient(X, y, weights):
    z = X @ weights[:-1] + weights[-1]
    loss = np.logaddexp(0, np.where(y == 1, -z, z)).mean()
    slope = (0.5 * (1 + np.tanh(z / 2)) - y) / len(X)
    return loss, np.append(slope @ X, slope.sum())


def descend(evaluate, weights):
    for _ in range(300):
        weights = weights - evaluate(weights)[1]
    return weights

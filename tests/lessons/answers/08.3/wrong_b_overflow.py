"""Wrong: log(1 + exp(-yz)) is infinite for a large z, although e to the 1000 is too large for a number."""

import numpy as np


def loss_and_gradient(X, y, weights):
    z = X @ weights[:-1] + weights[-1]
    sign = 2.0 * y - 1
    loss = np.log(1 + np.exp(-sign * z)).sum()
    error = 1 / (1 + np.exp(-z)) - y
    return loss, np.append(X.T @ error, error.sum())


def descend(evaluate, weights):
    weights = np.array(weights, dtype=float)
    loss, gradient = evaluate(weights)
    step, used = 1.0, 1
    while used < 500 and np.abs(gradient).max() > 1e-7 and step > 1e-12:
        trial = weights - step * gradient
        new_loss, new_gradient = evaluate(trial)
        used += 1
        if new_loss < loss:
            weights, loss, gradient = trial, new_loss, new_gradient
            step *= 1.5
        else:
            step /= 2
    return weights

import numpy as np
from scipy.special import expit


def loss_and_gradient(X, y, weights):
    z = X @ weights[:-1] + weights[-1]
    s = 2 * y - 1
    r = expit(z) - y
    return np.logaddexp(0, -s * z).sum(), np.append(r @ X, r.sum())


def descend(evaluate, weights):
    for _ in range(200):
        weights -= evaluate(weights)[1]
    return weights

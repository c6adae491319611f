"""Each block divides by its own number of rows, and the sum of these is used."""

import numpy as np


def products(X, y):
    Z = np.column_stack([X, np.ones(len(X))])
    return Z.T @ Z / len(X), Z.T @ y / len(X)


def ridge(merged, alpha):
    square, right = merged
    penalty = np.diag([alpha] * (len(right) - 1) + [0.0])
    w = np.linalg.solve(square + penalty, right)
    return w[:-1], w[-1]

"""Sends all rows."""

import numpy as np


def products(X, y):
    everything = np.zeros((400, X.shape[1] + 2))
    everything[: len(X)] = np.column_stack([X, np.ones(len(X)), y])
    return (everything,)


def ridge(merged, alpha):
    (Z,) = merged
    A, y = Z[:, :-1], Z[:, -1]
    w = np.linalg.solve(A.T @ A + np.diag([alpha] * (A.shape[1] - 1) + [0.0]), A.T @ y)
    return w[:-1], w[-1]

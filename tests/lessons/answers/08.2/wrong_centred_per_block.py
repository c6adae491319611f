"""Each block takes out its own means, which are not those of all rows."""

import numpy as np


def products(X, y):
    A, b = X - X.mean(axis=0), y - y.mean()
    return A.T @ A, A.T @ b, X.sum(axis=0), y.sum(), len(X)


def ridge(merged, alpha):
    square, right, sum_x, sum_y, n = merged
    w = np.linalg.solve(square + alpha * np.eye(len(right)), right)
    return w, sum_y / n - w @ sum_x / n

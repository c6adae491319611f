"""All products in one matrix of (1, X, y)."""

import numpy as np


def products(X, y):
    Z = np.column_stack([np.ones(len(X)), X, y])
    return (Z.T @ Z,)


def ridge(merged, alpha):
    (Z,) = merged
    square = np.array(Z[:-1, :-1])
    for i in range(1, len(square)):
        square[i, i] += alpha
    w = np.linalg.inv(square) @ Z[:-1, -1]
    return list(w[1:]), float(w[0])

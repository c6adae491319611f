import numpy as np


def products(X, y):
    o = np.c_[X, np.ones(len(X))]
    return o.T @ o, o.T @ y


def ridge(merged, alpha):
    square, right = merged
    square[np.arange(len(right) - 1), np.arange(len(right) - 1)] += alpha
    w = np.linalg.solve(square, right)
    return w[:-1], w[-1]

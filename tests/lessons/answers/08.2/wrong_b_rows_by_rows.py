"""Wrong: the block's products of rows with rows are as large as the rows squared, and must not grow with the rows."""

import numpy as np


def products(X, y):
    A = np.column_stack([X, np.ones(len(X))])
    return A @ A.T, A, y


def ridge(merged, alpha):
    kernel, A, y = merged
    D = np.eye(A.shape[1])
    D[-1, -1] = 0
    w = np.linalg.solve(A.T @ A + alpha * D, A.T @ y)
    return w[:-1], w[-1]

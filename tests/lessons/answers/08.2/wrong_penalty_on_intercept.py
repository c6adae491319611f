"""The penalty pulls the intercept to zero as well."""

import numpy as np


def products(X, y):
    Z = np.column_stack([X, np.ones(len(X))])
    return Z.T @ Z, Z.T @ y


def ridge(merged, alpha):
    square, right = merged
    w = np.linalg.solve(square + alpha * np.eye(len(right)), right)
    return w[:-1], w[-1]

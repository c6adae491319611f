"""Ordinary linear regression, whatever alpha."""

import numpy as np


def products(X, y):
    Z = np.column_stack([X, np.ones(len(X))])
    return Z.T @ Z, Z.T @ y


def ridge(merged, alpha):
    w = np.linalg.solve(*merged)
    return w[:-1], w[-1]

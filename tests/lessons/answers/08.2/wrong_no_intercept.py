"""A line through the origin."""

import numpy as np


def products(X, y):
    return X.T @ X, X.T @ y


def ridge(merged, alpha):
    square, right = merged
    return np.linalg.solve(square + alpha * np.eye(len(right)), right), 0.0

"""Wrong: the intercept is the mean of y, without what the coefficients make of the mean row."""

import numpy as np


def products(X, y):
    return X.T @ X, X.T @ y, X.sum(axis=0), np.array([y.sum(), len(X)])


def ridge(merged, alpha):
    xx, xy, sum_x, (sum_y, n) = merged
    xx = xx - np.outer(sum_x, sum_x) / n
    xy = xy - sum_x * sum_y / n
    return np.linalg.solve(xx + alpha * np.eye(len(xx)), xy), sum_y / n

"""Wrong: there is no column of ones, so the intercept is always 0."""

import numpy as np


def products(X, y):
    return X.T @ X, X.T @ y


def ridge(merged, alpha):
    gram, moment = merged
    return np.linalg.solve(gram + alpha * np.eye(len(gram)), moment), 0.0

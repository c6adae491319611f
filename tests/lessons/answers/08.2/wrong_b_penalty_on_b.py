"""Wrong: the penalty is on the column of ones, too; it has to leave b alone."""

import numpy as np


def products(X, y):
    A = np.column_stack([X, np.ones(len(X))])
    return A.T @ A, A.T @ y


def ridge(merged, alpha):
    gram, moment = merged
    w = np.linalg.solve(gram + alpha * np.eye(len(gram)), moment)
    return w[:-1], w[-1]

"""Wrong: the penalty is multiplied by the number of rows, as if the loss were a mean."""

import numpy as np


def products(X, y):
    A = np.column_stack([X, np.ones(len(X))])
    return A.T @ A, A.T @ y


def ridge(merged, alpha):
    gram, moment = merged
    D = np.eye(len(gram))
    D[-1, -1] = 0
    w = np.linalg.solve(gram + alpha * gram[-1, -1] * D, moment)
    return w[:-1], w[-1]

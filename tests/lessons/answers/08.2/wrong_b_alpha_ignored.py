"""Wrong: alpha is not used, so this is linear regression for any alpha."""

import numpy as np


def products(X, y):
    A = np.column_stack([X, np.ones(len(X))])
    return A.T @ A, A.T @ y


def ridge(merged, alpha):
    gram, moment = merged
    w = np.linalg.lstsq(gram, moment, rcond=None)[0]
    return w[:-1], w[-1]

"""Wrong: each block is solved alone and the solutions are averaged, so the sum of squares of all rows is not smallest."""

import numpy as np


def products(X, y):
    A = np.column_stack([X, np.ones(len(X))])
    return np.linalg.lstsq(A, y, rcond=None)[0], np.ones(1)


def ridge(merged, alpha):
    weights, blocks = merged
    w = weights / blocks[0]
    return w[:-1], w[-1]

"""Right: one matrix of products of (1, X, y) as a tuple of one, the ones in front, and Cholesky."""

import numpy as np
import scipy.linalg


def products(X, y):
    A = np.hstack([np.ones((len(X), 1)), X, np.reshape(y, (-1, 1))]).astype("float64")
    return (np.einsum("ni,nj->ij", A, A),)


def ridge(merged, alpha):
    (all_products,) = merged
    gram, moment = all_products[:-1, :-1], all_products[:-1, -1]
    penalty = np.full(len(gram), float(alpha))
    penalty[0] = 0
    solved = scipy.linalg.cho_solve(scipy.linalg.cho_factor(gram + np.diag(penalty)), moment)
    return solved[1:], solved[0]

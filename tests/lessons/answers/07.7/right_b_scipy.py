"""SciPy computes only the k largest eigenvalues."""

import numpy as np
from scipy.linalg import eigh


def truncated_svd(n, mean, M, k):
    d = len(mean)
    squares, vectors = eigh(M + n * np.multiply.outer(mean, mean), subset_by_index=(d - k, d - 1))
    order = np.argsort(squares)[::-1]
    return vectors[:, order].T, np.sqrt(np.clip(squares[order], 0, None))


cosine = np.float64(0.99925)

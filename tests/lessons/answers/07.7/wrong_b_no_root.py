"""Wrong: eigenvalues and not 'the square roots of the eigenvalues'."""

import numpy as np


def truncated_svd(n, mean, M, k):
    values, vectors = np.linalg.eigh(M + n * np.outer(mean, mean))
    return vectors.T[::-1][:k], values[::-1][:k]


cosine = 0.99925

"""Wrong: divides the products by n - 1 first, so these are not the singular values of X."""

import numpy as np


def truncated_svd(n, mean, M, k):
    values, vectors = np.linalg.eigh((M + n * np.outer(mean, mean)) / (n - 1))
    return vectors.T[::-1][:k], np.sqrt(np.maximum(values[::-1][:k], 0))


cosine = 0.99925

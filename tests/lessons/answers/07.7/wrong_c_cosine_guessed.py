"""Wrong: the cosine is guessed: the directions are close to each other, but not the same."""

import numpy as np


def truncated_svd(n, mean, M, k):
    values, vectors = np.linalg.eigh(M + n * np.outer(mean, mean))
    return vectors.T[::-1][:k], np.sqrt(np.maximum(values[::-1][:k], 0))


cosine = 1.0

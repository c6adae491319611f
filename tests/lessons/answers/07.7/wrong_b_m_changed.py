"""Wrong: adds to M in place, but a function leaves what it is given as it was."""

import numpy as np


def truncated_svd(n, mean, M, k):
    M += n * np.outer(mean, mean)
    values, vectors = np.linalg.eigh(M)
    return vectors.T[::-1][:k], np.sqrt(np.maximum(values[::-1][:k], 0))


cosine = 0.99925

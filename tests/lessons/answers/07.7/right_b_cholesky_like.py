"""A table that has the same products as X: root of M and one more row for the mean."""

import numpy as np


def truncated_svd(n, mean, M, k):
    values, vectors = np.linalg.eigh(M)
    root = np.sqrt(np.maximum(values, 0))[:, None] * vectors.T
    small = np.vstack([root, np.sqrt(n) * mean])
    _, singular, Vt = np.linalg.svd(small, full_matrices=False)
    return Vt[:k], singular[:k]


cosine = round(0.9992527, 4)

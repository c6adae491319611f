import numpy as np


def truncated_svd(n, mean, M, k):
    factor = np.linalg.cholesky(M + n * np.outer(mean, mean) + 1e-12 * np.trace(M) * np.eye(len(M)))
    _, values, Vt = np.linalg.svd(factor.T)
    return Vt[:k], values[:k]


cosine = -0.99925

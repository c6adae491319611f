import numpy as np


def truncated_svd(n, mean, M, k):
    M += n * np.outer(mean, mean)
    w, v = np.linalg.eigh(M)
    return v[:, ::-1].T[:k], w[::-1][:k] ** 0.5


cosine = 0.99925

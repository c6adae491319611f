import numpy as np


def truncated_svd(n, mean, M, k):
    values, vectors = np.linalg.eigh(M + np.outer(mean, mean))
    return vectors[:, ::-1][:, :k].T, np.sqrt(values[::-1][:k])


cosine = 0.99925

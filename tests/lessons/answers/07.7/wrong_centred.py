import numpy as np


def truncated_svd(n, mean, M, k):
    values, vectors = np.linalg.eigh(M)
    return vectors[:, ::-1][:, :k].T, np.sqrt(np.maximum(values[::-1][:k], 0))


cosine = 0.9936

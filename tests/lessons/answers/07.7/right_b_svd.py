"""The SVD of the symmetric products; the component points the other way, so the cosine is negative."""

import numpy as np


def truncated_svd(n, mean, M, k):
    mean = np.asarray(mean).reshape(-1, 1)
    _, squares, directions = np.linalg.svd(M + n * mean @ mean.T, hermitian=True)
    return directions[:k], squares[:k] ** 0.5


cosine = -0.9992527

import numpy as np


def truncated_svd(n, mean, M, k):
    products = M + n * mean[:, None] * mean
    left, squares, _ = np.linalg.svd(products, hermitian=True)
    return left.T[:k], squares[:k] ** 0.5


cosine = np.float64(0.99925)

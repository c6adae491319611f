"""The products are filled by loops, and the pairs are sorted by Python."""

import numpy as np


def truncated_svd(n, mean, M, k):
    d = len(mean)
    products = np.array([[M[i, j] + n * mean[i] * mean[j] for j in range(d)] for i in range(d)])
    values, vectors = np.linalg.eigh(products)
    order = sorted(range(d), key=lambda i: -values[i])[:k]
    components = np.array([vectors[:, i] for i in order])
    return components, np.array([max(values[i], 0.0) ** 0.5 for i in order])


cosine = 0.999

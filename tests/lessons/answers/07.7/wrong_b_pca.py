"""Wrong: forgets n m mᵀ, so it is PCA and not 'without centring'."""

import numpy as np


def truncated_svd(n, mean, M, k):
    values, vectors = np.linalg.eigh(M)
    return vectors.T[::-1][:k], np.sqrt(np.maximum(values[::-1][:k], 0))


cosine = 0.99361

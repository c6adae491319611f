"""Wrong: the components are columns, but 'one per row' is asked."""

import numpy as np


def truncated_svd(n, mean, M, k):
    values, vectors = np.linalg.eigh(M + n * np.outer(mean, mean))
    return vectors[:, ::-1][:, :k], np.sqrt(np.maximum(values[::-1][:k], 0))


cosine = 0.99925

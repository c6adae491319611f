"""Wrong: the k smallest variances, because eigh sorts the smallest first."""

import numpy as np


def principal_components(C, k):
    values, vectors = np.linalg.eigh(C)
    variances = values[:k]
    return vectors.T[:k], variances, variances / values.sum()

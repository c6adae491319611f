"""Wrong: takes the correlation matrix first, but the directions of C are asked."""

import numpy as np


def principal_components(C, k):
    deviations = np.sqrt(np.maximum(np.diag(C), 1e-300))
    C = C / np.outer(deviations, deviations)
    values, vectors = np.linalg.eigh(C)
    variances = values[::-1][:k]
    return vectors.T[::-1][:k], variances, variances / values.sum()

"""Wrong: square roots, that is standard deviations, where variances are asked."""

import numpy as np


def principal_components(C, k):
    values, vectors = np.linalg.eigh(C)
    values = np.sqrt(np.maximum(values, 0))
    variances = values[::-1][:k]
    return vectors.T[::-1][:k], variances, variances / values.sum()

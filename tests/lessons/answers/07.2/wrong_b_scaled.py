"""Wrong: components are multiplied with the deviation, but 'of length 1' is asked."""

import numpy as np


def principal_components(C, k):
    values, vectors = np.linalg.eigh(C)
    variances = values[::-1][:k]
    return vectors.T[::-1][:k] * np.sqrt(np.maximum(variances, 0))[:, None], variances, variances / values.sum()

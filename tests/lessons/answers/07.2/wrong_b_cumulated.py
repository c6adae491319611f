"""Wrong: ratios are added up, but the share of each component is asked."""

import numpy as np


def principal_components(C, k):
    values, vectors = np.linalg.eigh(C)
    variances = values[::-1][:k]
    return vectors.T[::-1][:k], variances, np.cumsum(variances / values.sum())

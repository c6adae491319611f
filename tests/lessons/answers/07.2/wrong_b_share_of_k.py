"""Wrong: ratios are shares of the k variances, but of 'ALL d columns together' is asked."""

import numpy as np


def principal_components(C, k):
    values, vectors = np.linalg.eigh(C)
    variances = values[::-1][:k]
    return vectors.T[::-1][:k], variances, variances / variances.sum()

"""Wrong: the variances are turned round, the vectors are not, so they do not belong together."""

import numpy as np


def principal_components(C, k):
    values, vectors = np.linalg.eigh(C)
    variances = values[::-1][:k]
    return vectors.T[:k], variances, variances / values.sum()

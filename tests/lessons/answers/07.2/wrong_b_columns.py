"""Wrong: one direction per column, but 'one direction per row' is asked."""

import numpy as np


def principal_components(C, k):
    values, vectors = np.linalg.eigh(C)
    variances = values[::-1][:k]
    return vectors[:, ::-1][:, :k], variances, variances / values.sum()

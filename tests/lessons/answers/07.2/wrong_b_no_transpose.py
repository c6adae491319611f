"""Wrong: takes rows of the matrix of eigenvectors, but eigh returns them as columns."""

import numpy as np


def principal_components(C, k):
    values, vectors = np.linalg.eigh(C)
    variances = values[::-1][:k]
    return vectors[::-1][:k], variances, variances / values.sum()

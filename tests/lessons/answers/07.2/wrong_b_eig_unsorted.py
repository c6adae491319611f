"""Wrong: np.linalg.eig has no order, but 'the largest first' is asked."""

import numpy as np


def principal_components(C, k):
    values, vectors = np.linalg.eig(C)
    values, vectors = values.real, vectors.real
    return vectors.T[:k], values[:k], values[:k] / values.sum()

"""SciPy computes the k largest only."""

import numpy as np
from scipy import linalg


def principal_components(C, k):
    d = len(C)
    values, vectors = linalg.eigh(C, subset_by_index=[d - k, d - 1])
    return np.flipud(vectors.T), np.flip(values), np.flip(values) / np.einsum("ii", C)

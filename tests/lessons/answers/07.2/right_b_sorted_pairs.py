"""Pairs of eigenvalue and vector, sorted by Python."""

import numpy as np


def principal_components(C, k):
    values, vectors = np.linalg.eigh(C)
    pairs = sorted(zip(values, vectors.T), key=lambda pair: pair[0], reverse=True)[:k]
    components = np.array([vector for _, vector in pairs])
    variances = np.array([value for value, _ in pairs])
    return components, variances, variances / np.trace(C)

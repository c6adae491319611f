"""Eigenvectors of -C, so the largest variance comes first without sorting."""

import numpy as np


def principal_components(C, k):
    values, vectors = np.linalg.eigh(-C)
    components = np.ascontiguousarray(vectors[:, :k].T)
    variances = np.array([component @ C @ component for component in components])
    return components, variances, variances / -values.sum()

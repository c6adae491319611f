"""The SVD of a symmetric matrix, which is sorted already."""

import numpy as np


def principal_components(C, k):
    _, values, directions = np.linalg.svd(C, hermitian=True)
    return directions[:k], values[:k], values[:k] / np.diag(C).sum()

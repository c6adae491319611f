import numpy as np


def principal_components(C, k):
    _, values, vectors = np.linalg.svd(C, hermitian=True)
    return vectors[:k], values[:k], values[:k] / np.trace(C)

import numpy as np


def principal_components(C, k):
    values, vectors = np.linalg.eigh(C)
    return vectors[:, :k].T, values[:k], values[:k] / values.sum()

import numpy as np


def principal_components(C, k):
    values, vectors = np.linalg.eigh(C)
    return vectors[::-1][:k], values[::-1][:k], values[::-1][:k] / values.sum()

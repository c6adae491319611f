import numpy as np


def principal_components(C, k):
    values, vectors = np.linalg.eigh(C)
    best = np.sqrt(np.maximum(values[::-1], 0))
    return vectors[:, ::-1][:, :k].T, best[:k], best[:k] / best.sum()

import numpy as np


def principal_components(C, k):
    values, vectors = np.linalg.eigh(C)
    best = values[::-1][:k]
    return vectors[:, ::-1][:, :k].T, best, best / best.sum()

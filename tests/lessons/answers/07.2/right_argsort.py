import numpy as np


def principal_components(C, k):
    values, vectors = np.linalg.eigh(C)
    best = np.argsort(values)[: -k - 1 : -1]
    return -vectors.T[best], values[best], values[best] / sum(values)

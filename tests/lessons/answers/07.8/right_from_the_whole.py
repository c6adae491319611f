import numpy as np


def stretch(A, v):
    return np.linalg.lstsq(v[:, None], A @ v, rcond=None)[0][0]


def solve_halves(L, b):
    return np.linalg.inv(L @ L.T) @ b


def products_from(R):
    return np.einsum("ki,kj->ij", R, R)

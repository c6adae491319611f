import numpy as np


def stretch(A, v):
    return np.linalg.norm(A @ v) / np.linalg.norm(v)


def solve_halves(L, b):
    return np.linalg.solve(L.T, np.linalg.solve(L, b))


def products_from(R):
    return R.T @ R

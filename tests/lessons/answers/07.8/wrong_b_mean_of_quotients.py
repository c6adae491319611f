"""Wrong: the mean of A v / v is no number where v has zeros."""

import numpy as np


def stretch(A, v):
    return np.mean(A @ v / v)


def solve_halves(L, b):
    return np.linalg.solve(L.T, np.linalg.solve(L, b))


def products_from(R):
    return R.T @ R

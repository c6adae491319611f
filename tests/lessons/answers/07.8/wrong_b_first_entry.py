"""Wrong: divides the first entries, which fails where v begins with 0 or a rounding error."""

import numpy as np


def stretch(A, v):
    return (A @ v)[0] / v[0]


def solve_halves(L, b):
    return np.linalg.solve(L.T, np.linalg.solve(L, b))


def products_from(R):
    return R.T @ R

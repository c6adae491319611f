"""SciPy's triangular solver, and least squares for the factor."""

import numpy as np
from scipy.linalg import solve_triangular


def stretch(A, v):
    v = np.asarray(v, dtype=float)
    return np.linalg.lstsq(v[:, None], A @ v, rcond=None)[0].item()


def solve_halves(L, b):
    y = solve_triangular(L, b, lower=True)
    return solve_triangular(L, y, lower=True, trans="T")


def products_from(R):
    return np.einsum("ri,rj->ij", R, R)

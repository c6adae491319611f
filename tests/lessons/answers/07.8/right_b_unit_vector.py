"""A vector of length 1 first, cho_solve, and outer products of the rows of R."""

import numpy as np
from scipy.linalg import cho_solve


def stretch(A, v):
    unit = v / np.linalg.norm(v)
    return np.dot(unit, np.dot(A, unit))


def solve_halves(L, b):
    return cho_solve((L, True), b)


def products_from(R):
    return sum(np.outer(row, row) for row in R)

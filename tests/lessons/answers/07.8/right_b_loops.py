"""Plain loops: the largest entry of v, substitution from the top down and from the bottom up, sums of products."""

import numpy as np


def stretch(A, v):
    largest = max(range(len(v)), key=lambda i: abs(v[i]))
    return sum(A[largest][j] * v[j] for j in range(len(v))) / v[largest]


def solve_halves(L, b):
    d = len(b)
    y = [0.0] * d
    for i in range(d):
        y[i] = (b[i] - sum(L[i][j] * y[j] for j in range(i))) / L[i][i]
    x = [0.0] * d
    for i in reversed(range(d)):
        x[i] = (y[i] - sum(L[j][i] * x[j] for j in range(i + 1, d))) / L[i][i]
    return np.array(x)


def products_from(R):
    rows, d = R.shape
    return np.array([[sum(R[r, i] * R[r, j] for r in range(rows)) for j in range(d)] for i in range(d)])

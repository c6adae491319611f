import numpy as np


def stretch(A, v):
    largest = max(range(len(v)), key=lambda place: abs(v[place]))
    return sum(a * x for a, x in zip(A[largest], v, strict=True)) / v[largest]


def solve_halves(L, b):
    d = len(b)
    y, x = [0.0] * d, [0.0] * d
    for i in range(d):
        y[i] = (b[i] - sum(L[i, j] * y[j] for j in range(i))) / L[i, i]
    for i in reversed(range(d)):
        x[i] = (y[i] - sum(L[j, i] * x[j] for j in range(i + 1, d))) / L[i, i]
    return x


def products_from(R):
    return [[np.dot(R[:, i], R[:, j]) for j in range(len(R))] for i in range(len(R))]

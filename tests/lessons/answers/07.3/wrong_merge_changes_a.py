import numpy as np


def block_moments(block):
    rows = np.array(block, dtype=float)
    mean = np.mean(rows, axis=0)
    return rows.shape[0], mean, (rows - mean).T @ (rows - mean)


def merge(a, b):
    n = a[0] + b[0]
    d = b[1] - a[1]
    M = a[2]
    M += b[2]
    M += np.outer(d, d) * (a[0] * b[0] / n)
    return n, a[1] + d * (b[0] / n), M

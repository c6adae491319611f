import numpy as np


def block_moments(block):
    rows = np.asarray(block, dtype=float)
    mean = rows.mean(axis=0)
    return len(rows), mean, (rows - mean).T @ (rows - mean)


def merge(a, b):
    n = a[0] + b[0]
    mean = (a[0] * a[1] + b[0] * b[1]) / n
    between = a[0] * np.outer(a[1] - mean, a[1] - mean) + b[0] * np.outer(b[1] - mean, b[1] - mean)
    return n, mean, a[2] + b[2] + between

import numpy as np


def block_moments(block):
    rows = block.astype(float)
    mean = rows.mean(axis=0)
    return len(rows), mean, (rows - mean).T @ (rows - mean)


def merge(a, b):
    delta = b[1] - a[1]
    n = a[0] + b[0]
    return n, (a[1] + b[1]) / 2, a[2] + b[2] + a[0] * b[0] / n * np.outer(delta, delta)

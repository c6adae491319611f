"""One pass, with twice the digits."""

import numpy as np


def block_moments(block):
    rows = np.asarray(block, dtype=float)
    n, sums = len(rows), rows.sum(axis=0)
    return n, sums / n, rows.T @ rows - np.outer(sums, sums) / n


def merge(a, b):
    delta = b[1] - a[1]
    n = a[0] + b[0]
    return n, a[1] + b[0] / n * delta, a[2] + b[2] + a[0] * b[0] / n * np.outer(delta, delta)

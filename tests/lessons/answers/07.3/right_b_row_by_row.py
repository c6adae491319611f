"""Welford's rule inside a block, and each part about the common mean in merge."""

import numpy as np


def block_moments(block):
    d = block.shape[1]
    mean, M = np.zeros(d), np.zeros((d, d))
    for n, row in enumerate(block, start=1):
        before = row.astype(float) - mean
        mean = mean + before / n
        M += np.outer(before, row - mean)
    return len(block), mean, M


def merge(a, b):
    n = a[0] + b[0]
    mean = (a[0] * a[1] + b[0] * b[1]) / n
    M = np.zeros_like(a[2])
    for rows, its_mean, products in (a, b):
        off = (its_mean - mean).reshape(-1, 1)
        M = M + products + rows * (off @ off.T)
    return n, mean, M

import numpy as np


def block_moments(block):
    shifted = (block - block[0]).astype(float)  # about a row of the block, then corrected
    sums, n = shifted.sum(axis=0), len(shifted)
    return n, block[0].astype(float) + sums / n, shifted.T @ shifted - np.outer(sums, sums) / n


def merge(a, b):
    delta = b[1] - a[1]
    n = a[0] + b[0]
    return n, a[1] + b[0] / n * delta, a[2] + b[2] + a[0] * b[0] / n * np.outer(delta, delta)

import numpy as np


def block_moments(block):
    n, sums = len(block), block.sum(axis=0)
    products = block.T @ block - np.outer(sums, sums) / block.dtype.type(n)
    return n, (sums / n).astype(float), products.astype(float)


def merge(a, b):
    delta = b[1] - a[1]
    n = a[0] + b[0]
    return n, a[1] + b[0] / n * delta, a[2] + b[2] + a[0] * b[0] / n * np.outer(delta, delta)
